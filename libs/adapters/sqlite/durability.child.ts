import { writeSync } from 'node:fs';
import type { Table } from '#ports/table.ts';
import { openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { createSqliteTableStore } from './table-store.ts';

// Run under strace by durability.strace.test.ts: writes three rows, and prints the outcome of each.
const ROWS: Table = {
  name: 'rows',
  doc: '',
  partitionKey: [{ name: 'p', type: 'text' }],
  clusteringKey: [{ name: 'n', type: 'long' }],
  clock: 'once',
};
const database = openDatabase(process.argv[2]!);
const store = createSqliteTableStore({ database, commits: new GroupCommit(database), clock: { now: () => 0 } });
for (const n of [1, 2, 3]) {
  try {
    await store.insert(ROWS, [{ partition: ['p'], clustering: [n], body: new Uint8Array(500), format: 1 }]);
    writeSync(1, `acknowledged ${n}\n`);
  } catch (error) {
    writeSync(1, `failed ${n} ${error instanceof Error && 'kind' in error ? String(error.kind) : String(error)}\n`);
  }
  const settled = await store.read(ROWS, ['p'], [n], { serial: true });
  writeSync(1, `settled ${n} ${settled === null ? 'absent' : 'present'}\n`);
}
// No close: acknowledged writes must be in the WAL.
process.kill(process.pid, 'SIGKILL');
