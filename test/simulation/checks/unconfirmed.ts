import type { Aftermath, Check, SimulatedItem } from '../aftermath.ts';
import type { NetworkCall } from '../witness.ts';
import { failedAttempts, type FailedAttempt } from './failed-attempts.ts';
import { callsOf, skewMsOf } from './failures-have-causes.ts';

/** Between arming and evidence: the deadline to send, the call's time-out, and the longest answer of a store. */
const ARMED_FOR_MS = 180_000;
/** A write that a process sent before it crashed arms the row a little after the crash. */
const ON_ITS_WAY_MS = 15_000;
/** The sandbox lists an item three seconds after it is live at the latest. */
const LISTED_AFTER_MS = 3_000;

/**
 * `unconfirmed` needs a reason, and not in what Crier wrote down itself. The call that publishes had a bad answer or
 * none, or its publisher crashed, was paused or could not write while armed. And where the item is live, the Network
 * could not be asked: a question after that had a bad answer, or its process was disturbed.
 */
export const unconfirmedHasReason: Check = (after) =>
  failedAttempts(after).flatMap((failed) => {
    if (failed.reason !== 'unconfirmed') return [];
    const detail = whyNot(after, failed);
    if (detail === null) return [];
    const { post, variant, attempt } = failed;
    return [
      {
        check: 'unconfirmed has a reason',
        detail: `variant ${variant.id}, attempt ${attempt}, is unconfirmed on ${variant.network}: ${detail}`,
        about: [post.id.slice(0, -2)],
      },
    ];
  });

/** Null: it has one. */
function whyNot(after: Aftermath, failed: FailedAttempt): string | null {
  const skewMs = skewMsOf(after);
  const calls = callsOf(after, failed).filter(({ at }) => at >= failed.since - skewMs && at <= failed.at + skewMs);
  if (!calls.some(isUnanswered) && !wasDisturbed(after, failed)) return 'its call had a good answer';
  if (failed.variant.network === 'threads')
    return wasUnreadable(after, failed) || couldNotAsk(after, failed, calls) ? null : 'Threads could be asked';
  const item = itemOf(after, failed);
  // One that came later is of another attempt.
  if (item === null || item.publishedAt > failed.at + skewMs) return null;
  const asked = calls.find(
    (call) =>
      isGood(call) && isListed(after, item, call) && !(call.came === 'published' && isHeldUp(after, call, failed.at)),
  );
  if (asked !== undefined) return `${asked.by} was answered well when it asked, and ${item.remoteId} is live`;
  return couldNotAsk(after, failed, calls) || wasDisturbed(after, failed)
    ? null
    : `nobody asked, and ${item.remoteId} is live`;
}

function isUnanswered({ kind, answers, endedAt }: NetworkCall): boolean {
  return kind === 'publish' && (endedAt === null || answers.length === 0 || answers.some(({ isBad }) => isBad));
}

function isGood({ kind, answers, endedAt }: NetworkCall): boolean {
  return kind === 'reconcile' && endedAt !== null && answers.length > 0 && answers.every(({ isBad }) => !isBad);
}

/** An item that is older than the armed call is not looked for. */
function isListed(after: Aftermath, { publishedAt }: SimulatedItem, { at, armedAt }: NetworkCall): boolean {
  return publishedAt + LISTED_AFTER_MS <= at && publishedAt >= armedAt! - skewMsOf(after);
}

/** The only one of its account that says this; null: there is none, or it can not be told which one it is. */
function itemOf(after: Aftermath, { post, variant }: FailedAttempt): SimulatedItem | null {
  const accountId = after.heads.get(post.workspaceId)?.state.channels[variant.channelId]?.accountId;
  const isOfIt = (text: string, of: string | undefined): boolean => text === post.text && of === accountId;
  const alike = (after.posts.get(post.workspaceId) ?? []).filter(({ text }) => text === post.text);
  const items = after.items.filter((item) => isOfIt(item.text, item.accountId));
  return alike.length === 1 && items.length === 1 ? items[0]! : null;
}

/** What is not known of a container whose answers were good: its publisher wrote that it was told nothing. */
function wasUnreadable({ steps }: Aftermath, { variant, attempt }: FailedAttempt): boolean {
  return (steps.get(variant.id) ?? []).some(
    (each) => each.attempt === attempt && each.step === 'reconcile' && each.outcome === 'unknown',
  );
}

/** A question, or a refresh of the tokens for it, had a bad answer; or a Disconnect took the tokens away. */
function couldNotAsk(after: Aftermath, failed: FailedAttempt, calls: readonly NetworkCall[]): boolean {
  const { world, heads, history } = after;
  const { post, variant, since, at } = failed;
  const ofSends = new Set(calls.flatMap(({ kind, answers }) => (kind === 'publish' ? answers : [])));
  const accountId = heads.get(post.workspaceId)?.state.channels[variant.channelId]?.accountId;
  const isThen = (instant: number): boolean => instant >= since - skewMsOf(after) && instant <= at + skewMsOf(after);
  return (
    world.witness.answers.some(
      (answer) => answer.isBad && answer.accountId === accountId && isThen(answer.at) && !ofSends.has(answer),
    ) ||
    history
      .of('operator')
      .some(
        ({ workspaceId, channelId, invokedAt }) =>
          workspaceId === post.workspaceId &&
          (channelId === null || channelId === variant.channelId) &&
          invokedAt <= at + skewMsOf(after),
      )
  );
}

/** Its publisher, while the row was armed or shortly before. */
function wasDisturbed(after: Aftermath, { variant, since, at: until }: FailedAttempt): boolean {
  const { arms, incidents } = after.world.witness;
  return arms.some(
    ({ variantId, stage, by, at }) =>
      variantId === variant.id &&
      stage === 'armed' &&
      at >= since - ON_ITS_WAY_MS &&
      at <= until + skewMsOf(after) &&
      incidents.some(
        (incident) => incident.process === by && incident.at >= at - ON_ITS_WAY_MS && incident.at <= at + ARMED_FOR_MS,
      ),
  );
}

/** What it found was not written any more. */
function isHeldUp(after: Aftermath, { by, at: from }: NetworkCall, until: number): boolean {
  return after.world.witness.incidents.some(
    ({ process, at }) => process === by && at >= from - ON_ITS_WAY_MS && at <= until + skewMsOf(after),
  );
}
