import { parallelMap } from '#concurrency/parallel-map.ts';
import { isUnavailable } from '#concurrency/retry.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import { postIdOfVariant, variantNumberOf } from '#domain/post/ids.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { DuePost } from '#domain/workspace/commands.ts';
import type { Message } from '#messages/messages.ts';
import { setTimers, type TimerOptions } from '#outbox/timers.ts';
import type { Cancel } from '#ports/clock.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { shardOf } from '#tables/declarations/topics.ts';
import { minuteOf, nameOfTimer, type DueTimer } from '#tables/repositories/due.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { readLookedAfter, writeLookedAfter } from '#tables/repositories/looked-after.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import { readShard, type ShardBody } from '#tables/repositories/shards.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';

export interface LostWorkOptions extends TimerOptions, Pick<WorldPorts, 'store' | 'clock' | 'ids' | 'reporter'> {
  readonly rules: Pick<Rules, 'missedWindowMs'>;
  /** A minute may have thousands of timers, and a store that answers at once lets nothing else run between them. */
  readonly slices: Pick<TimeSlices, 'begin'>;
}

interface FiredPlan {
  readonly timer: DueTimer;
  readonly message: Extract<Message, { type: 'PlanDue' }>;
}

const LOOK_MS = 60_000;
/** So long after a minute has fired whole, what it fired for is done or lost. Two watchdogs are ten minutes apart. */
const AFTER_MINUTES = 15;
const AFTER_MS = AFTER_MINUTES * 60_000;
/** A new owner does not know how far the former one came, and begins this much earlier. */
const AGAIN_MINUTES = 20;
/** How far looking has come is written down when it came this much further. */
const WRITE_AFTER_MINUTES = 15;
/** A watchdog's job sets the successor ten minutes ahead, so that it lies no further ahead of now than this. */
const NEXT_WITHIN_MINUTES = 11;
/** Work that is found within this is due at once; what is found later waits for half of the time beyond it. */
const PROMPT_MS = 60 * 60_000;
const PAGE = 500;
const SHARDS_AT_ONCE = 4;
const POSTS_AT_ONCE = 8;

type Watchdog = Extract<Message, { type: 'PublishVariant' | 'PublishComment' }>;

/** A watermark, and when it was read. */
interface Passed {
  readonly minute: number;
  readonly at: number;
}

/** How far looking has come in a shard, by minutes. */
interface Position {
  /** Watermarks that were read, oldest first: one that is a quarter of an hour old, and those since. */
  readonly passed: Passed[];
  /** The first that was not looked at. */
  next: number;
  /** As the store has it; null: it has none. */
  written: number | null;
}

/** A timer that fired, and what it was about of a Post. */
interface FiredWork {
  readonly timer: DueTimer;
  readonly workspaceId: string;
  readonly postId: string;
  readonly what:
    { readonly kind: 'due'; readonly due: DuePost } | { readonly kind: 'watchdog'; readonly job: Watchdog };
}

/**
 * Sets timers again whose message was appended, acknowledged, and lost with the end of a log: without them a Variant
 * would say `scheduled` or `publishing` for ever. The rows of timers are kept for a day after they fired, so a quarter
 * of an hour after a minute has fired whole, by its shard's watermark, they are read once more, and the Variants that
 * they were about are looked at. What such a Variant waits for is set anew as a timer of now, which is looked at in its
 * turn: the chain ends with the Variant and not with a lost record. The same holds for a change of a Plan.
 *
 * How far that has come is written down by shard. The watermark may pass hours at once, as when the log was away, and
 * the processes that own Workspaces may begin only after that.
 *
 * Everything found is harmless to do twice: Workspaces and publishers know Variants by their attempts. Two owners of a
 * shard may look at the same minutes.
 *
 * waiting -> looking, one shard after its first minute that was not looked at -> waiting. A minute that could not be
 * looked at is tried again. `stop` ends it for good.
 */
export class LostWork {
  readonly #options: LostWorkOptions;
  readonly #owned: () => readonly number[];
  readonly #positions = new Map<number, Position>();
  #cancel: Cancel = () => {};
  #isStopped = false;

  constructor(options: LostWorkOptions, owned: () => readonly number[]) {
    this.#options = options;
    this.#owned = owned;
  }

