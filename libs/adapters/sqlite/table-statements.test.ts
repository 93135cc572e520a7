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

test('a column that a later release added is made once, and the release before it reads and writes the table as ever', () => {
  const database = new DatabaseSync(':memory:');
  const row = (part: number) => ({
    partition: ['o'],
    clustering: ['i', part],
    body: new Uint8Array([part]),
    format: 1,
  });
  const stamp = { version: 0, token: '', timestamp: 1 };
  const former = new TableStatements(database, MIXED);
  expect(former.put(row(1), stamp, 'newer', 0)).toBeNull();
  const later: Table = { ...MIXED, added: [{ name: 'planted', type: 'long' }] };
  for (let start = 0; start < 2; start++)
    expect(new TableStatements(database, later).slice(['o'], { limit: 9 }, 0)).toHaveLength(1);
  expect(new TableStatements(database, later).put(row(2), stamp, 'newer', 0)).toBeNull();
  expect(new TableStatements(database, MIXED).put(row(3), stamp, 'newer', 0)).toBeNull();
  expect(former.slice(['o'], { limit: 9 }, 0).map(({ body }) => body[0])).toEqual([1, 2, 3]);
  expect(database.prepare('SELECT part, planted FROM mixed WHERE part = 2').get()).toEqual({ part: 2, planted: null });
});
