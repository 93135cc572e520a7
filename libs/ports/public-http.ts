export interface PublicRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  /** An address that a user chose: https, standard port, public addresses only. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** For the whole exchange, from name look-up and TLS to the last body byte. */
  readonly timeoutMs: number;
  /** Ends the exchange early, as its time-out would. */
  readonly signal?: AbortSignal;
}

export interface PublicAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Can be read once, in order, as it was sent: nothing is decompressed. Rejects when the rest can't be read; leaving
   * the loop ends the connection.
   */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The address must not be requested, or its name does not exist: no byte was sent to it. `message` is for a person. */
export class UnsafeAddress extends Error {
  override readonly name = 'UnsafeAddress';
}

/**
 * Requests to addresses that users choose. One request, one answer; never a retry, a redirect, a cookie or a proxy.
 * Rejects with `UnsafeAddress`, or with `HttpFailure` when no answer came; the message of either is for a person.
 */
export interface PublicHttp {
  send(request: PublicRequest): Promise<PublicAnswer>;
}
