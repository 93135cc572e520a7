import { everyVariant, type Check } from '../aftermath.ts';
import { MISSED_WINDOW_MS } from '../world.ts';
import { callsOf } from './failures-have-causes.ts';
import { heldFor } from './held-time.ts';

/** A call begun within the window may be slow, and its sender paused: clocks differ besides. */
const UNDER_WAY_MS = 3 * 60_000;

/** No call that publishes begins after the missed window, which is longer by the time of the Variant's holds. */
export const publishedInWindow: Check = (after) => {
  const variants = everyVariant(after);
  return variants.flatMap((each) => {
    const { post, variant } = each;
    // The calls of equal Posts, and those of former attempts, can not be told apart.
    if (
      variants.some(
        (other) =>
          other.variant !== variant && other.post.text === post.text && other.variant.network === variant.network,
      )
    )
      return [];
    const last = callsOf(after, each).findLast(({ kind }) => kind === 'publish');
    if (last === undefined) return [];
    const lateMs = last.at - variant.dueAt - heldFor(after, each, variant.dueAt, last.at);
    if (lateMs <= MISSED_WINDOW_MS + UNDER_WAY_MS) return [];
    const detail = `variant ${variant.id} was sent ${lateMs} ms after it was due, without the time of its holds`;
    return [{ check: 'nothing is sent after its window', detail, about: [post.id.slice(0, -2)] }];
  });
};
