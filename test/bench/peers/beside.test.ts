import { expect, test } from 'vitest';
import type { BenchRow } from '../report.ts';
import { beside } from './beside.ts';

const row = (engine: BenchRow['engine'], what: string, figures: BenchRow['figures']): BenchRow => ({
  ...{ group: 'peers', what, engine, durability: '', rateLimit: 0, figures },
  ...{ target: null, how: '', load: 0 },
});

test('contenders stand side by side in their order, whoever was done first, and what one has not is empty', () => {
  const rows = [
    row('bullmq', 'due', { 'p50 ms': 3 }),
    row('embedded', 'POST', { 'p50 ms': 1, 'p99 ms': 2 }),
    row('embedded', 'due', { 'p50 ms': 4 }),
    row('plain', 'POST', { 'p50 ms': 5, 'p99 ms': 6 }),
  ];
  const cells = beside(rows)
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  expect(cells.filter((_, line) => line !== 1)).toEqual([
    ['', 'figure', 'embedded', 'plain', 'bullmq', ''],
    ['', 'POST: p50 ms', '1', '5', '', ''],
    ['', 'POST: p99 ms', '2', '6', '', ''],
    ['', 'due: p50 ms', '4', '', '3', ''],
  ]);
});
