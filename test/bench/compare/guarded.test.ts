import { describe, expect, test } from 'vitest';
import type { BenchRow } from '../report.ts';
import { compared } from './guarded.ts';

const row = (group: string, figures: Readonly<Record<string, number>>): BenchRow => ({
  ...{ group, what: `the row of ${group}`, engine: 'embedded', durability: 'FULL', jvm: null, rateLimit: 0 },
  ...{ figures, target: null, how: '', load: 0 },
});

describe('a figure that fell by more than 15 %', () => {
  test.each([
    ['post', 'p50 ms', [2, 2, 2], [2.32, 2.32, 2.32], true],
    ['post', 'p50 ms', [2, 2, 2], [2.28, 2.28, 2.28], false],
    ['post', 'per s', [1000, 1000, 1000], [860, 860, 860], true],
    ['post', 'per s', [1000, 1000, 1000], [880, 880, 880], false],
    ['post', 'per s', [1000, 1000, 1000], [2000, 2000, 2000], false],
    ['instant', 'last live s', [10, 10, 10], [5, 5, 5], false],
  ] as const)('%s, %s: of %j and %j', (group, figure, before, after, fell) => {
    const runs = (values: readonly number[]) => values.map((value) => [row(group, { [figure]: value })]);
    expect(compared(runs(before), runs(after)).map((each) => each.fell)).toEqual([fell]);
  });

  test('one slow run of three is no fall', () => {
    const runs = (values: readonly number[]) => values.map((value) => [row('post', { 'cpu ms': value })]);
    const [figure] = compared(runs([0.6, 0.6, 0.6]), runs([0.6, 3, 0.6]));
    expect(figure).toMatchObject({ before: 0.6, after: 0.6, fell: false });
  });
});

test('rows without guarded figures, and figures that a side has not made, are not compared', () => {
  const figures = compared(
    [[row('floor', { 'p50 ms': 1 }), row('post', { 'p50 ms': 1 })]],
    [[row('floor', { 'p50 ms': 9 }), row('post', { 'p50 ms': 1, 'cpu ms': 9 })]],
  );
  expect(figures.map(({ row: name, figure }) => `${name}: ${figure}`)).toEqual(['embedded, the row of post: p50 ms']);
});
