import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFAULT_RETENTION_DAYS } from '#ports/log-admin.ts';
import { TABLES } from '#tables/declarations/tables.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { graceSecondsOf } from './cassandra/schema.ts';

const PAGE = readFileSync(new URL('../../docs/engine-care.md', import.meta.url), 'utf8');
const rows = PAGE.split('\n').filter((line) => line.startsWith('| '));

test('the page for operators of Cassandra names each table that expires, once, with the grace that it has', () => {
  const graces = new Map(
    rows.flatMap((line) => {
      const [, tables = '', grace = ''] = line.split('|');
      const seconds = Number(/^ ([\d,]+)/.exec(grace)?.[1]?.replaceAll(',', '') ?? 0);
      return seconds === 0 ? [] : [...tables.matchAll(/`(\w+)`/g)].map(([, table]) => [table!, seconds] as const);
    }),
  );
  for (const table of TABLES)
    if (table.expires === true || graces.has(table.name))
      expect([table.name, graces.get(table.name)]).toEqual([table.name, graceSecondsOf(table)]);
  expect([...graces.keys()].filter((name) => !TABLES.some((table) => table.name === name))).toEqual([]);
});

test('the page for operators of Kafka has how long each topic is kept', () => {
  const kept = (name: string): number =>
    Number(new RegExp(`^\\| ${name.replaceAll('.', '\\.')} \\| (\\d+) days \\|$`, 'm').exec(PAGE)?.[1] ?? Number.NaN);
  for (const { name, retentionDays = DEFAULT_RETENTION_DAYS } of TOPICS)
    if (retentionDays !== DEFAULT_RETENTION_DAYS) expect([name, kept(name)]).toEqual([name, retentionDays]);
  expect(kept('all others')).toBe(DEFAULT_RETENTION_DAYS);
});
