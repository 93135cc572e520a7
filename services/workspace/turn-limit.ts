import type { PortError } from '#ports/errors.ts';

/** What the turns before this one, over the same commands, showed of what fits. */
export interface TurnLimit {
  readonly maxSteps: number;
  /** Set when the store refuses the first step even alone: why. */
  readonly refusal: string | null;
}

export const NO_LIMIT: TurnLimit = { maxSteps: Infinity, refusal: null };

/**
 * After the store refused a turn of so many steps: with half of them, then with a single step, then with that step
 * refused. Rethrows when even that turn is not taken.
 */
export function limitAfter(error: PortError, handled: number, before: TurnLimit): TurnLimit {
  if (before.refusal !== null) throw error;
  return handled > 1 ? { maxSteps: Math.ceil(handled / 2), refusal: null } : { maxSteps: 1, refusal: error.message };
}
