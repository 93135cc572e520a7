import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CrierUnderTest } from '#testing/crier-process.ts';
import type { StoredFolder } from './stored-facts.ts';

/** Names of the stored folders, as they were given to `write.ts`. */
export function storedFolders(): readonly string[] {
  return readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

export function expectedOf(name: string): StoredFolder {
  return JSON.parse(readFileSync(join(import.meta.dirname, name, 'expected.json'), 'utf8')) as StoredFolder;
}

export interface StoredInstallation extends AsyncDisposable {
  readonly crier: CrierUnderTest;
}

/**
 * Starts Crier on a copy of a stored folder, `laterMs` after its last kill by the installation's own clock: the copy's
 * row that says how far this clock is ahead of the machine's is set so, in the format of the release that stored the
 * folder. The machine's date therefore changes nothing that a test sees.
 */
export async function openStored(name: string, laterMs: number): Promise<StoredInstallation> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-stored-'));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  execFileSync('tar', ['-xzmf', join(import.meta.dirname, name, 'data.tar.gz'), '-C', dataDir]);
  const { writtenAt } = expectedOf(name);
  // Certificates are judged by the machine's clock. One behind that of the writing machine takes no authority of later.
  if (Date.now() < Date.parse(writtenAt)) rmSync(join(dataDir, 'inbox-authority.json'));
  const database = new DatabaseSync(join(dataDir, 'crier.db'));
  const aheadMs = Date.parse(writtenAt) + laterMs - Date.now();
  const { changes } = database
    .prepare("UPDATE installation SET body = ? WHERE name = 'clock'")
    .run(Buffer.from(JSON.stringify({ aheadMs })));
  database.close();
  assert.equal(changes, 1, 'the folder has a row of its clock');
  const crier = await CrierUnderTest.start({
    name: 'stored',
    dataDir,
    env: { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off', CRIER_LOG_LEVEL: 'warn' },
  });
  return {
    crier,
    async [Symbol.asyncDispose]() {
      await crier[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
