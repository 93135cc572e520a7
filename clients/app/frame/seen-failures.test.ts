import { expect, test } from 'vitest';
import { afterRetry, seenText, unseenFailures } from './seen-failures.ts';

const [EARLY, LATE] = [
  { id: 'early', at: '2026-11-23T09:00:00.000Z', variants: 2 },
  { id: 'late', at: '2026-11-23T10:00:00.000Z', variants: 1 },
];

test('what was seen is not shown again, until more of it fails', () => {
  const kept = seenText([EARLY, LATE]);
  expect(unseenFailures([EARLY, LATE], null)).toBe(3);
  expect(unseenFailures([EARLY, LATE], kept)).toBe(0);
  expect(unseenFailures([{ ...EARLY, variants: 3 }, LATE], kept)).toBe(1);
});

test('a Post is shown that was due before the failures were looked at and failed after that', () => {
  expect(unseenFailures([EARLY, LATE], seenText([LATE]))).toBe(2);
});

test('a Variant that fails again after it was retried is shown again, and those beside it are not', () => {
  const kept = afterRetry('early', seenText([EARLY, LATE]));
  expect(unseenFailures([{ ...EARLY, variants: 1 }, LATE], kept), 'while it is tried again').toBe(0);
  expect(unseenFailures([EARLY, LATE], kept), 'when it failed again').toBe(1);
  expect(unseenFailures([LATE], afterRetry('late', kept)), 'the only one of its Post').toBe(1);
});

test.each([null, '{', seenText([EARLY])])('a retry of what was not seen leaves what is kept: %s', (kept) => {
  expect(afterRetry('late', kept)).toBe(kept);
});

test.each(['1764000000000', '{', 'null', '[]'])('%s, which is no list of what was seen, hides nothing', (kept) => {
  expect(unseenFailures([LATE], kept)).toBe(1);
});
