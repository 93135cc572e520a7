import { describe, expect, it } from 'vitest';

import type { Table } from '#ports/table.ts';
import { sliceRanges } from './slice-ranges.ts';

const table: Table = {
  name: 't',
  doc: '',
  partitionKey: [{ name: 'p', type: 'text' }],
  clusteringKey: [
    { name: 'a', type: 'text', order: 'desc' },
    { name: 'b', type: 'long' },
    { name: 'c', type: 'long' },
  ],
  clock: 'turn',
};

const texts = (options: Parameters<typeof sliceRanges>[1]) =>
  sliceRanges(table, options).map((range) => range.conditions.join(' AND '));

describe('the statements of a slice', () => {
  it('is one statement when its bounds go in one direction', () => {
    expect(texts({ limit: 1 })).toEqual(['']);
    expect(texts({ after: ['x'], limit: 1 })).toEqual(['("a") < (?)']);
    expect(texts({ prefix: ['x'], from: [1, 2], until: [3], limit: 1 })).toEqual([
      '"a" = ? AND ("b", "c") >= (?, ?) AND ("b") < (?)',
    ]);
  });

  it('are one statement per column when its bounds go in both directions', () => {
    expect(texts({ after: ['x', 1], limit: 1 })).toEqual(['"a" = ? AND ("b") > (?)', '("a") < (?)']);
    expect(texts({ from: ['x', 1, 2], until: ['d'], limit: 1 })).toEqual([
      '"a" = ? AND ("b", "c") >= (?, ?)',
      '("a") < (?) AND ("a") > (?)',
    ]);
    expect(texts({ until: ['d', 5], limit: 1 })).toEqual(['("a") > (?)', '"a" = ? AND ("b") < (?)']);
  });

  it('is no statement when the range ends before it starts', () => {
    expect(texts({ from: ['c', 1], until: ['d', 1], limit: 1 })).toEqual([]);
    expect(texts({ after: ['c', 1], until: ['c'], limit: 1 })).toEqual([]);
  });
});
