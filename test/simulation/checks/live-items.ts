import {
  type Aftermath,
  type Check,
  type SimulatedItem,
  type VariantOf,
  type Violation,
  everyVariant,
} from '../aftermath.ts';

/**
 * The live items match the Variants: a published one is live exactly once, at its permalink; a cancelled or failed one
 * is not live; an unconfirmed one may be. A Post that was cancelled and created again has the same text, so Variants of
 * one account and text are compared together.
 */
export const liveItemsAgree: Check = (after) => {
  const violations: Violation[] = [];
  const groups = new Map<string, { readonly items: SimulatedItem[]; readonly variants: VariantOf[] }>();
  const groupOf = (accountId: string, text: string) => {
    const name = `${accountId} ${text}`;
    const group = groups.get(name) ?? { items: [], variants: [] };
    groups.set(name, group);
    return group;
  };
  for (const item of after.items) groupOf(item.accountId, item.text).items.push(item);
  for (const each of everyVariant(after)) groupOf(accountOf(after, each), each.post.text).variants.push(each);
  for (const { items, variants } of groups.values()) violations.push(...judge(after, items, variants));
  return violations;
};

function accountOf({ heads }: Aftermath, { post, variant }: VariantOf): string {
  return heads.get(post.workspaceId)?.state.channels[variant.channelId]?.accountId ?? 'unknown account';
}

function judge(after: Aftermath, items: readonly SimulatedItem[], variants: readonly VariantOf[]): Violation[] {
  const violations: Violation[] = [];
  const unclaimed = new Set(items);
  const about = [...variants.map(({ post }) => post.id.slice(0, -2)), ...items.map(({ text }) => text).slice(0, 1)];
  const complain = (detail: string): void =>
    void violations.push({ check: 'live items agree with Variants', detail, about });
  const published = variants.filter(({ variant }) => variant.status === 'published');
  for (const { variant } of published) {
    // Where Threads did not report which post a container became, the container's id stands for it.
    const item =
      items.find(({ remoteId }) => remoteId === variant.remoteId) ??
      [...unclaimed].find(() => standsForItself(after, variant.id));
    if (item === undefined || !unclaimed.delete(item))
      complain(
        `variant ${variant.id} is published as ${variant.remoteId}, which is ${item ? "another's" : 'not live'}`,
      );
    else if (!samePlace(variant.network, variant.permalink, item))
      complain(`variant ${variant.id} names ${variant.permalink}; it is live at ${item.permalink}`);
  }
  // Each attempt of unknown outcome may have left one.
  const mayBeLive = variants.reduce((sum, each) => sum + unconfirmedAttempts(after, each), 0);
  if (unclaimed.size > mayBeLive) {
    const states = variants
      .map(({ variant }) => `${variant.id} attempt ${variant.attempt} ${variant.status} ${variant.failureReason ?? ''}`)
      .join('; ');
    complain(
      `${unclaimed.size} live items belong to no Variant (${[...unclaimed].map(({ network, remoteId }) => `${network} ${remoteId}`).join(', ')}): ${states}`,
    );
  }
  return violations;
}

function standsForItself({ steps }: Aftermath, variantId: string): boolean {
  return steps.get(variantId)?.some(({ detail }) => detail.includes('which post it became is not known')) ?? false;
}

/** X's permalinks are at x.com, whatever simulates it. */
function samePlace(network: string, permalink: string | null, item: SimulatedItem): boolean {
  if (permalink === null) return network === 'threads';
  return network === 'x' ? permalink.endsWith(`/status/${item.remoteId}`) : permalink === item.permalink;
}

/** By the reported outcomes, of which each attempt has one. */
function unconfirmedAttempts({ events }: Aftermath, { variant }: VariantOf): number {
  const reported = new Set<string>();
  for (const { message } of events) {
    if (message.type === 'VariantFailed' && message.variantId === variant.id && message.body.includes('"unconfirmed"'))
      reported.add(message.eventId);
  }
  return reported.size;
}
