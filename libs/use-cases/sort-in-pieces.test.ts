import { expect, test } from 'vitest';
import { sortInPieces } from './sort-in-pieces.ts';

test.each([0, 1, 499, 500, 501, 1_500, 20_000])('%i items are in order, equal ones as they were', async (count) => {
  let pauses = 0;
  const items = Array.from({ length: count }, (_, index) => ({ key: (index * 7_919) % 1_000, index }));
  const sorted = await sortInPieces(
    items,
    (one, other) => one.key - other.key,
    () => void pauses++,
  );
  expect(sorted).toEqual(items.toSorted((one, other) => one.key - other.key));
  expect(pauses).toBeGreaterThanOrEqual(count / 500);
});
