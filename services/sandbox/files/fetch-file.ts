import type { Download } from '#ports/download.ts';
import type { Files, SandboxFile } from './files.ts';

const TIMEOUT_MS = 60_000;

/** A sandbox that reaches nothing. */
export const noDownload: Download = { get: () => Promise.reject(new Error('this sandbox fetches nothing')) };

export type FetchFile = (url: string, mostBytes: number) => Promise<SandboxFile | null>;

/** Gets a file of ours as a Network does: null for whatever keeps it from coming whole, with 200, and within `mostBytes`. */
export function createFetchFile(download: Download, files: Files): FetchFile {
  return async (url, mostBytes) => {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return null;
    const uploadId = files.open();
    try {
      const { status, body } = await download.get({ url, timeoutMs: TIMEOUT_MS });
      if (status !== 200) return null;
      for await (const piece of body) {
        const size = files.size(uploadId);
        if (size + piece.length > mostBytes) return null;
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
