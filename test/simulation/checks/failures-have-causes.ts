import { networkDefinitions } from '#networks/registry.ts';
import type { Aftermath, Check, VariantOf } from '../aftermath.ts';
import type { NetworkCall, WireAnswer } from '../witness.ts';
import { failedAttempts, type FailedAttempt } from './failed-attempts.ts';
import { preparedAt } from './prepared-at.ts';

/** Reasons that stand for what a Network answered to this very Variant. */
const OF_ITS_OWN: ReadonlySet<string> = new Set(['rejected_by_platform', 'media_problem']);
/** For so long a Network's refusal holds back other Variants: the missed window, with the skew of clocks. */
const HELD_BACK_MS = 65 * 60_000;
/** Between the clocks of the Workspace and of the engine, beside what the former may be off. */
const SKEW_MS = 2_600;

export function skewMsOf({ world }: Aftermath): number {
  return SKEW_MS + world.maxOffsetMs;
}

/** After a fault ended, what it left behind is caught up with. */
const RECOVERY_MS = 60_000;
/** A publisher goes on with a token that was refused while the Channel is connected again. */
const REFUSED_BEFORE_MS = 15 * 60_000;
/** Of an allowance, the share that was called for: what was taken and never used counts as used. */
const LEAST_USED = 0.8;
/** A clock that leapt stamps events with other instants. */
const LEAPT_MS = 48 * 3_600_000;

/**
 * Whatever a Network is said to have refused, it refused: a bad answer to this Variant, or to others that held this one
 * back, stands in the record of the wire. A Channel that needs a reconnect had its own tokens refused since it was
 * connected. What was missed was kept by something.
 */
export const failuresHaveCauses: Check = (after) =>
  failedAttempts(after).flatMap((failed) => {
    if (hasCause(after, failed)) return [];
    const { variant, post, reason } = failed;
    const detail = `variant ${variant.id} failed with ${reason}, and ${reason === 'missed_window' ? 'nothing kept it' : 'no Network gave a cause'}`;
    return [{ check: 'failures have causes', detail, about: [post.id.slice(0, -2)] }];
  });

function hasCause(after: Aftermath, failed: FailedAttempt): boolean {
  const { reason, variant } = failed;
  const until = failed.at + (after.world.witness.leapt ? LEAPT_MS : skewMsOf(after));
  // What can not be known has a check of its own.
  if (reason === 'unconfirmed') return true;
  if (reason === 'missed_window') return wasKept(after, failed);
  if (reason === 'needs_reconnect') return lostItsTokens(after, failed, until);
  const { answers } = after.world.witness;
  const own = callsOf(after, failed).flatMap((call) => call.answers);
  const isBad = (answer: WireAnswer): boolean => answer.isBad && answer.at <= until;
  if (reason === 'media_problem' && hasBadFiles(after, failed, until)) return true;
  if (OF_ITS_OWN.has(reason)) return own.some(isBad);
  if (own.some(isBad) || (reason === 'rate_limited' && isUsedUp(after, failed))) return true;
  return answers.some(
    (answer) => answer.network === variant.network && isBad(answer) && answer.at > until - HELD_BACK_MS,
  );
}

/** The account had about as many posts as its Network allows: further ones are not even tried. */
function isUsedUp({ world, heads }: Aftermath, { post, variant, at }: FailedAttempt): boolean {
  const accountId = heads.get(post.workspaceId)?.state.channels[variant.channelId]?.accountId;
  const calls = world.witness.calls.filter(
    (call) => call.kind === 'publish' && call.network === variant.network && call.accountId === accountId,
  );
  return networkDefinitions[variant.network].budget.account.some(
    ({ uses, windowMs }) =>
      calls.filter((call) => call.at <= at && call.at > at - windowMs).length >= uses * LEAST_USED,
  );
}

/** Something was wrong after it was due: with processes, engines, clocks, its Network or its files, or it was held. */
function wasKept(after: Aftermath, failed: FailedAttempt): boolean {
  const { dueAt, at, variant } = failed;
  if (dueAt === null || after.world.witness.counts.has('key-parked')) return true;
  const { disturbances, holds, answers } = after.world.witness;
  const isThen = (span: { readonly from: number; readonly until: number | null }): boolean =>
    span.from <= at + skewMsOf(after) && (span.until === null || span.until + RECOVERY_MS >= dueAt);
  return (
    // While time is skipped nothing runs that could have been late.
    disturbances.some((each) => each.what !== 'leap' && isThen(each)) ||
    holds.some(isThen) ||
    preparedAt(after)(failed) > dueAt + skewMsOf(after) ||
    answers.some(
      (answer) => answer.network === variant.network && answer.isBad && isThen({ from: answer.at, until: answer.at }),
    )
  );
}

/** A token of its own account was refused since the Channel was connected last, or shortly before. */
function lostItsTokens(after: Aftermath, { post, variant, at: failedAt }: FailedAttempt, until: number): boolean {
  const { world, heads, commands } = after;
  const accountId = heads.get(post.workspaceId)?.state.channels[variant.channelId]?.accountId;
  const connected = commands.flatMap(({ message }) =>
    message.type === 'ConnectChannel' &&
    message.channelId === variant.channelId &&
    message.issuedAt < failedAt - skewMsOf(after)
      ? [message.issuedAt]
      : [],
  );
  const since = Math.max(0, ...connected) - REFUSED_BEFORE_MS;
  return world.witness.answers.some(
    (answer) => answer.accountId === accountId && isTokenRefusal(answer) && answer.at >= since && answer.at <= until,
  );
}

/** One of its files was not to be had, or not to be converted; or nothing ran while it should have been made ready. */
function hasBadFiles({ world, history, assets }: Aftermath, { post }: VariantOf, until: number): boolean {
  if (post.media.length === 0) return false;
  const files = history.of('create').find(({ text }) => text === post.text)?.files ?? [];
  const { disturbances, counts } = world.witness;
  return (
    world.files.troubles.some(({ file, at }) => files.includes(file) && at <= until) ||
    // What was over is not kept for a retry.
    assets.some(({ postId, state }) => postId === post.id && state === 'removed') ||
    disturbances.some(({ what, from }) => what === 'down' && from <= until) ||
    counts.has('key-parked')
  );
}

function isTokenRefusal({ status }: WireAnswer): boolean {
  return status === 400 || status === 401 || status === 403;
}

/** By account and text, which the Variants of equal Posts share. */
export function callsOf({ world, heads }: Aftermath, { post, variant }: VariantOf): readonly NetworkCall[] {
  const accountId = heads.get(post.workspaceId)?.state.channels[variant.channelId]?.accountId;
  return world.witness.calls.filter(
    (call) => call.network === variant.network && call.accountId === accountId && call.text === post.text,
  );
}
