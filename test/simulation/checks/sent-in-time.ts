import type { Check } from '../aftermath.ts';
import { everyVariantsOwnCalls } from './own-calls.ts';

/**
 * The irreversible call leaves within the time that the ledger's row allows for it, by the time that truly passed since
 * the row was armed. A sender that was held up for longer makes no call, whatever its clock says: other publishers ask
 * the Network once that time is over, and a call that leaves after their question would publish a second time.
 */
export const sendersKeepTheirDeadline: Check = (after) => {
  const { arms } = after.world.witness;
  return everyVariantsOwnCalls(after).flatMap(({ post, variant, calls }) => {
    const armed = arms.filter(({ variantId, stage }) => variantId === variant.id && stage === 'armed');
    // Who loses a compare-and-set finds the row that another one armed.
    const first = [...Map.groupBy(armed, ({ armToken }) => armToken).values()].map(([arming]) => arming!);
    return calls.flatMap(({ kind, by, at }) => {
      const arming = kind === 'publish' ? first.findLast((each) => each.by === by && each.at <= at) : undefined;
      if (arming === undefined || at - arming.at <= arming.sendWithinMs) return [];
      const detail = `${by} sent variant ${variant.id} ${at - arming.at} ms after it armed it, with ${arming.sendWithinMs} ms to do so`;
      return [{ check: 'senders keep their deadline', detail, about: [post.id.slice(0, -2)] }];
    });
  });
};
