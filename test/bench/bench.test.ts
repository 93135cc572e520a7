import { expect, test } from 'vitest';
import { benchFlags, GROUPS, type Group } from './flags.ts';
import { table, type BenchRow } from './report.ts';
import { runBench } from './run.ts';

/** Groups that the embedded engine has not. */
const ON_A_CLUSTER: readonly Group[] = ['durable', 'flushed', 'restore'];

test('every row of the embedded benchmark can be made, with a figure in each place', { timeout: 900_000 }, async () => {
  const rows: BenchRow[] = [];
  await runBench(
    { ...benchFlags(['--smoke', '--engine=embedded']), only: GROUPS },
    { row: (row) => rows.push(row), say: () => {} },
  );
  expect(new Set(rows.map(({ group }) => group))).toEqual(
    new Set(GROUPS.filter((group) => !ON_A_CLUSTER.includes(group))),
  );
  for (const { what, figures } of rows) {
    expect(
      Object.entries(figures).filter(([, value]) => !Number.isFinite(value)),
      what,
    ).toEqual([]);
  }
  expect(table(rows).split('\n')).toHaveLength(rows.length + 2);
});
