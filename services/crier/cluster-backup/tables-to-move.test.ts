import { expect, test } from 'vitest';
import { DEAD_LETTER_VALUES, PARKED, TABLES } from '#tables/declarations/tables.ts';
import { besideNewLog, EMPTY_TABLES, MOVED_TABLES } from './tables-to-move.ts';

test('every table is moved to a cluster, but for those that are of the place or of its processes', () => {
  const left = TABLES.filter((table) => !MOVED_TABLES.includes(table)).map(({ name }) => name);
  expect(left).toEqual(['shards', 'handling', 'processes', 'installation', 'avro_schemas'].toSorted(byDeclaration));
});

test('a keyspace in which a table has rows is not empty, but for what a migration and a process leave', () => {
  const left = TABLES.filter((table) => !EMPTY_TABLES.includes(table)).map(({ name }) => name);
  expect(left).toEqual(['shards', 'processes', 'installation', 'avro_schemas'].toSorted(byDeclaration));
});

test('records that rows hold carry the ids of the schemas there', () => {
  const row = { partition: ['p', 'k'], clustering: ['e', 1], body: Buffer.from([1, 2]), format: 1 } as never;
  const translate = (value: Uint8Array): Uint8Array => value.toReversed();
  for (const table of [DEAD_LETTER_VALUES, PARKED])
    expect([...besideNewLog(table, row, translate).body], table.name).toEqual([2, 1]);
});

test('no table has columns beside the body: RowCopy would leave them behind', () => {
  expect(TABLES.filter(({ added = [] }) => added.length > 0)).toEqual([]);
});

function byDeclaration(a: string, b: string): number {
  const place = (name: string): number => TABLES.findIndex((table) => table.name === name);
  return place(a) - place(b);
}
