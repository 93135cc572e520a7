import { parallelMap } from '#concurrency/parallel-map.ts';
import { isCanary } from '#domain/canary.ts';
import { dayOf, weekOf } from '#domain/calendar.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import type { RemovePosts } from '#domain/workspace/turn-step.ts';
import { isOver } from '#domain/workspace/decide/remove-posts.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { Cancel } from '#ports/clock.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { createLedger } from '#tables/repositories/ledger.ts';
import { postsOfOldDay, weekIsEmpty } from '#tables/repositories/old-posts.ts';
import { oldestPeriods, type ListedPeriod } from '#tables/repositories/post-days.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { readRemoval, removedPostOf, removeTraces, writeRemoval, type Removal } from '#tables/repositories/removals.ts';
import { listWorkspaceIds } from '#tables/repositories/workspaces.ts';
import { shardOf } from '#tables/declarations/topics.ts';

export interface OldPostsOptions extends Pick<WorldPorts, 'store' | 'clock' | 'ids' | 'reporter'> {
  readonly rules: Pick<Rules, 'postsKeptMs'>;
}

const HOUR_MS = 3_600_000;
const FIRST_ROUND_MS = HOUR_MS;
const ROUND_MS = 6 * HOUR_MS;
const WORKSPACES_A_PAGE = 200;
/** Each a turn. */
const POSTS_A_SLICE = 100;
/** Between two slices of a Workspace, so that its own work comes first: at most 500 Posts a second. */
const REST_MS = 200;
const AT_ONCE = 8;

/**
 * Removes Posts that ended longer ago than they are kept, of the Workspaces that are owned here: every six hours a
 * round over all of them, which costs a Workspace without old Posts two reads.
 *
 * A slice is at most a hundred Posts of one day. What is to be removed is written down, a turn of the Workspace removes
 * the Posts, and then what is left of them is removed. A process may end between any two of these: the next round
 * begins with what is written down. The ledger goes last, because a Variant whose ledger is gone could be published
 * twice if its Post were still there.
 *
 * new -> asleep -> a round -> asleep. `stop` ends it for good, after the slice that is under way.
 */
export class OldPosts {
  readonly #options: OldPostsOptions;
  readonly #owned: () => readonly number[];
  readonly #decide: (step: RemovePosts) => Promise<void>;
  readonly #stopping = new AbortController();
  #cancelNext: Cancel = () => {};
  #round: Promise<void> = Promise.resolve();

  /** `decide`: has a turn of the Workspace decide on the step. Rejects with `PortError`. */
  constructor(options: OldPostsOptions, owned: () => readonly number[], decide: (step: RemovePosts) => Promise<void>) {
    this.#options = options;
    this.#owned = owned;
    this.#decide = decide;
  }

  start(): void {
    this.#cancelNext = this.#after(FIRST_ROUND_MS);
  }

  stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancelNext();
    return this.#round;
  }

  #after(delayMs: number): Cancel {
    return this.#options.clock.after(delayMs, () => {
      this.#round = this.round().finally(() => {
        if (!this.#isStopped) this.#cancelNext = this.#after(ROUND_MS);
      });
    });
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Looks at every Workspace once. What fails is reported, and is for the next round. */
  async round(): Promise<void> {
    const { store, reporter } = this.#options;
    try {
      for (let after: string | null = null; !this.#isStopped;) {
        const { ids, next } = await listWorkspaceIds(store, { after, limit: WORKSPACES_A_PAGE });
        const owned = new Set(this.#owned());
        for (const id of ids) if (owned.has(shardOf(id)) && !isCanary(id)) await this.#workspace(id);
        if (next === null) return;
        after = next;
      }
    } catch (error) {
      reporter.failure('post-removal-failed', error, { workspaceId: '' });
    }
  }

  async #workspace(workspaceId: string): Promise<void> {
    if (this.#isStopped) return;
    const { store, clock, rules, reporter } = this.#options;
    const before = clock.now() - rules.postsKeptMs;
    try {
      const days = await oldestPeriods(store, workspaceId, 'written', dayOf(before) + 1);
      const weeks = await oldestPeriods(store, workspaceId, 'due', weekOf(before));
      if (days.length + weeks.length === 0) return;
      const removing = await RemovalUnderWay.of(workspaceId, this.#options, this.#decide);
      for (const day of days) await this.#day({ workspaceId, day, before }, removing);
      for (const week of weeks)
        if (!this.#isStopped && (await weekIsEmpty(store, workspaceId, week)))
          await removing.empty('weeks', week.number);
      await removing.end();
    } catch (error) {
      reporter.failure('post-removal-failed', error, { workspaceId });
    }
  }

  async #day(
    { workspaceId, day, before }: { readonly workspaceId: string; readonly day: ListedPeriod; readonly before: number },
    removing: RemovalUnderWay,
  ): Promise<void> {
    const { store, clock } = this.#options;
    let kept = 0;
    for await (const posts of postsOfOldDay(store, { workspaceId, day }, POSTS_A_SLICE)) {
      if (this.#isStopped) return;
      const over = await this.#over(posts, before);
      const removed = over.length === 0 ? 0 : await removing.remove(over);
      kept += posts.length - removed;
      if (removed > 0) await clock.sleep(REST_MS, this.#stopping.signal);
    }
    if (kept === 0 && !this.#isStopped) await removing.empty('days', day.number);
  }

  /** Those whose last step at a Network was before the instant, too: an attempt may have waited for weeks. */
  async #over(posts: readonly Post[], before: number): Promise<readonly Post[]> {
    const ledger = createLedger(this.#options.store);
    const over: Post[] = [];
    await parallelMap(
      AT_ONCE,
      posts.filter((post) => isOver(post, before)),
      async (post) => {
        for (let number = 1; number <= post.variants.length; number++) {
          const steps = await ledger.attempts(variantIdOf(post.id, number));
          if (steps.some(({ finishedAt }) => finishedAt >= before)) return;
        }
        over.push(post);
      },
    );
    return over;
  }
}

/** Removals of one Workspace, one slice after the other. */
class RemovalUnderWay {
  readonly #workspaceId: string;
  readonly #options: OldPostsOptions;
  readonly #decide: (step: RemovePosts) => Promise<void>;
  #written: Removal;

  private constructor(
    workspaceId: string,
    options: OldPostsOptions,
    decide: (step: RemovePosts) => Promise<void>,
    written: Removal,
  ) {
    this.#workspaceId = workspaceId;
    this.#options = options;
    this.#decide = decide;
    this.#written = written;
  }

  /** Begins by ending what an owner before us left. Rejects with `PortError`. */
  static async of(
    workspaceId: string,
    options: OldPostsOptions,
    decide: (step: RemovePosts) => Promise<void>,
  ): Promise<RemovalUnderWay> {
    const removal = new RemovalUnderWay(workspaceId, options, decide, await readRemoval(options.store, workspaceId));
    await removal.#carryOut();
    return removal;
  }

  /** How many of them were removed; the turn may find that some have not ended. Rejects with `PortError`. */
  async remove(posts: readonly Post[]): Promise<number> {
    await this.#write(posts.map(removedPostOf));
    const removed = await this.#carryOut();
    this.#options.reporter.report('posts-removed', { workspaceId: this.#workspaceId, posts: removed });
    return removed;
  }

  /** Rejects with `PortError`. */
  empty(what: 'days' | 'weeks', number: number): Promise<void> {
    return this.#turn([], { days: [], weeks: [], [what]: [number] });
  }

  async end(): Promise<void> {
    if (this.#written.posts.length > 0) await this.#write([]);
  }

  async #write(posts: Removal['posts']): Promise<void> {
    const { store, ids } = this.#options;
    const written = await writeRemoval(store, this.#workspaceId, { over: this.#written, posts, token: ids.token() });
    if (written === null) throw new Error(`another owner of workspace ${this.#workspaceId} removes its posts`);
    this.#written = written;
  }

  async #carryOut(): Promise<number> {
    const { store, ids } = this.#options;
    const { posts } = this.#written;
    if (posts.length === 0) return 0;
    // Also if it was done before: the turn brings about what an owner that ended in its middle still owes.
    await this.#turn(
      posts.map(({ postId }) => postId),
      { days: [], weeks: [] },
    );
    let removed = 0;
    await parallelMap(AT_ONCE, posts, async (post) => {
      if ((await readPost(store, this.#workspaceId, post.postId)) !== null) return;
      await removeTraces(store, post, () => ids.token());
      removed += 1;
    });
    return removed;
  }

  #turn(postIds: readonly string[], empty: RemovePosts['empty']): Promise<void> {
    return this.#decide({ type: 'RemovePosts', workspaceId: this.#workspaceId, postIds, empty });
  }
}
