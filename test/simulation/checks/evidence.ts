import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';
import { firstLogged } from './first-logged.ts';

/**
 * A Variant is published exactly when the ledger has evidence of it, and its report stands in the log no sooner than
 * the evidence in its table: a publisher that died between the two would leave what is live and can not be proven.
 */
export const publishedByEvidence: Check = (after) => {
  const reported = firstLogged(after.commands, 'PublishSucceeded', ({ variantId }) => [variantId]);
  return everyVariant(after).flatMap((each) => {
    const { post, variant } = each;
    const complain = (detail: string) => [
      {
        check: 'published by evidence',
        detail: `variant ${variant.id} ${variant.status} ${detail}`,
        about: [post.id.slice(0, -2)],
      },
    ];
    const proofs = (after.steps.get(variant.id) ?? []).filter(({ outcome }) => outcome === 'published');
    if (variant.status !== 'published')
      return proofs.length === 0 || wasCutShort(after, each) ? [] : complain('has evidence that it is live');
    if (proofs.length === 0) return complain('has no evidence that it is live');
    if (!proofs.some(({ remoteId }) => remoteId === variant.remoteId)) return complain('is told to be another item');
    const provenAt = after.world.witness.proofs.get(variant.id) ?? Number.POSITIVE_INFINITY;
    const toldAt = reported.get(variant.id) ?? Number.POSITIVE_INFINITY;
    return toldAt < provenAt ? complain(`was reported ${provenAt - toldAt} ms before there was evidence`) : [];
  });
};

/**
 * The answer came after the verdict that it can not be known, and its publisher ended between writing the evidence and
 * reporting it: by then no watchdog stands behind the attempt.
 */
function wasCutShort({ world, steps }: Aftermath, { variant }: VariantOf): boolean {
  if (variant.status !== 'failed' || variant.failureReason !== 'unconfirmed') return false;
  const proven = world.witness.proofs.get(variant.id) ?? 0;
  const senders = new Set(world.witness.arms.filter(({ variantId }) => variantId === variant.id).map(({ by }) => by));
  return (
    (steps.get(variant.id) ?? []).some(({ step, outcome }) => step === 'publish' && outcome === 'published') &&
    world.witness.incidents.some(({ process, at }) => senders.has(process) && at >= proven)
  );
}
