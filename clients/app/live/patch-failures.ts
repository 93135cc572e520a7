import type { AppServer } from '../server/router-type.ts';
import type { CardPatch } from '../pages/calendar/cards/patch-cards.ts';

type FailedPost = Awaited<ReturnType<AppServer['posts']['failures']['query']>>[number];

/**
 * What failed, with what these Posts are now. To ask the server again would have it look through a week for each
 * change, and a Network that is away fails hundreds of Posts a minute.
 */
export function patchFailures(
  failures: readonly FailedPost[],
  { from, to, changed, cards }: CardPatch,
): readonly FailedPost[] {
  const now = cards.flatMap(({ id, at, variants }): readonly FailedPost[] => {
    const failed = variants.filter(({ status }) => status === 'failed').length;
    return failed > 0 && at >= from && at < to ? [{ id, at, variants: failed }] : [];
  });
  const kept = failures.filter(({ id }) => !changed.has(id));
  return now.length === 0 && kept.length === failures.length ? failures : [...kept, ...now];
}
