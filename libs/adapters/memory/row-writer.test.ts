import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rowCopySuite } from '#port-suites/row-copy.ts';
import { sqliteRowSource } from '#adapters/sqlite/row-source.fixture.ts';
import { TABLES } from '#tables/declarations/tables.ts';
import { MemoryTables } from './memory-tables.ts';
import { createMemoryRowWriter } from './row-writer.ts';
import { createMemoryTableStore } from './table-store.ts';

rowCopySuite('rows of SQLite in a memory store, every declared table', TABLES, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-'));
  const now = Date.now();
  const clock = { now: () => now };
  const source = sqliteRowSource(join(folder, 'crier.db'), clock.now);
  const tables = new MemoryTables();
  return {
    ...source,
    target: createMemoryTableStore({ tables, clock }),
    writer: createMemoryRowWriter(tables),
    now: clock.now,
    close: async () => {
      await source.close();
      rmSync(folder, { recursive: true });
    },
  };
});
