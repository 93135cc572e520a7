import type { Blocker } from '#domain/workspace/results.ts';

/** What keeps a draft from one Network, in words for a person. */
export type LimitProblem = Omit<Blocker, 'channelId'>;

/** Something in the draft must change. */
export function problem(message: string): LimitProblem {
  return { code: 'problem', message };
}

/** Something is missing that may still come. */
export function incomplete(message: string): LimitProblem {
  return { code: 'incomplete', message };
}

/** `message` where there is more than the Network takes. */
export function tooMuch(count: number, most: number, message: string): readonly LimitProblem[] {
  return count > most ? [problem(message)] : [];
}
