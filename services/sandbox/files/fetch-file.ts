import type { Download } from '#ports/download.ts';
import type { Files, SandboxFile } from './files.ts';

const TIMEOUT_MS = 60_000;

/** For a sandbox without access to files. */
export const noDownload: Download = { get: () => Promise.reject(new Error('this sandbox fetches nothing')) };

export type FetchFile = (url: string, maxBytes: number) => Promise<SandboxFile | null>;

export interface FetchFileOptions {
  readonly download: Download;
  readonly files: Files;
  /**
   * Where the installation's own files are; null: it serves none. Called for each file, because the port may be chosen
   * after the start.
   */
  readonly mediaUrl: () => string | null;
}

/**
 * Fetches one of our files as a Network does: null unless it arrives whole, with 200, and within `maxBytes`. Real
 * Networks are outside; the sandbox can reach the machine's own services and its network, so it requests one origin
 * only.
 */
export function createFetchFile({ download, files, mediaUrl }: FetchFileOptions): FetchFile {
  const isOurs = (url: string): boolean => {
    const ours = mediaUrl();
    return (
      ours !== null &&
      URL.canParse(url) &&
      /^https?:$/.test(new URL(url).protocol) &&
      new URL(url).origin === new URL(ours).origin
    );
  };
  return async (url, maxBytes) => {
    if (!isOurs(url)) return null;
    const uploadId = files.open();
    try {
      const { status, body } = await download.get({ url, timeoutMs: TIMEOUT_MS });
      if (status !== 200) return null;
      for await (const piece of body) {
        const size = files.size(uploadId);
        if (size + piece.length > maxBytes) return null;
        files.write(uploadId, size, piece);
      }
      return files.seal(uploadId);
    } catch {
      return null;
    } finally {
      files.discard(uploadId);
    }
  };
}
