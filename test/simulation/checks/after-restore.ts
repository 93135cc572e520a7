import type { OverdueChoice } from '#domain/restoration.ts';
import { everyVariant, type Aftermath, type SimulatedItem, type VariantOf, type Violation } from '../aftermath.ts';

export interface RestoredRun {
  readonly after: Aftermath;
  /** When the backup was taken. */
  readonly known: Aftermath;
  /** When the first installation was gone. */
  readonly gone: Aftermath;
  readonly releasedAt: number;
  readonly overdue: OverdueChoice;
}

/**
 * What the backup has and the first installation published is live once, unless operators chose otherwise; and each
 * status of each Variant is true: published is live, as an item of its own, and what failed for a reason is not live.
 */
export function afterRestore(run: RestoredRun): readonly Violation[] {
  const violations: Violation[] = [];
  const { after, known, gone, releasedAt, overdue } = run;
  const inBackup = new Set(everyVariant(known).map(({ variant }) => variant.id));
  const ours = everyVariant(after).filter(({ variant }) => inBackup.has(variant.id));
  const named = new Map<string, string>();
  for (const each of ours) {
    const { post, variant } = each;
    const complain = (check: string, detail: string): void =>
      void violations.push({ check, detail: `variant ${variant.id}: ${detail}`, about: [post.id.slice(0, -2)] });
    const items = itemsOf(after, each);
    const before = items.filter(({ publishedAt }) => publishedAt < releasedAt);
    const isAlone = everyVariant(gone).filter((other) => isAlike(each, other)).length <= 1;
    if (overdue !== 'publish' && isAlone && items.length > 1) complain('live once', `is live ${items.length} times`);
    const isByCopy = before.length === 0 && items.length > 0;
    if (overdue === 'fail' && isByCopy && variant.dueAt < releasedAt) complain('as chosen', 'was published after all');
    if (variant.status === 'published' && isAlone && items.length === 0) complain('told truly', 'is not live');
    // Published without asking, it may be refused because it is live, as the Network then says.
    const isRefused = variant.status === 'failed' && variant.failureReason !== 'unconfirmed';
    if (overdue !== 'publish' && isRefused && isAlone && items.length > 0)
      complain('told truly', `failed with ${variant.failureReason}, and is live`);
    if (variant.remoteId === null) continue;
    const item = `${variant.network} ${variant.remoteId}`;
    if (named.has(item)) complain('told truly', `is told to be ${item}, as ${named.get(item)}`);
    named.set(item, variant.id);
  }
  return violations;
}

function itemsOf(after: Aftermath, { post, variant }: VariantOf): readonly SimulatedItem[] {
  const { network, channelId } = variant;
  const accountId = after.heads.get(post.workspaceId)?.state.channels[channelId]?.accountId;
  return after.items.filter(
    (item) => item.network === network && item.accountId === accountId && item.text === post.text,
  );
}

function isAlike(one: VariantOf, other: VariantOf): boolean {
  return one.post.text === other.post.text && one.variant.channelId === other.variant.channelId;
}
