import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import { isRequested, type Command, type CreatePost } from '#domain/workspace/commands.ts';
import type { RemovePosts } from '#domain/workspace/turn-step.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { TableStore } from '#ports/table-store.ts';
import {
  PUBLISH_ARMS,
  PUBLISH_EVIDENCE,
  POSTS,
  POSTS_BY_DUE_WEEK,
  VARIANT_METRICS,
} from '#tables/declarations/tables.ts';
import { bucketNumber } from '#tables/buckets.ts';
import { SHARDS } from '#tables/declarations/topics.ts';
import { createLedger, type Evidence } from '#tables/repositories/ledger.ts';
import { listPeriods } from '#tables/repositories/post-days.ts';
import { listPosts } from '#tables/repositories/post-list.ts';
import { createMetricsRows } from '#tables/repositories/variant-metrics.ts';
import { dayOf, weekOf } from '#domain/calendar.ts';
import { DAY, RULES, type Asking } from '#testing/scenario.ts';
import type { WorkspaceActor } from './actor.ts';
import { OldPosts } from './old-posts.ts';
import { aLife, type ShortLife } from './short-life.fixture.ts';
import { openWorkspaceHarness, type OwnersRelease, type WorkspaceHarness } from './workspace-harness.fixture.ts';

export const STORES = ['partition', 'store', 'sqlite'] as const;
/** A process ended in the middle of a round. */
export const CRASH = Symbol('crash');

const ALL_SHARDS = Array.from({ length: SHARDS }, (_, shard) => shard);

/** A Workspace with a Post that was published and failed, and one that was cancelled, and what is kept of them. */
export class OldWorkspace {
  readonly startedAt: number;
  readonly #harness: WorkspaceHarness;
  readonly #life: ShortLife;
  readonly #reporter = createMemoryReporter();
  readonly #posts: readonly CreatePost[];
  #seed = 100;
  #more = 0;
  /** Of the latest round. */
  #owner: WorkspaceActor | null = null;
  readonly #most = { postsATurn: 0, rowsAsked: 0 };

  private constructor(harness: WorkspaceHarness, life: ShortLife, posts: readonly CreatePost[]) {
    this.#harness = harness;
    this.#life = life;
    this.#posts = posts;
    this.startedAt = harness.clock.now();
  }

  /** `more`: Posts that were cancelled, beside the two. */
  static async open(
    kind: (typeof STORES)[number] | TableStore,
    more = 0,
    release?: OwnersRelease,
  ): Promise<OldWorkspace> {
    const harness = openWorkspaceHarness(kind);
    const life = aLife();
    const actor = harness.actor(life.scenario.id, undefined, undefined, release);
    for (const batch of life.batches) await harness.handle(actor, batch);
    const posts = life.all.filter((command): command is CreatePost & Command => command.type === 'CreatePost');
    const world = new OldWorkspace(harness, life, posts);
    for (let index = 0; index < more; index++) {
      const creating = life.scenario.creating({ text: `more ${index}`, scheduledAt: life.scenario.now + DAY });
      const { postId } = creating as CreatePost;
      await harness.handle(actor, [creating, life.scenario.ask({ type: 'CancelPost', postId })]);
      world.#more += 1;
    }
    const [now] = world.ids;
    await world.#keep(now!, harness.clock.now());
    await harness.rest();
    return world;
  }

