import { writeSync } from 'node:fs';
import type { PortError } from '#ports/errors.ts';
import type { Table } from '#ports/table.ts';
import { openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { openSyncedDatabase } from './synced-database.ts';
import { createSqliteTableStore } from './table-store.ts';

// Run under strace by durability.strace.test.ts: writes three rows, and prints the outcome of each. The second argument
// says who syncs: the commit, or a thread.
const ROWS: Table = {
  name: 'rows',
  doc: '',
  partitionKey: [{ name: 'p', type: 'text' }],
  clusteringKey: [{ name: 'n', type: 'long' }],
  clock: 'once',
};
const [path, syncedBy] = process.argv.slice(2) as [string, string];
const byCommit = (database = openDatabase(path)) => ({ database, commits: new GroupCommit(database) });
const { database, commits } = syncedBy === 'commit' ? byCommit() : await openSyncedDatabase(path);
const store = createSqliteTableStore({ database, commits, clock: { now: () => 0 } });
for (const n of [1, 2, 3]) {
  try {
    await store.insert(ROWS, [{ partition: ['p'], clustering: [n], body: new Uint8Array(500), format: 1 }]);
    writeSync(1, `acknowledged ${n}\n`);
  } catch (error) {
    writeSync(1, `failed ${n} ${error instanceof Error && 'kind' in error ? String(error.kind) : String(error)}\n`);
  }
  const settled = await store.read(ROWS, ['p'], [n], { serial: true }).then(
    (row) => (row === null ? 'absent' : 'present'),
    (error: PortError) => error.kind,
  );
  writeSync(1, `settled ${n} ${settled}\n`);
}
// No close: acknowledged writes must be in the WAL.
process.kill(process.pid, 'SIGKILL');
