import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OffsetTracker } from './offset-tracker.ts';

const ascendingOffsets = fc
  .uniqueArray(fc.nat(10_000), { minLength: 1, maxLength: 60 })
  .map((offsets) => offsets.toSorted((a, b) => a - b));

describe('OffsetTracker', () => {
  test('acknowledges exactly the longest finished beginning, whatever the order of completion', () => {
    const offsetsAndOrder = ascendingOffsets.chain((offsets) =>
      fc.record({ offsets: fc.constant(offsets), order: fc.shuffledSubarray(offsets, { minLength: 0 }) }),
    );
    fc.assert(
      fc.property(offsetsAndOrder, ({ offsets, order }) => {
        const tracker = new OffsetTracker(offsets.length);
        for (const offset of offsets) tracker.begin(offset);
        const finished = new Set<number>();
        let acknowledged: number | null = null;
        for (const offset of order) {
          finished.add(offset);
          const moved = tracker.done(offset);
          const firstOpen = offsets.findIndex((each) => !finished.has(each));
          const beginning = firstOpen === -1 ? offsets : offsets.slice(0, firstOpen);
          const expected: number | null = beginning.at(-1) ?? null;
          expect(moved).toBe(expected === acknowledged ? null : expected);
          acknowledged = expected;
          expect(tracker.size).toBe(offsets.length - beginning.length);
        }
      }),
    );
  });

  test('completing an offset twice, or begun again, moves nothing', () => {
    const tracker = new OffsetTracker(10);
    expect(tracker.begin(3)).toBe(true);
    expect(tracker.begin(7)).toBe(true);
    expect(tracker.done(3)).toBe(3);
    expect(tracker.begin(3)).toBe(false);
    expect(tracker.begin(7)).toBe(false);
    expect(tracker.done(3)).toBeNull();
    expect(tracker.done(7)).toBe(7);
    expect(tracker.size).toBe(0);
  });

  test('never holds more than its limit', () => {
    const tracker = new OffsetTracker(2);
    tracker.begin(0);
    tracker.begin(1);
    expect(tracker.full).toBe(true);
    expect(() => tracker.begin(2)).toThrow('paused');
    tracker.done(0);
    expect(tracker.begin(2)).toBe(true);
  });

  test.each([-1, 0.5, Number.NaN, 2 ** 53])('%s is no offset', (offset) => {
    expect(() => new OffsetTracker(1).begin(offset)).toThrow(RangeError);
  });

  test('an offset that was never begun cannot be done', () => {
    expect(() => new OffsetTracker(1).done(5)).toThrow('never begun');
  });
});
