import { open } from 'node:fs/promises';
import { pack } from 'tar-stream';
import { tellingFiles } from '../backup/file-failure.ts';
import type { GatheredPart } from './bundle-part.ts';

export interface BundleSummary {
  /** ISO 8601. */
  readonly madeAt: string;
  readonly release: string;
  readonly parts: readonly (Omit<GatheredPart, 'text'> & { readonly bytes: number })[];
}

/**
 * A tar archive of the parts, and of what is in it. `path` must not exist. Rejects with `PortError` and errors of the
 * file system.
 */
export async function writeBundle(
  path: string,
  {
    madeAt,
    release,
    parts,
  }: { readonly madeAt: Date; readonly release: string; readonly parts: readonly GatheredPart[] },
): Promise<BundleSummary> {
  const summary: BundleSummary = {
    madeAt: madeAt.toISOString(),
    release,
    parts: parts.map(({ text, ...part }) => ({ ...part, bytes: Buffer.byteLength(text) })),
  };
  const archive = pack();
  const files = [{ file: 'bundle.json', text: `${JSON.stringify(summary, null, 2)}\n` }, ...parts];
  for (const { file, text } of files) {
    const header = { name: `crier-support/${file}`, mode: 0o600, mtime: madeAt, type: 'file' } as const;
    archive.entry({ ...header, size: Buffer.byteLength(text) }, text);
  }
  archive.finalize();
  await tellingFiles(path, async () => {
    // Only for who makes it, and never over another file or through a link.
    const file = await open(path, 'wx', 0o600);
    try {
      for await (const piece of archive) await file.writeFile(piece as Uint8Array);
    } finally {
      await file.close();
    }
  });
  return summary;
}
