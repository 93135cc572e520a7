import type { Aftermath, Check } from '../aftermath.ts';
import type { NetworkCall } from '../witness.ts';
import { everyVariantsOwnCalls } from './own-calls.ts';

/** Another run of the same process may be about to ask while the answer comes. */
const ON_ITS_WAY_MS = 15_000;

/**
 * A publisher keeps the answer of a Network in memory while the store refuses the evidence. After the answer that a
 * Variant is live, the same process makes no further call about it, neither to reconcile nor to publish. Where no other
 * process handled the Variant, it ends as published. An answer that is thrown away has to be asked for again; a Network
 * that can not be asked then leaves the Variant unconfirmed, and a retry may post it twice.
 */
export const answersAreKept: Check = (after) =>
  everyVariantsOwnCalls(after).flatMap(({ post, variant, calls }) =>
    calls.flatMap((told) => {
      if (told.kind !== 'publish' || told.came !== 'published') return [];
      const asked = calls.find(
        ({ kind, by, at }) => kind !== 'prepare' && by === told.by && at > told.endedAt! + ON_ITS_WAY_MS,
      );
      const isForgotten = variant.status === 'failed' && isAlone(after, variant.id, told);
      if (asked === undefined && !isForgotten) return [];
      const what =
        asked === undefined
          ? `yet it failed with ${variant.failureReason}`
          : `and made the call ${asked.kind} ${asked.at - told.endedAt!} ms later`;
      const detail = `${told.by} was told that variant ${variant.id} is live, ${what}`;
      return [{ check: 'answers are kept', detail, about: [post.id.slice(0, -2)] }];
    }),
  );

/** It did not crash, and no other process wrote anything of the Variant's way into the ledger. */
function isAlone({ world }: Aftermath, id: string, { by }: NetworkCall): boolean {
  const { arms, incidents } = world.witness;
  return (
    arms.every((arm) => arm.variantId !== id || arm.by === by) &&
    !incidents.some(({ process, kind }) => process === by && kind === 'crash')
  );
}
