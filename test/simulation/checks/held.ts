import type { Variant } from '#domain/post/post.ts';
import { covers } from '#domain/publishing-holds.ts';
import { outcomeIdOf } from '#domain/workspace/events.ts';
import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import { everyVariant, type Aftermath, type Check } from '../aftermath.ts';
import { MISSED_WINDOW_MS } from '../world.ts';
import { clockDelayMs } from './clock-delay.ts';
import { heldFor } from './held-time.ts';

/** What is on its way by then may arrive. */
const IN_FORCE_MS = 2_000;

/** Two seconds after a hold was acknowledged no process makes a call that publishes anything in its scope. */
export const nothingIsSentWhileHeld: Check = (after) => {
  const { sends, holds } = after.world.witness;
  const workspaceOf = workspacesByAccount(after);
  return sends.flatMap(({ network, accountId, by, at }) => {
    const workspaceId = workspaceOf.get(`${network} ${accountId}`) ?? '';
    const broken = holds.find(
      (hold) =>
        covers(hold, { network, workspaceId }) &&
        at > hold.from + IN_FORCE_MS &&
        (hold.until === null || at < hold.until),
    );
    if (broken === undefined) return [];
    const lateMs = at - broken.from;
    const detail = `${by} published for account ${accountId} of ${network}, ${lateMs} ms after that was held`;
    return [{ check: 'nothing is sent while held', detail, about: [workspaceId, accountId] }];
  });
};

/** A Variant is missed only when its window was over without the time in which it was held. */
export const heldIsNotMissed: Check = (after) => {
  const variants = new Map(everyVariant(after).map((found) => [found.variant.id, found]));
  return after.events.flatMap(({ message }) => {
    if (message.type !== 'VariantFailed') return [];
    const found = variants.get(message.variantId);
    // Its siblings stand in the body, too.
    const { failureReason } = (JSON.parse(message.body) as { data: { variant: Variant } }).data.variant;
    if (found === undefined || failureReason !== 'missed_window') return [];
    const { variant, post } = found;
    // Of the attempts between the first and the last one, it is not known when they were due.
    const isOf = (attempt: number): boolean =>
      message.eventId === outcomeIdOf({ ...variant, attempt }, 'variant.failed');
    if (!isOf(1) && !isOf(variant.attempt)) return [];
    const dueAt = isOf(variant.attempt) ? variant.dueAt : (variant.scheduledAt ?? post.createdAt);
    const openMs = message.createdAt - dueAt - heldFor(after, found, dueAt, message.createdAt);
    if (openMs > MISSED_WINDOW_MS - 4 * CLOCK_SKEW_MS - clockDelayMs(after)) return [];
    const detail = `variant ${variant.id} was missed ${openMs} ms after it was due, without the time of its holds`;
    return [{ check: 'held is not missed', detail, about: [post.id.slice(0, -2)] }];
  });
};

function workspacesByAccount({ heads }: Aftermath): ReadonlyMap<string, string> {
  return new Map(
    [...heads].flatMap(([id, { state }]) =>
      Object.values(state.channels).map(({ network, accountId }) => [`${network} ${accountId}`, id] as const),
    ),
  );
}
