import type { Message } from '#messages/messages.ts';
import type { Asset } from '#domain/media/asset.ts';
import type { Network } from '#domain/network.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import { listPosts } from '#tables/repositories/post-list.ts';
import { ASSETS } from '#tables/declarations/tables.ts';
import { findAsset } from '#tables/repositories/assets.ts';
import { createLedger, type Evidence } from '#tables/repositories/ledger.ts';
import {
  CONNECTION_UPKEEP,
  DEAD_LETTERS,
  PUBLISH,
  TIMERS,
  WEBHOOK_DELIVERIES,
  WORKSPACE_COMMANDS,
  WORKSPACE_EVENTS,
} from '#tables/declarations/topics.ts';
import { readHead, type Head } from '#tables/repositories/workspaces.ts';
import type { Workspace } from './caller.ts';
import type { History } from './history.ts';
import { PARTITIONS, type World } from './world.ts';

/** An item that is live at a Network. */
export interface SimulatedItem {
  readonly network: Network;
  readonly accountId: string;
  readonly remoteId: string;
  readonly text: string;
  readonly publishedAt: number;
  readonly permalink: string;
  readonly media: readonly { readonly sha256: string }[];
  /** Of its own account. */
  readonly comments?: readonly { readonly text: string }[];
}

export interface LoggedMessage {
  readonly message: Message;
  readonly value: Uint8Array;
  /** When the log took it. */
  readonly at: number;
}

/** Everything that can be observed once a run is over. */
export interface Aftermath {
  readonly world: World;
  readonly history: History;
  readonly workspaces: readonly Workspace[];
  readonly heads: ReadonlyMap<string, Head>;
  /** By Workspace, from the list. */
  readonly posts: ReadonlyMap<string, readonly Post[]>;
  readonly items: readonly SimulatedItem[];
  readonly steps: ReadonlyMap<string, readonly Evidence[]>;
  readonly commands: readonly LoggedMessage[];
  readonly jobs: readonly LoggedMessage[];
  readonly timers: readonly LoggedMessage[];
  readonly events: readonly LoggedMessage[];
  /** What renews and ends the tokens of Channels. */
  readonly upkeep: readonly LoggedMessage[];
  /** To the webhooks service: attempts, test events, deliveries again. */
  readonly deliverOrders: readonly LoggedMessage[];
  readonly assets: readonly Asset[];
  readonly deadLetters: number;
  /** No work was left before the time was up. */
  readonly quiet: boolean;
}

export interface Violation {
  readonly check: string;
  readonly detail: string;
  /** Words by which its history can be found: ids, texts. */
  readonly about: readonly string[];
}

export type Check = (after: Aftermath) => Promise<readonly Violation[]> | readonly Violation[];

export interface VariantOf {
  readonly post: Post;
  readonly variant: Variant;
}

export function everyVariant({ posts }: Pick<Aftermath, 'posts'>): readonly VariantOf[] {
  return [...posts.values()].flat().flatMap((post) => post.variants.map((variant) => ({ post, variant })));
}

const PAGE = 7;
const ASSETS_A_PAGE = 100;

export async function lookAround(
  world: World,
  history: History,
  workspaces: readonly Workspace[],
  quiet: boolean,
): Promise<Aftermath> {
  const heads = new Map<string, Head>();
  const posts = new Map<string, readonly Post[]>();
  for (const { id } of workspaces) {
    const head = await readHead(world.truth, id);
    if (head !== null) heads.set(id, head);
    posts.set(id, await allPosts(world, id));
  }
  const ledger = createLedger(world.truth);
  const steps = new Map<string, readonly Evidence[]>();
  for (const { variant } of everyVariant({ posts })) steps.set(variant.id, await ledger.attempts(variant.id));
  const { items } = (await world.control('GET', '/sandbox/items')) as {
    items: readonly (Omit<SimulatedItem, 'publishedAt'> & { publishedAt: string })[];
  };
  return {
    world,
    history,
    workspaces,
    heads,
    posts,
    items: items.map((item) => ({ ...item, publishedAt: Date.parse(item.publishedAt) })),
    steps,
    commands: messagesOf(world, WORKSPACE_COMMANDS.name),
    jobs: [...messagesOf(world, PUBLISH.x.name), ...messagesOf(world, PUBLISH.threads.name)],
    timers: messagesOf(world, TIMERS.name),
    events: messagesOf(world, WORKSPACE_EVENTS.name),
    upkeep: messagesOf(world, CONNECTION_UPKEEP.name),
    deliverOrders: messagesOf(world, WEBHOOK_DELIVERIES.name),
    assets: await allAssets(world),
    deadLetters: messagesOf(world, DEAD_LETTERS.name).length,
    quiet,
  };
}

export async function allPosts(world: World, workspaceId: string): Promise<readonly Post[]> {
  const posts: Post[] = [];
  for (;;) {
    const page = await listPosts(world.truth, workspaceId, {
      from: null,
      to: null,
      limit: PAGE,
      before: posts.at(-1)?.id ?? null,
    });
    posts.push(...page.posts);
    if (!page.more) return posts;
  }
}

/** Of all Workspaces. */
export async function allAssets({ truth }: World): Promise<readonly Asset[]> {
  const assets: Asset[] = [];
  for (let after: string | null = null; ;) {
    const page = await truth.partitions(ASSETS, { after, limit: ASSETS_A_PAGE });
    for (const [assetId] of page.keys) assets.push((await findAsset(truth, assetId as string))!);
    if (page.next === null) return assets;
    after = page.next;
  }
}

function messagesOf(world: World, topic: string): LoggedMessage[] {
  const found: LoggedMessage[] = [];
  for (let partition = 0; partition < PARTITIONS; partition++) {
    for (const { value, timestamp: at } of world.log.control.records({ topic, partition })) {
      const decoded = world.codec.decodeNow(value);
      if (decoded?.ok) found.push({ message: decoded.message, value, at });
    }
  }
  return found;
}
