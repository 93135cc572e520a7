import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { SliceOptions, Table } from '#ports/table.ts';
import { TABLES } from '#tables/declarations/tables.ts';
import { sliceStatement } from './slice-statement.ts';
import { TableStatements } from './table-statements.ts';

const MIXED: Table = {
  name: 'mixed',
  doc: '',
  partitionKey: [{ name: 'owner', type: 'text' }],
  clusteringKey: [
    { name: 'id', type: 'text', order: 'desc' },
    { name: 'part', type: 'long' },
  ],
  clock: 'turn',
};

test.each<[string, Omit<SliceOptions, 'limit'>, string]>([
  ['a whole partition', {}, 'owner=?'],
  ['a prefix', { prefix: ['x'] }, 'owner=? AND id=?'],
  ['a range inside a prefix', { prefix: ['x'], from: [1], until: [9] }, 'owner=? AND id=? AND part>? AND part<?'],
  ['after a row, directions mixed', { after: ['x', 1] }, 'owner=? AND id<?'],
  ['from a row until another, directions mixed', { from: ['x', 1], until: ['a', 1] }, 'owner=? AND id>? AND id<?'],
])('%s is a seek in the primary key, already in order', (_, options, seek) => {
  const database = new DatabaseSync(':memory:');
  const statements = new TableStatements(database, MIXED);
  const sql = statements.sliceSql(sliceStatement(MIXED, { ...options, limit: 10 }).where);
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  expect(plan.map((step) => step['detail'])).toEqual([`SEARCH mixed USING INDEX sqlite_autoindex_mixed_1 (${seek})`]);
});

test.each(TABLES.map((table) => [table.name, table] as const))('table %s can be made, twice', (_, table) => {
  const database = new DatabaseSync(':memory:');
  const partition = table.partitionKey.map((column) => (column.type === 'text' ? 'a' : 1));
  expect(new TableStatements(database, table).slice(partition, { limit: 1 }, 0)).toEqual([]);
  expect(new TableStatements(database, table).slice(partition, { limit: 1 }, 0)).toEqual([]);
});
