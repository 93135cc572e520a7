import type { Variant } from '#domain/post/post.ts';
import type { Check, Violation } from '../aftermath.ts';

interface Range {
  readonly least: number;
  readonly most: number;
}

/**
 * What a Variant's status says of credits, whatever it says itself: one is reserved while it may still be published, or
 * may be live; one is spent when it is.
 */
function reservedFor({ network, status, failureReason, reconcileFirst }: Variant): Range {
  if (network !== 'x' || status === 'published') return { least: 0, most: 0 };
  // Once an attempt may be live, no end of a later one gives its credit back.
  const isHeld = status === 'scheduled' || status === 'publishing' || failureReason === 'unconfirmed' || reconcileFirst;
  return { least: Number(isHeld), most: Number(isHeld) };
}

/** The same of its first comment, which is a post of its own: it waits with its Variant. */
function reservedForComment({ network, status, failureReason, firstComment, reconcileFirst }: Variant): Range {
  if (network !== 'x' || firstComment?.status !== 'waiting') return { least: 0, most: 0 };
  if (status === 'cancelled' || (status === 'failed' && failureReason !== 'unconfirmed'))
    return { least: 0, most: Number(reconcileFirst) };
  return { least: 1, most: 1 };
}

function spentFor({ network, status, firstComment }: Variant): number {
  if (network !== 'x') return 0;
  const isComment = firstComment?.status === 'published' || firstComment?.status === 'unconfirmed';
  return Number(status === 'published') + Number(isComment);
}

/** Credits bought = free + reserved + spent, the latter two as the statuses of Variants say. */
export const creditsBalance: Check = ({ heads, posts, history }) => {
  const violations: Violation[] = [];
  for (const [id, { state }] of heads) {
    const variants = (posts.get(id) ?? []).flatMap((post) => post.variants);
    const ranges = variants.flatMap((variant) => [reservedFor(variant), reservedForComment(variant)]);
    const least = ranges.reduce((sum, range) => sum + range.least, 0);
    const most = ranges.reduce((sum, range) => sum + range.most, 0);
    const spent = variants.reduce((sum, variant) => sum + spentFor(variant), 0);
    const complain = (detail: string): void => void violations.push({ check: 'credits balance', detail, about: [id] });
    const { available, reserved } = state.xCredits;
    if (reserved < least || reserved > most)
      complain(
        `workspace ${id} reserves ${reserved} credits; by the statuses of its Variants it is ${least} to ${most}`,
      );
    const total = available + reserved + spent;
    const bought = history.of('credits').filter(({ workspaceId }) => workspaceId === id);
    const certain = bought.filter(({ seen }) => seen === 'ok').reduce((sum, { credits }) => sum + credits, 0);
    const perhaps = bought.filter(({ seen }) => seen === 'unknown').map(({ credits }) => credits);
    if (!sums(perhaps).has(total - certain))
      complain(
        `workspace ${id} has or spent ${total} credits; it bought ${certain}, and perhaps ${perhaps.join(', ') || 'none'}`,
      );
  }
  return violations;
};

/** Every sum that some of the amounts make. */
function sums(amounts: readonly number[]): ReadonlySet<number> {
  let made = new Set([0]);
  for (const amount of amounts) made = new Set([...made].flatMap((sum) => [sum, sum + amount]));
  return made;
}
