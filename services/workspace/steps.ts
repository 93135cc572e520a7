import type { VariantsDue } from '#domain/workspace/commands.ts';
import type { TurnStep } from '#domain/workspace/turn-step.ts';
import { MAX_STEP_FAILURES, MAX_STEP_VARIANTS_OF_POST } from '#domain/workspace/step-bounds.ts';

/**
 * A command as steps, each a command small enough for a turn: coalesced ones are cut into one Post a step, so that a
 * turn can stop between any two.
 */
export function stepsOf(command: TurnStep): readonly TurnStep[] {
  if (command.type === 'MediaFailed')
    return pieces(command.variants, MAX_STEP_FAILURES).map((variants) => ({ ...command, variants }));
  if (command.type !== 'VariantsDue') return [command];
  return command.posts.flatMap((due): VariantsDue[] =>
    pieces(due.variants, MAX_STEP_VARIANTS_OF_POST).map((variants) => ({ ...command, posts: [{ ...due, variants }] })),
  );
}

/** A step as two smaller ones with the same effects; null: it can't be cut. */
export function halvesOf(step: TurnStep): readonly [TurnStep, TurnStep] | null {
  if (step.type === 'RemovePosts') {
    const halves = halved(step.postIds);
    return (
      halves && [
        { ...step, postIds: halves[0] },
        { ...step, postIds: halves[1] },
      ]
    );
  }
  if (step.type === 'MediaFailed' || step.type === 'MediaPrepared') {
    const halves = halved(step.variants);
    return (
      halves && [
        { ...step, variants: halves[0] },
        { ...step, variants: halves[1] },
      ]
    );
  }
  const [due, ...others] = step.type === 'VariantsDue' ? step.posts : [];
  if (step.type !== 'VariantsDue' || due === undefined || others.length > 0) return null;
  const halves = halved(due.variants);
  return (
    halves && [
      { ...step, posts: [{ ...due, variants: halves[0] }] },
      { ...step, posts: [{ ...due, variants: halves[1] }] },
    ]
  );
}

function halved<T>(all: readonly T[]): readonly [readonly T[], readonly T[]] | null {
  const middle = Math.ceil(all.length / 2);
  return all.length < 2 ? null : [all.slice(0, middle), all.slice(middle)];
}

function pieces<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
