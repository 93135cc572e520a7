import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { closeDatabase, openDatabase } from '#adapters/sqlite/database.ts';
import { GroupCommit } from '#adapters/sqlite/group-commit.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import { credentialClaims } from './credential-claims.fixture.ts';

credentialClaims('memory', async () => {
  const tables = new MemoryTables();
  return { stores: [createMemoryTableStore({ tables }), createMemoryTableStore({ tables })], close: async () => {} };
});

credentialClaims('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  const database = openDatabase(join(folder, 'tables.sqlite'));
  const commits = new GroupCommit(database);
  const store = createSqliteTableStore({ database, commits, clock: { now: () => 0 } });
  const close = async () => {
    await store.close();
    await commits.close();
    closeDatabase(database);
    rmSync(folder, { recursive: true });
  };
  return { stores: [store, store], close };
});
