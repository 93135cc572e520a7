import { expect } from 'vitest';
import type { CrierCluster, Tenant } from '#testing/crier-cluster.ts';
import type { ItemJson, PostJson, VariantJson } from '#testing/crier-clients.ts';
import { until } from '#testing/until.ts';
import type { Traffic } from './traffic.ts';

export interface TrafficVerdict {
  readonly posts: number;
  readonly acknowledged: number;
  readonly published: number;
  /** Certainly live, with no address to show: the Network never reported the post's id. */
  readonly withoutPermalink: number;
  readonly unconfirmed: number;
  readonly stillScheduled: number;
}

/**
 * The longest attempt whose publisher was killed during x's call: its time-outs, then three reads of the timeline
 * within 3 minutes.
 */
const MAX_MS = 240_000;

/**
 * The outcome of every requested Post, compared with the live items on the Networks. Waits until no due Variant is
 * unfinished; then expects: every acknowledged Post exists, no Variant is live twice, each published one is live once
 * under its permalink, none failed but as `unconfirmed` on x, every live item belongs to a request, and no X credits
 * were lost or created.
 */
export async function judge(
  cluster: CrierCluster,
  traffic: Traffic,
  tenants: readonly Tenant[],
  creditsEach: number,
): Promise<TrafficVerdict> {
  const listed = new Map<string, PostJson>();
  for (const tenant of tenants) {
    const posts = await until(async () => finished(await cluster.api(tenant).listPosts({ limit: '100' })), {
      what: 'nothing unfinished',
      withinMs: MAX_MS,
      everyMs: 1_000,
    });
    for (const post of posts) listed.set(post.id, post);
    await creditsAddUp(cluster, tenant, posts, creditsEach);
  }
  const acknowledged = traffic.sent.filter(({ postId }) => postId !== null);
  for (const { postId, text, tenant } of acknowledged) {
    expect(listed.get(postId!)?.text, `${postId} in the list`).toBe(text);
    expect((await cluster.api(tenant).getPost(postId!)).variants, 'read alone').toEqual(listed.get(postId!)!.variants);
  }
  const truth = Map.groupBy(await cluster.sandbox.sandbox().items(), ({ network, text }) => `${network} ${text}`);
  expect(
    [...truth.values()].filter((items) => items.length > 1),
    'live more than once',
  ).toEqual([]);
  const counts = {
    posts: listed.size,
    acknowledged: acknowledged.length,
    published: 0,
    withoutPermalink: 0,
    unconfirmed: 0,
    stillScheduled: 0,
  };
  for (const post of listed.values()) {
    for (const variant of post.variants) {
      const key = `${variant.network} ${post.text}`;
      counts[kindOf(variant, truth.get(key)?.[0])]++;
      if (variant.status === 'published' && variant.permalink === null) counts.withoutPermalink++;
      truth.delete(key);
    }
  }
  expect([...truth.values()], 'live, but of no Post').toEqual([]);
  return counts;
}

function finished(posts: readonly PostJson[]): readonly PostJson[] | null {
  const now = Date.now();
  const waits = ({ status, scheduledAt }: VariantJson): boolean =>
    status === 'publishing' ||
    (status === 'scheduled' && (scheduledAt === null || Date.parse(scheduledAt) <= now + 60_000));
  return posts.some(({ variants }) => variants.some(waits)) ? null : posts;
}

function kindOf(variant: VariantJson, live: ItemJson | undefined): 'published' | 'unconfirmed' | 'stillScheduled' {
  const described = `${variant.network} ${variant.id} ${variant.status} ${variant.failureReason} ${variant.failureDetail}`;
  if (variant.status === 'published') {
    expect(live, `${described}: live`).toBeDefined();
    if (variant.permalink !== null) expect(variant.permalink, described).toBe(live!.permalink);
    return 'published';
  }
  if (variant.status === 'scheduled') {
    expect(live, `${described}: live before its time`).toBeUndefined();
    return 'stillScheduled';
  }
  expect(`${variant.status} ${variant.failureReason} on ${variant.network}`, described).toBe('failed unconfirmed on x');
  return 'unconfirmed';
}

async function creditsAddUp(
  cluster: CrierCluster,
  tenant: Tenant,
  posts: readonly PostJson[],
  creditsEach: number,
): Promise<void> {
  const { xCredits } = await cluster.api(tenant).usage();
  const onX = posts.flatMap(({ variants }) => variants).filter(({ network }) => network === 'x');
  const spent = onX.filter(({ status }) => status === 'published').length;
  const held = onX.filter(
    ({ status, failureReason }) => status === 'scheduled' || failureReason === 'unconfirmed',
  ).length;
  expect(xCredits, `credits of ${tenant.workspaceId}`).toEqual({
    available: creditsEach - spent - held,
    reserved: held,
  });
}
