export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** For the whole exchange, from name look-up to the last body byte. */
  readonly timeoutMs: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** At most `MAX_RESPONSE_BYTES` are read; longer bodies are cut. */
  readonly body: string;
}

export const MAX_RESPONSE_BYTES = 1_048_576;

/** No answer came. `sent: false` proves that no byte of the request was sent (name look-up, connect or TLS failed). */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly sent: boolean;

  constructor(message: string, sent: boolean, options?: ErrorOptions) {
    super(message, options);
    this.sent = sent;
  }
}

/** One request, one answer or an `HttpFailure`. Never retries, never follows a redirect. */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpResponse>;
}