  start(): void {
    if (!this.#isStopped) this.#cancel = this.#options.clock.after(LOOK_MS, () => void this.#look());
  }

  ownersChanged(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.#positions.delete(shard);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    await parallelMap(SHARDS_AT_ONCE, this.#owned(), (shard) =>
      this.#lookAt(shard).catch((error: unknown) =>
        this.#options.reporter.failure('lost-work-look-failed', error, { shard }),
      ),
    );
    this.start();
  }

  async #lookAt(shard: number): Promise<void> {
    const { store, due } = this.#options;
    const row = await readShard(store, shard);
    if (row === null) return;
    const position = this.#positions.get(shard) ?? (await this.#begin(shard, row));
    this.#positions.set(shard, position);
    const passed = this.#passedLongAgo(position.passed, row.minute);
    if (passed === null) return;
    const until = Math.min(passed, row.minute);
    // A clock that led had moved the watermark ahead, and it went back since: those minutes have still to pass.
    if (position.next > until) position.next = until - AGAIN_MINUTES;
    for await (const minute of due.minutes(shard, position.next, until)) {
      await this.#lookAtMinute(shard, minute);
      if (this.#isStopped || !this.#owned().includes(shard) || this.#positions.get(shard) !== position) return;
      position.next = minute + 1;
      await this.#write(shard, position);
    }
    position.next = until;
    await this.#write(shard, position);
  }

  /** Where nothing is written yet, everything there is has to be looked at. */
  async #begin(shard: number, { minute, dropped }: ShardBody): Promise<Position> {
    const written = await readLookedAfter(this.#options.store, shard);
    return { passed: [], next: Math.min(written ?? dropped, minute - AFTER_MINUTES - AGAIN_MINUTES), written };
  }

  /**
   * The watermark of a quarter of an hour ago, given what it is now; null: none was read then. By when it passed and
   * not by where it stands: a backlog of hours passes at once, and what it fired still waits in the log. A clock that
   * leaps ahead makes it look too soon, which does no harm; one that was put back begins the quarter of an hour anew.
   */
  #passedLongAgo(passed: Passed[], minute: number): number | null {
    const at = this.#options.clock.now();
    if (passed.some((one) => one.at > at)) passed.length = 0;
    passed.push({ minute, at });
    const longAgo = passed.findLastIndex((one) => at - one.at >= AFTER_MS);
    if (longAgo === -1) return null;
    passed.splice(0, longAgo);
    return passed[0]!.minute;
  }

  async #write(shard: number, position: Position): Promise<void> {
    const { next, written } = position;
    if (written !== null && next >= written && next < written + WRITE_AFTER_MINUTES) return;
    const { store, ids } = this.#options;
    await writeLookedAfter(store, shard, { minute: next, token: ids.token() });
    position.written = next;
  }

  async #lookAtMinute(shard: number, minute: number): Promise<void> {
    const lost: FiredWork[] = [];
    const pause = this.#options.slices.begin(null);
    for await (const timers of this.#pages(shard, minute)) {
      const { fired: ofPosts, plans } = await this.#firedOf(timers, pause);
      for (const plan of plans) {
        await pause();
        await this.#changePlan(plan);
      }
      const byPost = Map.groupBy(ofPosts, ({ workspaceId, postId }) => `${workspaceId} ${postId}`);
      await parallelMap(POSTS_AT_ONCE, [...byPost.values()], async (fired) => {
        await pause();
        const { timer, workspaceId, postId } = fired[0]!;
        const post = await this.#readable(timer, readPost(this.#options.store, workspaceId, postId));
        if (post !== null) lost.push(...fired.flatMap((each) => this.#undone(each, post)));
      });
    }
    if (lost.length === 0) return;
    const lookedAfter = lost.some(({ what }) => what.kind === 'watchdog') && (await this.#namesAfter(shard, minute));
    const again = lost.filter(({ timer }) => !lookedAfter || !lookedAfter.has(nameOfTimer(timer.timerId)));
    await setTimers(
      this.#options,
      again.map((each) => this.#again(each)),
    );
    for (const { workspaceId, postId, what } of again)
      this.#options.reporter.report('lost-work-found', { workspaceId, postId, work: workOf(what) });
  }

  /** Null, too: the rows can not be read, now or later. All others are looked at all the same. */
  async #readable<T>({ shard }: DueTimer, reading: Promise<T | null>): Promise<T | null> {
    try {
      return await reading;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      this.#options.reporter.failure('lost-work-look-failed', error, { shard });
      return null;
    }
  }

  async *#pages(shard: number, minute: number): AsyncGenerator<readonly DueTimer[]> {
    for (let after: DueTimer | null = null; ;) {
      const timers: readonly DueTimer[] = await this.#options.due.read(shard, minute, after, PAGE);
      yield timers;
      if (timers.length < PAGE) return;
      after = timers.at(-1)!;
    }
  }

  /** A change of a Plan that is past due is tried again; that of a Plan that was set anew meanwhile is not. */
  async #changePlan({ timer, message }: FiredPlan): Promise<void> {
    const { store, clock, reporter } = this.#options;
    const head = await this.#readable(timer, readHead(store, message.workspaceId));
    const coming = head?.state.comingPlan ?? null;
    if (coming === null || clock.now() - coming.effectiveAt < AFTER_MS) return;
    const dueAt = this.#againAt(timer.dueAt);
    await setTimers(this.#options, [{ ...timer, timerId: nameOfTimer(timer.timerId), dueAt, message }]);
    reporter.report('lost-work-found', { workspaceId: message.workspaceId, work: 'plan' });
  }

  /** Those that Variants wait for, and those of Plans that were to change. */
  async #firedOf(
    timers: readonly DueTimer[],
    pause: () => Promise<void> | void,
  ): Promise<{ readonly fired: readonly FiredWork[]; readonly plans: readonly FiredPlan[] }> {
    const fired: FiredWork[] = [];
    const plans: FiredPlan[] = [];
    for (const timer of timers) {
      await pause();
      const decoded = await this.#options.codec.decode(timer.payload);
      if (!decoded.ok) continue;
      const { message } = decoded;
      if (message.type === 'VariantsDue')
        for (const due of message.posts)
          fired.push({ timer, workspaceId: message.workspaceId, postId: due.postId, what: { kind: 'due', due } });
      else if (message.type === 'PlanDue') plans.push({ timer, message });
      else if (isWatchdog(message))
        fired.push({
          ...{ timer, workspaceId: message.workspaceId, postId: postIdOfVariant(message.variantId) },
          what: { kind: 'watchdog', job: message },
        });
    }
    return { fired, plans };
  }

  /** What of it is still to be done, though it fired so long ago. */
  #undone(fired: FiredWork, post: Post): readonly FiredWork[] {
    const { what } = fired;
    const variantOf = (number: number) => post.variants.find(({ id }) => variantNumberOf(id) === number);
    if (what.kind === 'watchdog') {
      const variant = variantOf(variantNumberOf(what.job.variantId));
      return variant !== undefined && isWaitedFor(variant, what.job) ? [fired] : [];
    }
    const variants = what.due.variants.filter((number) => {
      const variant = variantOf(number);
      return variant !== undefined && variant.attempt === what.due.attempt && this.#isForgotten(variant);
    });
    return variants.length === 0 ? [] : [{ ...fired, what: { kind: 'due', due: { ...what.due, variants } } }];
  }

  /** What a hold keeps back is released by its queue, and what waits for its files has a timer for when that ends. */
  #isForgotten({ status, dueAt, hold, mediaReady }: Variant): boolean {
    const lateMs = this.#options.clock.now() - dueAt - AFTER_MS;
    if (status !== 'scheduled' || hold?.waiting === true) return false;
    return lateMs >= 0 && (mediaReady || lateMs > this.#options.rules.missedWindowMs);
  }

  /** Names of the timers since: a watchdog with a successor is looked after. */
  async #namesAfter(shard: number, minute: number): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    const until = minuteOf(this.#options.clock.now()) + NEXT_WITHIN_MINUTES + 1;
    for (let later = minute + 1; later < until; later++)
      for await (const timers of this.#pages(shard, later))
        for (const { timerId } of timers) names.add(nameOfTimer(timerId));
    return names;
  }

  /**
   * At once the first time, then later and later: a message may also wait in the log, because its consumer is away or
   * its key is parked, and what is set again comes behind it.
   */
  #againAt(since: number): number {
    const now = this.#options.clock.now();
    return now + Math.max(0, Math.floor((now - since - PROMPT_MS) / 2));
  }

  #again({ timer, workspaceId, what }: FiredWork): TimerEffect {
    const dueAt = this.#againAt(what.kind === 'watchdog' ? what.job.dueAt : timer.dueAt);
    const shard = shardOf(workspaceId);
    const { topic, key } = timer;
    if (what.kind === 'watchdog')
      return { shard, timerId: nameOfTimer(timer.timerId), dueAt, topic, key, message: what.job };
    const { due } = what;
    const timerId = `again/${due.postId}/${due.attempt}/${due.variants[0]}`;
    return { shard, timerId, dueAt, topic, key, message: { type: 'VariantsDue', workspaceId, posts: [due] } };
  }
}

function workOf(what: FiredWork['what']): 'due' | 'publish' | 'comment' {
  if (what.kind === 'due') return 'due';
  return what.job.type === 'PublishComment' ? 'comment' : 'publish';
}

function isWatchdog(message: Message): message is Watchdog {
  return (message.type === 'PublishVariant' || message.type === 'PublishComment') && message.why === 'watchdog';
}

function isWaitedFor({ status, attempt, firstComment }: Variant, job: Watchdog): boolean {
  return job.type === 'PublishComment'
    ? status === 'published' && firstComment?.status === 'waiting'
    : status === 'publishing' && attempt === job.attempt;
}