  get #store(): TableStore {
    return this.#harness.store;
  }

  get #id(): string {
    return this.#life.scenario.id;
  }

  /** Of the Posts, the newest last. */
  get ids(): readonly string[] {
    return this.#posts.map(({ postId }) => postId);
  }

  get neverCreated(): string {
    return `${this.ids[0]!.slice(0, -4)}ff00`;
  }

  async #keep(postId: string, at: number): Promise<void> {
    const ledger = createLedger(this.#store);
    for (const variant of [1, 2]) {
      const variantId = variantIdOf(postId, variant);
      const arm = { ...ARM, attempt: 1, armedAt: at };
      await ledger.moveArm(variantId, await ledger.readArm(variantId), arm, `arm ${variant} ${at}`);
      await ledger.writeEvidence(variantId, { ...EVIDENCE, startedAt: at, finishedAt: at, id: `e${at}` });
    }
    await createMetricsRows(this.#store, () => `m${at}`).change(postId, variantIdOf(postId, 1), () => ({
      metrics: null,
      readAt: at,
      nextAt: null,
    }));
  }

  /** The Network says something more `afterMs` after the Post was published. */
  async sayAgain(afterMs: number): Promise<void> {
    await this.#keep(this.ids[0]!, this.startedAt + afterMs);
  }

  async age(ms: number): Promise<void> {
    await this.#harness.clock.advance(ms);
  }

  /** One round of a process of its own. */
  async round(): Promise<void> {
    const failed = this.#reporter.failures().length;
    await this.#run(this.#process());
    if (this.#reporter.failures().length > failed) throw new Error(JSON.stringify(this.#reporter.failures().at(-1)));
  }

  /** The process does nothing more after so many steps; else null. */
  async roundThatEndsAfter(steps: number): Promise<typeof CRASH | null> {
    let left = steps;
    const step = (): Promise<void> => (left-- > 0 ? Promise.resolve() : Promise.reject(new Error('it ended')));
    await this.#run(this.#process(step));
    return left < 0 ? CRASH : null;
  }

  /** A Member retries a Variant after the round has chosen its Post, and before the turn that is to remove it. */
  async retryBetween(postId: string): Promise<void> {
    const now = this.#harness.clock.now();
    const retry = this.#life.scenario.ask({
      type: 'RetryVariant',
      variantId: variantIdOf(postId, 2),
      issuedAt: now,
      notAfter: now + 60_000,
    });
    let isRetried = false;
    const before = async (step: RemovePosts): Promise<void> => {
      if (isRetried || step.postIds.length === 0) return;
      isRetried = true;
      await this.#harness.handle(this.#harness.actor(this.#id), [retry]);
    };
    await this.#run(this.#process(undefined, before));
  }

  #process(step = (): Promise<void> => Promise.resolve(), before?: (step: RemovePosts) => Promise<void>): OldPosts {
    const actor = this.#harness.actor(this.#id, step);
    this.#owner = actor;
    const most = this.#most;
    const store = new Proxy(this.#harness.store, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...args: readonly unknown[]) => {
          await step();
          const { limit = 0 } = (args[2] ?? {}) as { readonly limit?: number };
          if (name === 'slice') most.rowsAsked = Math.max(most.rowsAsked, limit);
          const result: unknown = await method.apply(target, args);
          await step();
          return result;
        };
      },
    });
    const { clock } = this.#harness;
    const options = { store, clock, ids: createSeededIds(this.#seed++), reporter: this.#reporter, rules: RULES };
    return new OldPosts(
      options,
      () => ALL_SHARDS,
      async (removing) => {
        most.postsATurn = Math.max(most.postsATurn, removing.postIds.length);
        await before?.(removing);
        await actor.handle([removing]);
      },
    );
  }

  async #run(oldPosts: OldPosts): Promise<void> {
    let isOver = false;
    const round = oldPosts.round().finally(() => (isOver = true));
    while (!isOver) {
      await this.#harness.clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await round;
    await oldPosts.stop();
  }

  /** Of the owner of the latest round, which may have cached what it removed. */
  async ask(asking: Asking): Promise<Result | undefined> {
    const now = this.#harness.clock.now();
    const command = this.#life.scenario.ask({ ...asking, issuedAt: now, notAfter: now + 60_000 });
    await this.#harness.handle(this.#owner ?? this.#harness.actor(this.#id), [command]);
    return isRequested(command)
      ? this.#harness.answers.findLast(({ requestId }) => requestId === command.requestId)?.result
      : undefined;
  }

  /** The reports of its life, once more. */
  async reportAgain(): Promise<void> {
    const reports = this.#life.all.filter(({ type }) => type === 'VariantsDue' || type.startsWith('Publish'));
    await this.#harness.handle(this.#harness.actor(this.#id), reports);
  }

  removed(): number {
    return this.#reporter.of('posts-removed').reduce((sum, { facts }) => sum + (facts['posts'] as number), 0);
  }

  most(): Readonly<{ postsATurn: number; rowsAsked: number }> {
    return this.#most;
  }

  async postIds(): Promise<readonly string[]> {
    const filter = { from: null, to: null, limit: 1_000, before: null };
    const { posts } = await listPosts(this.#store, this.#id, filter, this.#harness.clock.now());
    return posts.map(({ id }) => id).toReversed();
  }

  /** How many buckets the day of its Posts has, and the week in which they are due. */
  async buckets(): Promise<readonly number[]> {
    const periods = await Promise.all([
      listPeriods(this.#store, this.#id, 'written'),
      listPeriods(this.#store, this.#id, 'due'),
    ]);
    return periods.map(([period]) => 1 + (period?.ends.length ?? -1));
  }

  async writtenDays(): Promise<readonly number[]> {
    return (await listPeriods(this.#store, this.#id, 'written')).map(({ number }) => number);
  }

  /** Of the Post's first Variant; one that was cancelled never had any. */
  async hasLedger(postId: string): Promise<boolean> {
    if (postId !== this.ids[0]) return true;
    const ledger = createLedger(this.#store);
    const variantId = variantIdOf(postId, 1);
    return (await ledger.readArm(variantId)) !== null && (await ledger.attempts(variantId)).length > 0;
  }

  /** What is left of its Posts in any table: rows that are not void. */
  async left(): Promise<readonly string[]> {
    const [now, later] = this.ids;
    const buckets = Array.from({ length: this.#posts.length + this.#more }, (_, bucket) => bucket);
    const variants = [1, 2].map((number) => variantIdOf(now!, number));
    const slices = [
      ...buckets.map((of) => [POSTS, [this.#id, bucketNumber(dayOf(this.startedAt), of)]] as const),
      ...buckets.map((of) => [POSTS_BY_DUE_WEEK, [this.#id, bucketNumber(weekOf(this.startedAt + DAY), of)]] as const),
      ...variants.map((id) => [PUBLISH_ARMS, [id]] as const),
      ...variants.map((id) => [PUBLISH_EVIDENCE, [id]] as const),
      [VARIANT_METRICS, [now!]],
      [VARIANT_METRICS, [later!]],
    ] as const;
    const rows = await Promise.all(
      slices.map(async ([table, partition]) =>
        (await this.#store.slice(table, partition, { limit: 1_000 }))
          .filter(({ body }) => body.length > 0)
          .map(({ clustering }) => `${table.name} ${clustering.join(' ')}`),
      ),
    );
    return rows.flat();
  }
}

const ARM = {
  stage: 'closed',
  handle: null,
  armToken: 't',
  sendBefore: 0,
  notBefore: 0,
  asked: 0,
  failures: 0,
  refreshed: false,
  earlier: null,
  verdict: null,
} as const;

const EVIDENCE: Omit<Evidence, 'startedAt' | 'finishedAt' | 'id'> = {
  attempt: 1,
  step: 'publish',
  armToken: 't',
  outcome: 'published',
  detail: '',
  remoteId: 'r',
  permalink: null,
  failure: null,
};
