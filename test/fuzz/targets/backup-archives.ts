import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { PortError } from '#ports/errors.ts';
import { BACKUP_FORMAT } from '#services/crier/backup/manifest.ts';
import { openManifest, readArchive } from '#services/crier/backup/read-archive.ts';
import { writeArchive } from '#services/crier/backup/write-archive.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBytes } from '../mutations.ts';

const MADE_AT = new Date('2026-03-04T05:06:07Z');
const FACTS = {
  format: BACKUP_FORMAT,
  ...{ madeAt: MADE_AT.toISOString(), snapshotAt: MADE_AT.toISOString(), release: '0.1.0' },
  ...{ schemaVersion: 1, rows: { posts: 3 } },
  engine: 'embedded',
  secrets: 'included',
  files: 'included',
} as const;
const ENTRIES = [
  { name: 'crier.db', bytes: Buffer.from('not whole blocks '.repeat(50)) },
  { name: `blobs/${'a-long-folder/'.repeat(12)}${'b'.repeat(120)}.blob`, bytes: Buffer.alloc(1_024, 7) },
];

async function* entries() {
  yield* ENTRIES;
}

export const backupArchives = fuzzTarget<Buffer>({
  name: 'backup-archives',
  holds: 'a backup that was changed anywhere is refused with the reason, and nothing is written outside of its folder',
  cases: 300,
  open: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crier-fuzz-backup-'));
    const [path, into] = [join(folder, 'made.tar'), join(folder, 'into')];
    await writeArchive({
      ...{ path, madeAt: MADE_AT, sources: entries(), rest: () => {} },
      describe: (found) => ({ ...FACTS, ...found }),
    });
    const whole = readFileSync(path);
    return {
      inputs: mutatedBytes(fc.constant(whole)),
      crashes: {},
      sizeOf: (archive) => archive.length,
      // Whoever restores runs a program of its own.
      allowedMs: 500,
      check: async (archive) => {
        writeFileSync(path, archive);
        rmSync(into, { recursive: true, force: true });
        const troubles = await troublesOf(path, into);
        assert.equal(troubles.length === 0, archive.equals(whole), `of a changed archive: ${troubles.join()}`);
        assert.deepEqual(
          readdirSync(folder).filter((name) => name !== 'into'),
          ['made.tar'],
        );
      },
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});

async function troublesOf(path: string, into: string): Promise<readonly string[]> {
  try {
    return await readArchive({ path, into, manifest: await openManifest(path), wanted: () => true });
  } catch (error) {
    if (error instanceof PortError && error.kind === 'refused') return [error.message];
    throw error;
  }
}
