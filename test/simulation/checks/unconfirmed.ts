import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';

/** Between arming and evidence: the deadline to send, the call's time-out, and what a store may take to answer. */
const ARMED_FOR_MS = 180_000;
/** What a process sent before it died arms the row a little after its death. */
const ON_ITS_WAY_MS = 15_000;

/**
 * `unconfirmed` needs a reason: the answer was cut, or said nothing; the worker died, was held up or could not write while armed; or
 * the Channel's tokens were refused, so that nobody could ask.
 */
export const unconfirmedHasReason: Check = (after) =>
  everyVariant(after)
    .filter(({ variant }) => variant.status === 'failed' && variant.failureReason === 'unconfirmed')
    .filter((each) => !hasReason(after, each))
    .map(({ post, variant }) => ({ check: 'unconfirmed has a reason', detail: `variant ${variant.id} on ${variant.network}: ${variant.failureDetail}`, about: [post.id.slice(0, -2)] }));

function hasReason(after: Aftermath, { variant }: VariantOf): boolean {
  const steps = after.steps.get(variant.id) ?? [];
  if (steps.some(({ step, outcome }) => step === 'publish' && outcome === 'unknown')) return true;
  if (!tellsOfThreads(after, variant)) return false;
  const { arms, incidents } = after.world.witness;
  return arms.some(({ variantId, stage, by, at }) =>
    variantId === variant.id && stage === 'armed' && incidents.some((each) => each.process === by && each.at >= at - ON_ITS_WAY_MS && each.at <= at + ARMED_FOR_MS));
}

/** Threads can be asked; not being told is for lost tokens and cut answers only. */
function tellsOfThreads(after: Aftermath, variant: VariantOf['variant']): boolean {
  if (variant.network !== 'threads') return true;
  return (after.steps.get(variant.id) ?? []).some(({ step, outcome }) => step === 'reconcile' && outcome === 'unknown');
}
