import type { DuePost, VariantsDue } from './commands.ts';
import { MAX_STEP_VARIANTS } from './step-bounds.ts';

export interface DueStep {
  readonly posts: readonly DuePost[];
  readonly rest: VariantsDue | null;
}

/** Cuts the command where its step is full, in the middle of a Post if necessary. */
export function dueStepOf(command: VariantsDue): DueStep {
  const taken: DuePost[] = [];
  let room = MAX_STEP_VARIANTS;
  for (const [index, due] of command.posts.entries()) {
    if (due.variants.length > room) {
      const left = [{ ...due, variants: due.variants.slice(room) }, ...command.posts.slice(index + 1)];
      if (room > 0) taken.push({ ...due, variants: due.variants.slice(0, room) });
      return { posts: taken, rest: { ...command, posts: left } };
    }
    taken.push(due);
    room -= due.variants.length;
  }
  return { posts: taken, rest: null };
}
