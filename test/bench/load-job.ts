/** The load client's job, which it reads as JSON from its standard input. */
export interface LoadJob {
  readonly url: string;
  /** Connections, each with one request at a time. */
  readonly clients: number;
  readonly warmUp: Amount;
  readonly measured: Amount;
  /**
   * Null: each client sends its next request when the last one was answered. Else requests per second by a fixed plan
   * that does not wait for answers.
   */
  readonly ratePerSecond: number | null;
  readonly requests: Requests;
}

/** The run ends when either limit is reached. */
export interface Amount {
  readonly requests?: number;
  readonly seconds?: number;
}

export type Requests =
  /** Posts that differ in text, in turn for each of the homes: due far in the future, or soon after they are sent. */
  | {
      readonly kind: 'create';
      readonly homes: readonly { readonly keys: readonly string[]; readonly channelIds: readonly string[] }[];
      readonly label: string;
      readonly due: { readonly from: number } | { readonly afterMs: number };
    }
  | { readonly kind: 'get'; readonly path: string; readonly key: string }
  /** Calls of a tool; with `due`, each makes another Post for these Channels. */
  | {
      readonly kind: 'call';
      readonly tool: string;
      readonly token: string;
      readonly due: { readonly channelIds: readonly string[]; readonly label: string; readonly from: number } | null;
    }
  /** For floors: a body to a bare server. */
  | { readonly kind: 'bare' };

/** The results of the measured part. */
export interface LoadResult {
  readonly requests: number;
  /** Includes those of the warm-up. */
  readonly sent: number;
  readonly perSecond: number;
  /** Milliseconds; with a plan they count from the instant at which a request was to be sent. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Answers other than success, by status; `lost` for missing answers. */
  readonly failures: Readonly<Record<string, number>>;
  /** The body of the first answer of each status that is no success. */
  readonly refusals: Readonly<Record<string, string>>;
}
