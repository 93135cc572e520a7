import type { Command, VariantsDue } from '#domain/workspace/commands.ts';

/** Variants of one Post in a step: each may end in an event that carries the whole Post. */
const VARIANTS_A_STEP = 20;

/** A command as steps, each a command small enough for a turn: coalesced ones are cut into one Post a step, so that a turn can stop between any two. */
export function stepsOf(command: Command): readonly Command[] {
  if (command.type !== 'VariantsDue') return [command];
  return command.posts.flatMap((due): VariantsDue[] => {
    const chunks: VariantsDue[] = [];
    for (let start = 0; start < due.variants.length; start += VARIANTS_A_STEP) {
      chunks.push({ ...command, posts: [{ ...due, variants: due.variants.slice(start, start + VARIANTS_A_STEP) }] });
    }
    return chunks;
  });
}
