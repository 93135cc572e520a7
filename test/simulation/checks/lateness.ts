import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';
import { MAX_BEHIND_MS } from '../faults.ts';
import { clockDelayMs } from './clock-delay.ts';
import { callsOf } from './failures-have-causes.ts';
import { preparedAt } from './prepared-at.ts';
import { heldFor } from './held-time.ts';

/** After a fault ended, what it left behind is caught up with. */
const RECOVERY_MS = 60_000;
/** For so long after a Network's bad answer it may be left alone: Retry-After, the circuit breaker, backoff. */
const LEFT_ALONE_MS = 16 * 60_000;
/** Slow calls, each up to 12 s, and what a Network takes to process. */
const LATE_MS = 60_000;
/** A Channel publishes one Variant after the other. */
const EACH_MS = 10_000;
const BACKLOG_MS = 15 * 60_000;
/** Of a command that waits behind others of its Workspace, and what each of those takes in turns of a few. */
const WAITING_MS = 5 * 60_000;
const A_FEW_MS = 1_000;

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
  const readyAt = preparedAt(after);
  return everyVariant(after).flatMap((each) => {
    const { post, variant } = each;
    if (variant.status !== 'published' || variant.attempt > 1 || variant.hold !== undefined) return [];
    // What the log lost is looked for a quarter of an hour later.
    if (isLost(after, each)) return [];
    const item = after.items.find(
      ({ network, remoteId }) => network === variant.network && remoteId === variant.remoteId,
    );
    if (item === undefined) return [];
    const dueAt = Math.max(variant.dueAt, post.createdAt, readyAt(each));
    const toldAt = told.get(variant.id) ?? item.publishedAt;
    const lateMs = item.publishedAt - dueAt;
    const silentMs = toldAt - item.publishedAt;
    // What happens after it was to be there excuses nothing.
    const backlog = backlogOf(after, each, gaveItsTurnAway(after, each) ? item.publishedAt : dueAt);
    const liveBy =
      dueAt +
      LATE_MS +
      EACH_MS * backlog +
      behindMs(after, dueAt) +
      clockDelayMs(after) +
      fewAtATimeMs(after, post, dueAt);
    const isLate = item.publishedAt > liveBy && !isDisturbed(after, each, dueAt, liveBy);
    const isSilent = silentMs > LATE_MS && !isDisturbed(after, each, dueAt, item.publishedAt + LATE_MS);
    if (!isLate && !isSilent) return [];
    const detail = `variant ${variant.id} went live ${lateMs} ms after it was due, and was reported ${silentMs} ms later; nothing was wrong`;
    return [{ check: 'on time when quiet', detail, about: [post.id.slice(0, -2)] }];
  });
};

function isLost({ world }: Aftermath, { post, variant }: VariantOf): boolean {
  return world.witness.hasLost(post.id) || world.witness.hasLost(variant.id);
}

/** The Variants of its Channel that were due by `until`, from a while before it on. */
function backlogOf(after: Aftermath, { post, variant }: VariantOf, until: number): number {
  const { channelId, dueAt } = variant;
  const others = (after.posts.get(post.workspaceId) ?? []).flatMap(({ variants }) => variants);
  return others.filter(
    (other) => other.channelId === channelId && other.dueAt <= until && other.dueAt > dueAt - BACKLOG_MS,
  ).length;
}

/** Its container was not ready at once: it does not hold the next ones of its Channel, and goes on behind them. */
function gaveItsTurnAway(after: Aftermath, each: VariantOf): boolean {
  return callsOf(after, each).filter(({ kind }) => kind === 'prepare').length > 1;
}

/** A store that refuses turns for their size takes the commands of a Workspace a few at a time, for all before it. */
function fewAtATimeMs({ world, commands }: Aftermath, { workspaceId }: VariantOf['post'], dueAt: number): number {
  if (!world.witness.counts.has('the store refuses a turn for its size')) return 0;
  const before = commands.filter(
    ({ message }) =>
      'issuedAt' in message &&
      message.workspaceId === workspaceId &&
      message.issuedAt > dueAt - WAITING_MS &&
      message.issuedAt < dueAt + LATE_MS,
  );
  return before.length * A_FEW_MS;
}

/** A scheduler whose clock is behind fires by so much later; one that is ahead is late by nothing. */
function behindMs({ world }: Aftermath, dueAt: number): number {
  const isBehind = world.witness.disturbances.some(
    ({ what, from, until }) => isClock(what) && from <= dueAt && (until === null || until + RECOVERY_MS >= dueAt),
  );
  return isBehind ? MAX_BEHIND_MS : 0;
}

function isClock(what: string): boolean {
  return what === 'step-clock' || what === 'leap-scheduler';
}

/** Whether a fault, or what it leaves behind, lies between the instants. */
function isDisturbed(after: Aftermath, each: VariantOf, from: number, until: number): boolean {
  const { disturbances, answers, holds } = after.world.witness;
  const { network } = each.variant;
  const isThen = (fault: { readonly from: number; readonly until: number | null }, marginMs: number): boolean =>
    fault.from <= until && (fault.until === null || fault.until + marginMs >= from);
  return (
    // While time is skipped nothing runs, and afterwards everything does.
    disturbances.some((fault) => !isClock(fault.what) && isThen(fault, fault.what === 'leap' ? 0 : RECOVERY_MS)) ||
    holds.some((hold) => isThen(hold, RECOVERY_MS)) ||
    heldFor(after, each, from, until) > 0 ||
    answers.some(
      (answer) => answer.network === network && answer.isBad && answer.at >= from - LEFT_ALONE_MS && answer.at <= until,
    )
  );
}
