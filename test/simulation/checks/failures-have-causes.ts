import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';
import type { NetworkCall, WireAnswer } from '../witness.ts';

/** Reasons that stand for what a Network answered to this very Variant. */
const OF_ITS_OWN: ReadonlySet<string> = new Set(['rejected_by_platform', 'media_problem']);
/** For so long a Network's refusal holds back other Variants: the missed window, with the skew of clocks. */
const HELD_BACK_MS = 65 * 60_000;
/** Between the clocks of the Workspace and of the engine. */
const SKEW_MS = 5_000;
/** A clock that leapt stamps events with other instants. */
const LEAPT_MS = 48 * 3_600_000;

/**
 * Whatever a Network is said to have refused, it refused: a bad answer to this Variant, or to others that held this one
 * back, stands in the record of the wire. A Channel that needs a reconnect had its tokens refused.
 */
export const failuresHaveCauses: Check = (after) => {
  const variants = new Map(everyVariant(after).map((each) => [each.variant.id, each]));
  return after.events.flatMap(({ message }) => {
    if (message.type !== 'VariantFailed') return [];
    const found = variants.get(message.variantId);
    const reason = /"failureReason":"(\w+)"/.exec(message.body)?.[1] ?? /"reason":"(\w+)"/.exec(message.body)?.[1];
    if (found === undefined || reason === undefined) return [];
    const skewMs = after.world.witness.leapt ? LEAPT_MS : SKEW_MS;
    if (hasCause(after, found, reason, message.createdAt + skewMs)) return [];
    const detail = `variant ${message.variantId} failed with ${reason}, and no Network gave a cause`;
    return [{ check: 'failures have causes', detail, about: [found.post.id.slice(0, -2)] }];
  });
};

function hasCause(after: Aftermath, found: VariantOf, reason: string, until: number): boolean {
  const { network } = found.variant;
  // What was missed, or can not be known, has checks of its own.
  if (reason === 'missed_window' || reason === 'unconfirmed') return true;
  const { answers } = after.world.witness;
  const own = callsOf(after, found).flatMap((call) => call.answers);
  const isBad = (answer: WireAnswer): boolean => answer.isBad && answer.at <= until;
  if (reason === 'media_problem' && hasBadFiles(after, found, until)) return true;
  if (OF_ITS_OWN.has(reason)) return own.some(isBad);
  if (reason === 'needs_reconnect')
    return answers.some((answer) => answer.network === network && isTokenRefusal(answer) && answer.at <= until);
  if (own.some(isBad)) return true;
  return answers.some((answer) => answer.network === network && isBad(answer) && answer.at > until - HELD_BACK_MS);
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
