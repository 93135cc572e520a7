import fc from 'fast-check';
import { expect, test } from 'vitest';
import { balance } from './balance.ts';

const situation = fc.record({
  before: fc.array(fc.option(fc.constantFrom('a', 'b', 'c', 'gone'), { nil: undefined }), { maxLength: 20 }),
  members: fc.subarray(['a', 'b', 'c', 'd'], { minLength: 1 }),
});

test('every partition has one owner among the members, as evenly as possible', () => {
  fc.assert(
    fc.property(situation, ({ before, members }) => {
      const after = balance(before, members);
      expect(after).toHaveLength(before.length);
      const counts = members.map((member) => after.filter((owner) => owner === member).length);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(before.length);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }),
  );
});

test('an even assignment is left unchanged', () => {
  fc.assert(
    fc.property(situation, ({ before, members }) => {
      const settled = balance(before, members);
      expect(balance(settled, members)).toEqual(settled);
    }),
  );
});

test('a new member takes only its share', () => {
  const moved = balance(['a', 'a', 'a', 'b', 'b', 'b'], ['a', 'b', 'c']);
  expect(moved.filter((owner) => owner === 'c')).toHaveLength(2);
  expect(moved.slice(0, 2)).toEqual(['a', 'a']);
  expect(moved.slice(3, 5)).toEqual(['b', 'b']);
});
