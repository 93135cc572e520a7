import { expect, test } from 'vitest';
import { RecordAges } from './record-ages.ts';

test('the age of a record is known to a second, however many were taken', () => {
  const ages = new RecordAges();
  for (let offset = 0; offset < 10_000; offset++) ages.take(offset, 5_000 + offset);
  for (const offset of [0, 999, 1_000, 4_321, 9_999]) {
    const at = ages.writtenAt(offset)!;
    expect(at).toBeLessThanOrEqual(5_000 + offset);
    expect(at).toBeGreaterThan(5_000 + offset - 1_000);
  }
  ages.clear();
  expect(ages.writtenAt(9_999)).toBe(null);
  ages.take(20_000, 60_000);
  expect(ages.writtenAt(20_000)).toBe(60_000);
});
