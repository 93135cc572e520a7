import { describe, expect, test } from 'vitest';
import type { BenchRow } from '../report.ts';
import { beside } from './beside.ts';

const row = (engine: BenchRow['engine'], what: string, figures: BenchRow['figures']): BenchRow => ({
  ...{ group: 'peers', what, engine, durability: '', jvm: null, rateLimit: 0, figures },
  ...{ target: null, how: '', load: 0 },
});

/** Of each line, without the one below the headings. */
function cells(rows: readonly BenchRow[], isJudged: boolean): readonly (readonly string[])[] {
  const lines = beside(rows, { isJudged }).split('\n');
  return lines.filter((_, line) => line !== 1).map((line) => line.split('|').map((cell) => cell.trim()));
}

test('contenders stand side by side in their order, whoever was done first, and what one has not is empty', () => {
  const rows = [
    row('bullmq', 'due', { 'p50 ms': 3 }),
    row('embedded', 'POST', { 'p50 ms': 1, 'p99 ms': 2 }),
    row('embedded', 'due', { 'p50 ms': 4 }),
    row('plain', 'POST', { 'p50 ms': 5, 'p99 ms': 6 }),
  ];
  expect(cells(rows, false)).toEqual([
    ['', 'figure', 'embedded', 'plain', 'bullmq', ''],
    ['', 'POST: p50 ms', '1', '5', '', ''],
    ['', 'POST: p99 ms', '2', '6', '', ''],
    ['', 'due: p50 ms', '4', '', '3', ''],
  ]);
});

describe('what the embedded figures are held to', () => {
  const one = 'POST, 1 client';
  const many = 'POST, 64 clients, 16 Workspaces';
  test.each([
    [one, 'p50 ms', 1.2, 2, '<= 0.6x of plain', 'yes'],
    [one, 'p50 ms', 1.21, 2, '<= 0.6x of plain', 'NO'],
    [one, 'p50 ms', 1.2, undefined, '<= 0.6x of plain', ''],
    [one, 'cpu ms a Post', 9, 1, '', ''],
    [many, 'per s', 2500, 1000, '>= 2.5x of plain', 'yes'],
    [many, 'per s', 2499, 1000, '>= 2.5x of plain', 'NO'],
    [many, 'cpu ms a Post', 0.36, 9, '<= 0.35', 'NO'],
    ['kill -9 amid 150 due a second, 1 Channel', '99 % of late ones s', 4.2, 2.1, '<= 2x of plain', 'yes'],
    ['kill -9 amid 6000 at one instant, 96 Channels', 'doubled', 1, 11, '<= 0', 'NO'],
    ['syncs of a lone Post', 'created, syncs a Post', 1.4, 2, '<= 1, rounded', 'yes'],
    ['syncs of a lone Post', 'created, syncs a Post', 1.5, 2, '<= 1, rounded', 'NO'],
  ])('%s, %s: %d beside %s', (what, figure, own, plain, target, met) => {
    const rows = [row('embedded', what, { [figure]: own })];
    if (plain !== undefined) rows.push(row('plain', what, { [figure]: plain }));
    expect(cells(rows, true)[1]!.slice(-3, -1)).toEqual([target, met]);
    expect(cells(rows, false)[1]!.length).toBe(cells(rows, true)[1]!.length - 2);
  });

  test('a figure that the embedded engine has not is held to nothing', () => {
    expect(cells([row('plain', one, { 'p50 ms': 1 })], true)[1]!.slice(-3, -1)).toEqual(['', '']);
  });
});
