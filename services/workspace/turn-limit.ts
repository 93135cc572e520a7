import type { PortError } from '#ports/errors.ts';

/** What the turns before this one, over the same commands, showed of what fits. */
export interface TurnLimit {
  readonly maxSteps: number;
  /** Set when the store refuses the first step even alone: why. */
  readonly refusal: string | null;
  /** So many steps were too many a few turns ago; null: as far as is remembered, none were. */
  readonly tooMany: { readonly steps: number; readonly forTurns: number } | null;
}

export const NO_LIMIT: TurnLimit = { maxSteps: Infinity, refusal: null, tooMany: null };

/**
 * For so many turns, none of as many steps is tried: where every step is large, most tries would be refused. Not for
 * longer: where one was large, the others go through in few turns.
 */
const REMEMBERED_TURNS = 16;

/**
 * After the store refused a turn of so many steps: with half of them, then with a single step, then with that step
 * refused. Rethrows when even that turn is not taken.
 */
export function limitAfterRefusal(error: PortError, handled: number, before: TurnLimit): TurnLimit {
  if (before.refusal !== null) throw error;
  // It was this step that was too large for any turn, and not their number.
  if (handled === 1) return { maxSteps: 1, refusal: error.message, tooMany: null };
  return {
    maxSteps: Math.ceil(handled / 2),
    refusal: null,
    tooMany: { steps: handled, forTurns: REMEMBERED_TURNS },
  };
}

/** After a turn of so many steps was taken, or changed nothing; `isCut`: of those that were there, it had not all. */
export function limitAfterTurn({ handled, isCut }: { handled: number; isCut: boolean }, before: TurnLimit): TurnLimit {
  const tooMany =
    before.tooMany === null || before.tooMany.forTurns === 1
      ? null
      : { ...before.tooMany, forTurns: before.tooMany.forTurns - 1 };
  const twice = isCut ? 2 * handled : Infinity;
  return { maxSteps: Math.max(1, Math.min(twice, (tooMany?.steps ?? Infinity) - 1)), refusal: null, tooMany };
}
