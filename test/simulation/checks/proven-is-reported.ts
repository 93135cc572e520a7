import { everyVariant, type Aftermath, type Check } from '../aftermath.ts';

/** From the evidence to the report in the log, and until its Workspace has taken that. */
const REPORTED_WITHIN_MS = 60_000;

/**
 * Evidence that a Variant is live makes it `published` within a minute, also where it was `unconfirmed` before. What is
 * published can not be retried, so a retry that is accepted later than that shows that the report was ignored.
 */
export const provenIsReported: Check = (after) => {
  const { proofs } = after.world.witness;
  const retries = after.history.of('retry').filter(({ seen }) => seen === 'ok');
  return everyVariant(after).flatMap(({ post, variant }) => {
    const provenAt = proofs.get(variant.id) ?? Number.POSITIVE_INFINITY;
    const retry = retries.find(
      ({ variantId, invokedAt }) => variantId === variant.id && invokedAt > provenAt + REPORTED_WITHIN_MS,
    );
    if (retry === undefined || mayBeUntold(after, { id: variant.id, postId: post.id, provenAt })) return [];
    const detail = `variant ${variant.id} was retried ${retry.invokedAt - provenAt} ms after there was evidence that it is live`;
    return [{ check: 'what is proven is reported', detail, about: [post.id.slice(0, -2)] }];
  });
};

/** Its report was lost, or a fault came between the evidence and the Workspace. */
function mayBeUntold(
  { world }: Aftermath,
  { id, postId, provenAt }: { readonly id: string; readonly postId: string; readonly provenAt: number },
): boolean {
  const { witness } = world;
  const until = provenAt + REPORTED_WITHIN_MS;
  return (
    witness.hasLost(id) ||
    witness.hasLost(postId) ||
    witness.counts.has('key-parked') ||
    witness.disturbances.some((fault) => fault.from <= until && (fault.until === null || fault.until >= provenAt))
  );
}
