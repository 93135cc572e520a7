/** Blobs as files of this machine, for programs that read files by their paths. */
export interface LocalFiles {
  /**
   * Calls `work` with the path of a file that has the blob's bytes. `work` may only read it, and only until it ends.
   * Rejects as `work` does, or with `PortError`: `refused` when there is no such blob.
   */
  use<T>(blob: string, work: (path: string) => Promise<T>): Promise<T>;
}
