import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';

/** Between arming and evidence: the deadline to send, the call's time-out, and the longest answer of a store. */
const ARMED_FOR_MS = 180_000;
/** A write that a process sent before it crashed arms the row a little after the crash. */
const ON_ITS_WAY_MS = 15_000;

/**
 * `unconfirmed` needs a reason: the answer was cut, or had no information; the publisher crashed, was paused or could
 * not write while armed; or the Channel's tokens were refused, so that the Network could not be asked.
 */
export const unconfirmedHasReason: Check = (after) =>
  everyVariant(after)
    .filter(({ variant }) => variant.status === 'failed' && variant.failureReason === 'unconfirmed')
    .filter((each) => !hasReason(after, each))
    .map(({ post, variant }) => ({
      check: 'unconfirmed has a reason',
      detail: `variant ${variant.id} on ${variant.network}: ${variant.failureDetail}`,
      about: [post.id.slice(0, -2)],
    }));

function hasReason(after: Aftermath, each: VariantOf): boolean {
  const { variant } = each;
  const steps = after.steps.get(variant.id) ?? [];
  if (
    variant.network === 'threads' &&
    !steps.some(({ step, outcome }) => step === 'reconcile' && outcome === 'unknown') &&
    !lostItsTokens(after, each)
  )
    return false;
  if (steps.some(({ step, outcome }) => step === 'publish' && outcome === 'unknown')) return true;
  const { arms, incidents } = after.world.witness;
  return arms.some(
    ({ variantId, stage, by, at }) =>
      variantId === variant.id &&
      stage === 'armed' &&
      incidents.some(
        (incident) => incident.process === by && incident.at >= at - ON_ITS_WAY_MS && incident.at <= at + ARMED_FOR_MS,
      ),
  );
}

/** Threads can always be asked, while there are tokens. */
function lostItsTokens({ commands }: Aftermath, { variant }: VariantOf): boolean {
  return commands.some(
    ({ message }) =>
      message.type === 'MarkChannel' && message.channelId === variant.channelId && message.state === 'needs_reconnect',
  );
}
