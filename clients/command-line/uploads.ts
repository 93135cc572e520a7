import { basename } from 'node:path';
import type { CompletedUpload, Crier } from '#clients/typescript/client.ts';
import { ProgressLine } from './progress.ts';
import type { Terminal } from './terminal.ts';

const MEGABYTE = 1024 ** 2;

/** Uploads one file, with its progress on the terminal. */
export async function uploadFile(crier: Crier, path: string, terminal: Terminal): Promise<CompletedUpload> {
  const line = new ProgressLine(terminal, basename(path));
  try {
    return await crier.media.upload({
      path,
      signal: terminal.interrupted,
      onProgress: ({ sentBytes, totalBytes }) =>
        line.show(sentBytes, totalBytes, `${megabytes(sentBytes)} of ${megabytes(totalBytes)} MB`),
    });
  } finally {
    line.end();
  }
}

/** Uploads several; when one fails, or Ctrl-C ends it, those before are removed, so that no storage is lost. */
export async function uploadFiles(
  crier: Crier,
  paths: readonly string[],
  terminal: Terminal,
): Promise<readonly CompletedUpload[]> {
  const done: CompletedUpload[] = [];
  try {
    for (const path of paths) done.push(await uploadFile(crier, path, terminal));
    return done;
  } catch (error) {
    await removeUploads(crier, done);
    if (paths.length > 1) terminal.say(`crier: stopped at ${paths[done.length]}; nothing of the upload is kept\n`);
    throw error;
  }
}

const REMOVE_TIMEOUT_MS = 10_000;

/** Removes uploads that no Post has. Failing to is no failure of the command. */
export async function removeUploads(crier: Crier, uploads: readonly { readonly assetId: string }[]): Promise<void> {
  const signal = AbortSignal.timeout(REMOVE_TIMEOUT_MS);
  for (const { assetId } of uploads) await crier.media.remove(assetId, { signal }).catch(() => {});
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}
