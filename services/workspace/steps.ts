import type { Command, VariantsDue } from '#domain/workspace/commands.ts';

/** A command, or a piece of one that is small enough for a turn. */
export interface Step {
  readonly command: Command;
  /** A report of our own service is done when all its steps are; only an asked command has an answer. */
  readonly last: boolean;
}

/** Variants of one Post in a step: each may end in an event that carries the whole Post. */
const VARIANTS_A_STEP = 20;

/** Cuts coalesced commands into one Post a step, so that a turn can stop between any two. */
export function stepsOf(command: Command): Step[] {
  if (command.type !== 'VariantsDue') return [{ command, last: true }];
  const pieces = command.posts.flatMap((due): VariantsDue[] => {
    const chunks: VariantsDue[] = [];
    for (let start = 0; start < due.variants.length; start += VARIANTS_A_STEP) {
      chunks.push({ ...command, posts: [{ ...due, variants: due.variants.slice(start, start + VARIANTS_A_STEP) }] });
    }
    return chunks;
  });
  return pieces.map((piece, index) => ({ command: piece, last: index === pieces.length - 1 }));
}
