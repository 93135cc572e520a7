import type { Check, Violation } from '../aftermath.ts';

/**
 * Credits bought = free + reserved + one for each Variant published on X; the reserved ones are those that Variants
 * claim.
 */
export const creditsBalance: Check = ({ heads, posts, history }) => {
  const violations: Violation[] = [];
  for (const [id, { state }] of heads) {
    const onX = (posts.get(id) ?? []).flatMap(({ variants }) => variants).filter(({ network }) => network === 'x');
    const reserved = onX.filter(({ creditReserved }) => creditReserved).length;
    const spent = onX.filter(({ status }) => status === 'published').length;
    const complain = (detail: string): void => void violations.push({ check: 'credits balance', detail, about: [id] });
    if (reserved !== state.xCredits.reserved)
      complain(`workspace ${id} reserves ${state.xCredits.reserved} credits; its Variants ${reserved}`);
    const total = state.xCredits.available + state.xCredits.reserved + spent;
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
