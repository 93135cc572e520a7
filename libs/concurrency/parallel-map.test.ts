import { expect, test } from 'vitest';
import { parallelMap } from './parallel-map.ts';

test('every item is worked on once, in order, and never more of them at once than allowed', async () => {
  const begun: number[] = [];
  let [running, most] = [0, 0];
  await parallelMap(3, Array(20).keys(), async (item) => {
    begun.push(item);
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  });
  expect([begun, most]).toEqual([[...Array(20).keys()], 3]);
});

test('the first failure is the answer, and nothing begins after it', async () => {
  const begun: number[] = [];
  const all = parallelMap(2, Array(20).keys(), async (item) => {
    begun.push(item);
    await new Promise(setImmediate);
    if (item === 3) throw new Error('three');
  });
  await expect(all).rejects.toThrow('three');
  await new Promise(setImmediate);
  expect(begun.length).toBeLessThanOrEqual(5);
});

test('fewer items than may be worked on at once is no fault', async () => {
  const begun: number[] = [];
  await parallelMap(8, [1], async (item) => void begun.push(item));
  expect(begun).toEqual([1]);
});
