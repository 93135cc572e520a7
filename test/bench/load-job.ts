/** What the load client is to send: given to it as JSON on its standard input. */
export interface LoadJob {
  readonly url: string;
  /** Connections, each with one request at a time. */
  readonly clients: number;
  readonly warmUp: Amount;
  readonly measured: Amount;
  /**
   * Null: each client sends its next request when the last was answered. Else requests a second by a plan that waits
   * for nobody.
   */
  readonly ratePerSecond: number | null;
  readonly requests: Requests;
}

/** Until either is used up. */
export interface Amount {
  readonly requests?: number;
  readonly seconds?: number;
}

export type Requests =
  /** Posts that differ in text, in turn for each of the homes, due far ahead. */
  | {
      readonly kind: 'create';
      readonly homes: readonly { readonly keys: readonly string[]; readonly channelIds: readonly string[] }[];
      readonly label: string;
      readonly dueFrom: number;
    }
  | { readonly kind: 'get'; readonly path: string; readonly key: string }
  /** For floors: a body to a bare server. */
  | { readonly kind: 'bare' };

/** What came of the measured part. */
export interface LoadResult {
  readonly requests: number;
  /** With those of the warm-up. */
  readonly sent: number;
  readonly perSecond: number;
  /** Milliseconds; by a plan they count from the instant a request was to be sent at. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Answers that were no success, by status; `lost` for none. */
  readonly failures: Readonly<Record<string, number>>;
}
