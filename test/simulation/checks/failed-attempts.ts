import type { FailureReason, Variant } from '#domain/post/post.ts';
import { outcomeIdOf } from '#domain/workspace/events.ts';
import { everyVariant, type Aftermath, type VariantOf } from '../aftermath.ts';

/** An attempt whose failure was reported. */
export interface FailedAttempt extends VariantOf {
  readonly attempt: number;
  readonly reason: FailureReason;
  /** When the outcome of the attempt before it was committed; 0: it is the first one. */
  readonly since: number;
  readonly at: number;
  /** When the attempt was due; null: it is neither the first nor the last one, and nothing says so. */
  readonly dueAt: number | null;
}

/** Each once, however often its event stands in the log. */
export function failedAttempts(after: Aftermath): readonly FailedAttempt[] {
  const told = new Map<string, { readonly at: number; readonly reason: FailureReason }>();
  for (const { message } of after.events) {
    if (message.type !== 'VariantFailed') continue;
    // Its siblings stand in the body, too.
    const { failureReason } = (JSON.parse(message.body) as { data: { variant: Variant } }).data.variant;
    if (failureReason !== null) told.set(message.eventId, { at: message.createdAt, reason: failureReason });
  }
  return everyVariant(after).flatMap(({ post, variant }) => {
    const failed: FailedAttempt[] = [];
    let since = 0;
    for (let attempt = 1; attempt <= variant.attempt; attempt++) {
      const outcome = told.get(outcomeIdOf({ ...variant, attempt }, 'variant.failed'));
      if (outcome === undefined) continue;
      const first = attempt === 1 ? (variant.scheduledAt ?? post.createdAt) : null;
      const dueAt = attempt === variant.attempt ? variant.dueAt : first;
      failed.push({ post, variant, attempt, since, dueAt, ...outcome });
      since = outcome.at;
    }
    return failed;
  });
}
