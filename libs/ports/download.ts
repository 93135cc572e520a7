export interface DownloadRequest {
  readonly url: string;
  /** From name look-up to the last byte of the body. */
  readonly timeoutMs: number;
}

export interface DownloadResult {
  readonly status: number;
  /** Lower case, without parameters; '' when it was not said. */
  readonly contentType: string;
  /** Once, in order. Rejects when the rest can't be had; leaving the loop ends the transfer. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** One GET of a file of any size, never redirected. Rejects when no answer came. */
export interface Download {
  get(request: DownloadRequest): Promise<DownloadResult>;
}
