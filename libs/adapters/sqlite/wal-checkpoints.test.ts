import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { openSyncedDatabase, type SyncedDatabase } from './synced-database.ts';

const FROM_PAGES = 40;
let folder: string;
let path: string;
let synced: SyncedDatabase;
let failures: Error[];
let count = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
  path = join(folder, 'test.sqlite');
  failures = [];
  synced = await openSyncedDatabase(path, {
    checkpointPages: FROM_PAGES,
    onCheckpointFailed: (error) => failures.push(error),
  });
  await synced.commits.enqueue(() => synced.database.exec('CREATE TABLE rows (n INTEGER PRIMARY KEY, body BLOB)'));
  count = 0;
});

afterEach(async () => {
  await synced.close();
  rmSync(folder, { recursive: true });
  expect(failures).toEqual([]);
});

/** One commit, of at least two pages. */
async function write(): Promise<void> {
  const statement = synced.database.prepare('INSERT INTO rows VALUES (?, zeroblob(6000))');
  await synced.commits.enqueue(() => statement.run(++count));
}

function pages(): { readonly log: number; readonly checkpointed: number } {
  return synced.database.prepare('PRAGMA wal_checkpoint(NOOP)').get() as unknown as ReturnType<typeof pages>;
}

/** Commits until the log is begun anew, and returns how many pages it had at most. */
async function untilBegunAnew(): Promise<number> {
  let most = 0;
  await until(
    async () => {
      await write();
      const { log } = pages();
      if (log < most) return true;
      most = log;
      return null;
    },
    { what: 'the log is begun anew', everyMs: 0 },
  );
  return most;
}

test('while commits go on, the log is copied into the file by the thread and begun anew, again and again', async () => {
  expect(synced.database.prepare('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: 0 });
  for (let round = 0; round < 3; round++) expect(await untilBegunAnew()).toBeGreaterThanOrEqual(FROM_PAGES);
  const other = new DatabaseSync(path, { readOnly: true });
  expect(other.prepare('SELECT count(*) AS n, max(n) AS last FROM rows').get()).toEqual({ n: count, last: count });
  other.close();
});

test('a reader of an older instant keeps pages in the log, loses nothing of what it sees, and they are copied after it', async () => {
  await write();
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.exec('BEGIN');
  const seen = () => reader.prepare('SELECT count(*) AS n FROM rows').get()?.['n'];
  expect(seen()).toBe(1);
  while (pages().log < 4 * FROM_PAGES) await write();
  expect(seen()).toBe(1);
  reader.exec('COMMIT');
  expect(seen()).toBe(count);
  reader.close();
  await untilBegunAnew();
});
