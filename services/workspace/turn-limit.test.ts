import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { limitAfterRefusal, limitAfterTurn, NO_LIMIT } from './turn-limit.ts';

/** How often the store took and refused a turn until it had taken all of `steps` that fit, by their sizes. */
function handle(steps: readonly number[], room: number): { readonly taken: number; readonly refused: number } {
  let [left, limit, taken, refused] = [steps, NO_LIMIT, 0, 0];
  while (left.length > 0) {
    const tried = left.slice(0, limit.maxSteps);
    // A step that is refused itself is answered so, which fits.
    const fits = limit.refusal !== null || tried.reduce((sum, size) => sum + size, 0) <= room;
    if (fits) {
      taken += 1;
      left = left.slice(limit.refusal !== null ? 1 : tried.length);
      const handled = limit.refusal !== null ? 1 : tried.length;
      limit = limitAfterTurn({ handled, isCut: left.length > 0 }, limit);
    } else {
      refused += 1;
      limit = limitAfterRefusal(new PortError('refused', 'too large'), tried.length, limit);
    }
  }
  return { taken, refused };
}

const small = (count: number): readonly number[] => Array<number>(count).fill(1);

test.each([
  ['2 at a time', small(128), 2, { taken: 64, refused: 16 }],
  ['7 at a time', small(128), 7, { taken: 22, refused: 12 }],
  ['all at once', small(128), 128, { taken: 1, refused: 0 }],
  ['one that never fits, in the middle', [...small(63), 1_000, ...small(64)], 500, { taken: 13, refused: 13 }],
])('of 128 steps, %s: turns are refused rarely', (_, steps, room, most) => {
  const { taken, refused } = handle(steps, room);
  const isFew = taken <= most.taken && refused <= most.refused;
  expect({ taken, refused, isFew }).toEqual({ taken, refused, isFew: true });
});

test('a turn that is refused with its only step refused has no way out', () => {
  const alone = limitAfterRefusal(new PortError('refused', 'too large'), 1, NO_LIMIT);
  expect(() => limitAfterRefusal(new PortError('refused', 'still too large'), 1, alone)).toThrow('still too large');
});
