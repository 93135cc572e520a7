import { heldMs } from '#domain/publishing-holds.ts';
import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';

/** After a fault ended, what it left behind is caught up with. */
const RECOVERY_MS = 60_000;
/** For so long after a Network's bad answer it may be left alone: Retry-After, the circuit breaker, backoff. */
const LEFT_ALONE_MS = 16 * 60_000;
/** Slow calls, each up to 12 s, and what a Network takes to process. */
const LATE_MS = 60_000;
/** A Channel publishes one Variant after the other. */
const EACH_MS = 10_000;
const BACKLOG_MS = 15 * 60_000;

/**
 * While nothing is wrong, what is due is live within a minute, and told within another; so is what comes due after the
 * faults. A job that only its watchdog brings is ten minutes late.
 */
export const onTimeWhenQuiet: Check = (after) => {
  // A key stays parked until an operator looks.
  if (after.world.witness.counts.has('key-parked')) return [];
  const told = new Map(
    after.events.flatMap(({ message }) =>
      message.type === 'VariantPublished' ? [[message.variantId, message.createdAt] as const] : [],
    ),
  );
  return everyVariant(after).flatMap((each) => {
    const { post, variant } = each;
    if (variant.status !== 'published' || variant.attempt > 1 || variant.hold !== undefined) return [];
    const item = after.items.find(
      ({ network, remoteId }) => network === variant.network && remoteId === variant.remoteId,
    );
    if (item === undefined) return [];
    const dueAt = Math.max(variant.dueAt, post.createdAt);
    const toldAt = told.get(variant.id) ?? item.publishedAt;
    const lateMs = item.publishedAt - dueAt;
    const silentMs = toldAt - item.publishedAt;
    if (lateMs <= LATE_MS + EACH_MS * backlogOf(after, each) && silentMs <= LATE_MS) return [];
    if (isDisturbed(after, each, dueAt, Math.max(item.publishedAt, toldAt))) return [];
    const detail = `variant ${variant.id} went live ${lateMs} ms after it was due, and was told ${silentMs} ms later; nothing was wrong`;
    return [{ check: 'on time when quiet', detail, about: [post.id.slice(0, -2)] }];
  });
};

/** The Variants of its Channel that are due at the same time, or were shortly before. */
function backlogOf(after: Aftermath, { post, variant }: VariantOf): number {
  const { channelId, dueAt } = variant;
  const others = (after.posts.get(post.workspaceId) ?? []).flatMap(({ variants }) => variants);
  return others.filter(
    (other) => other.channelId === channelId && other.dueAt <= dueAt && other.dueAt > dueAt - BACKLOG_MS,
  ).length;
}

/** Whether a fault, or what it leaves behind, lies between the instants. */
function isDisturbed({ world }: Aftermath, { post, variant }: VariantOf, from: number, until: number): boolean {
  const { disturbances, answers, holds } = world.witness;
  const { network } = variant;
  const isThen = (each: { readonly from: number; readonly until: number | null }, marginMs: number): boolean =>
    each.from <= until && (each.until === null || each.until + marginMs >= from);
  return (
    // While time is skipped nothing runs, and afterwards everything does.
    disturbances.some((each) => isThen(each, each.what === 'leap' ? 0 : RECOVERY_MS)) ||
    holds.some((hold) => isThen(hold, RECOVERY_MS)) ||
    heldMs(holds, { network, workspaceId: post.workspaceId }, { from, to: until }) > 0 ||
    answers.some(
      (answer) => answer.network === network && answer.isBad && answer.at >= from - LEFT_ALONE_MS && answer.at <= until,
    )
  );
}
