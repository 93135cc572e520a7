export interface DownloadRequest {
  readonly url: string;
  /** From name look-up to the last byte of the body. */
  readonly timeoutMs: number;
}

export interface DownloadResult {
  readonly status: number;
  /** Lower case, without parameters; '' when the answer names none. */
  readonly contentType: string;
  /** Can be read once, in order. Rejects when the rest can't be read; leaving the loop ends the transfer. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** One GET of a file of any size. Redirects are not followed. Rejects when no answer came. */
export interface Download {
  get(request: DownloadRequest): Promise<DownloadResult>;
}
