import { backoffMs, type Backoff } from '#concurrency/backoff.ts';
import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { withDeadline } from '#concurrency/deadline.ts';
import { transition, type Transitions } from '#concurrency/transition.ts';
import { workingOn } from '#concurrency/work-in-hand.ts';
import type { DeliverEvent } from '#messages/messages.ts';
import type { Endpoints } from '#domain/webhook/endpoint.ts';
import { waitedLongEnough } from '#domain/webhook/schedule.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import { deliverTimer } from './delivery-messages.ts';
import type { DeliveryAttempts, AttemptResult } from './attempts.ts';
import { FairQueue, type FairQueueLimits, type FairQueueOptions } from './fair-queue.ts';
import { keyOf, PendingAttempt, type Settlement } from './pending-attempt.ts';

export interface DispatcherOptions {
  readonly attempts: Pick<DeliveryAttempts, 'make' | 'giveUp' | 'isOver'>;
  readonly endpointsOf: (workspaceId: string) => Promise<Endpoints>;
  /** Durable when it resolves. */
  readonly setTimer: (timer: TimerEffect) => Promise<void>;
  /** Called with the result of every attempt that was made, in no order. */
  readonly onResult: (job: DeliverEvent, result: AttemptResult) => void;
  /** Called with a job whose delivery ended for want of a turn. */
  readonly onGivenUp: (job: DeliverEvent) => void;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly limits: FairQueueLimits;
  readonly pool: FairQueueOptions['pool'];
  /** Whether so many records wait that none may wait for another. */
  readonly isPressed: () => boolean;
}

/** How long a record of the log waits for its attempt; after that a timer guards the attempt in its stead. */
export const HOLD_MS = 250;
/**
 * How long a record waits for room in the queue of an endpoint that answers. A burst goes through such a queue faster
 * than through timers.
 */
const MAX_ROOM_WAIT_MS = 5_000;
const MAX_DEFERRAL_MS = 600_000;
/** How long a job is deferred, by how often it was before. */
const DEFERRAL: Backoff = { firstMs: 30_000, maxMs: MAX_DEFERRAL_MS };
/** The endpoint answers and only has more deliveries than find room: its queue has room again within seconds. */
const DEFERRAL_FOR_ROOM: Backoff = { firstMs: 2_000, maxMs: MAX_DEFERRAL_MS };
const MAX_HOSTS = 50_000;

type Mode = 'running' | 'draining' | 'stopped';
const TRANSITIONS: Transitions<Mode> = {
  running: ['draining', 'stopped'],
  draining: ['stopped'],
  stopped: ['stopped'],
};

/**
 * Gives attempts their turns in a fair queue, and never lets the log wait for them: `offer` resolves as soon as the job
 * can not be lost any more. That is when its outcome is durable, if it comes fast. Otherwise it is when a timer is
 * durable that brings the same job again; by then the attempt has mostly been made, and the job is dropped. A job that
 * finds no room in the queue is deferred by a timer, too: at once where the endpoint is in trouble or too many records
 * of the log wait, otherwise after it waited for room in vain. So memory holds a bounded part of what is pending, and a
 * crash loses none.
 *
 * running -> `drain` -> draining (no attempt begins, those that run end) -> `stop` -> stopped. From any mode `stop`
 * ends it at once; a repeat changes nothing, nor does a `drain` after it.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queue: FairQueue<PendingAttempt>;
  readonly #pending = new Map<string, PendingAttempt>();
  /** By endpoint: an endpoint's address is for life. */
  readonly #hosts = createBoundedMap<string, string>(MAX_HOSTS);
  /** Offers that wait for room, by endpoint. */
  readonly #roomless = new Map<string, (() => void)[]>();
  #mode: Mode = 'running';
  #onIdle: (() => void)[] = [];

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#queue = new FairQueue({ ...options, onTurn: () => this.#begin() });
  }

  get running(): number {
    return this.#queue.running;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  get isStopped(): boolean {
    return this.#mode === 'stopped';
  }

  /** Rejects with `PortError`; offering again is harmless. */
  async offer(job: DeliverEvent): Promise<void> {
    const key = keyOf(job);
    // A job that a timer brings again has mostly been made: in a queue it would need a timer of its own, and while too
    // many records wait those timers would multiply.
    if (job.putOff > 0 && !this.#pending.has(key) && (await this.#options.attempts.isOver(job))) return;
    const pending = this.#pending.get(key) ?? (await this.#room(job));
    if (pending === null) return this.#defer(job);
    const settled = this.#isSlow(pending) ? null : await this.#settlesSoon(pending);
    if (settled === null) return pending.guard(job, () => this.#bringAgain(job, DEFERRAL));
    if (settled === 'early' && pending.job !== job) return this.offer(job);
  }

  /**
   * An endpoint in trouble is not expected to answer soon. While too many records of the log wait, no record waits for
   * an endpoint that has a queue.
   */
  #isSlow({ isRunning, endpointId }: PendingAttempt): boolean {
    if (!isRunning && this.#queue.isTroubled(endpointId)) return true;
    return this.#queue.waitingOf(endpointId) > 0 && this.#options.isPressed();
  }

  /** How the attempt settled; null: not within the hold. Rejects as the attempt does. */
  #settlesSoon({ settled }: PendingAttempt): Promise<Settlement | null> {
    const { clock } = this.#options;
    return withDeadline<Settlement, null>(settled, { clock, deadlineMs: HOLD_MS, onLate: () => null });
  }

  /** Resolves when what runs has ended. */
  async drain(): Promise<void> {
    if (this.#mode === 'running') this.#enter('draining');
    if (this.#queue.running > 0 && this.#mode === 'draining')
      await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  stop(): void {
    this.#enter('stopped');
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Takes the job in once its endpoint's queue has room; null: there is no room that it may wait for. */
  async #room(job: DeliverEvent): Promise<PendingAttempt | null> {
    const { clock, isPressed } = this.#options;
    const host = await this.#hostOf(job);
    const giveUpAt = clock.monotonic() + MAX_ROOM_WAIT_MS;
    for (;;) {
      const pending = this.#take(job, host);
      const mayWait =
        this.#mode === 'running' &&
        !isPressed() &&
        !this.#queue.isTroubled(job.endpointId) &&
        clock.monotonic() < giveUpAt;
      if (pending !== null || !mayWait) return pending;
      await this.#mayHaveRoom(job.endpointId);
    }
  }

  /** Resolves when an attempt at the endpoint begins, or soon: there may be reasons not to wait any longer. */
  async #mayHaveRoom(endpointId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#roomless.get(endpointId) ?? [];
    this.#roomless.set(endpointId, waiting);
    waiting.push(resolve);
    const cancel = this.#options.clock.after(HOLD_MS, resolve);
    await promise;
    cancel();
    const index = waiting.indexOf(resolve);
    if (index >= 0) waiting.splice(index, 1);
    if (waiting.length === 0) this.#roomless.delete(endpointId);
  }

  /** Null: no room. Another offer of the same may have come in while the host was looked up. */
  #take(job: DeliverEvent, host: string): PendingAttempt | null {
    const known = this.#pending.get(keyOf(job));
    if (known !== undefined) return known;
    const pending = new PendingAttempt(job, host);
    if (!this.#queue.offer(pending)) return null;
    this.#pending.set(pending.key, pending);
    this.#begin();
    return pending;
  }

  #begin(): void {
    while (this.#mode === 'running') {
      const next = this.#queue.next();
      if (next === null) return;
      this.#roomless.get(next.endpointId)?.shift()?.();
      const about = { work: 'webhook-attempts', workspaceId: next.job.workspaceId };
      void workingOn(about, () => this.#run(next));
    }
  }

  async #run(pending: PendingAttempt): Promise<void> {
    pending.begin();
    let isSuccess: boolean | null = null;
    try {
      const result = await this.#options.attempts.make(pending.job);
      if (result !== null && result !== 'early') {
        this.#options.onResult(pending.job, result);
        if (result.endpoint !== null) isSuccess = result.sent.outcome === 'succeeded';
      }
      pending.settle(result === 'early' ? 'early' : 'done');
    } catch (error) {
      this.#options.reporter.failure('webhook-attempt-retried', error, {
        endpointId: pending.endpointId,
        deliveryId: pending.job.deliveryId,
      });
      pending.fail(error);
    }
    this.#pending.delete(pending.key);
    this.#queue.done(pending, isSuccess);
    this.#begin();
    if (this.#queue.running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  async #defer(job: DeliverEvent): Promise<void> {
    this.#options.reporter.report('webhook-delivery-deferred', {
      endpointId: job.endpointId,
      deliveryId: job.deliveryId,
      deferrals: job.putOff + 1,
    });
    const isOld = waitedLongEnough(job.roundSince, this.#options.clock.now());
    if (isOld && waitedLongEnough(0, leastWaitMs(job.putOff))) {
      await this.#options.attempts.giveUp(job);
      return this.#options.onGivenUp(job);
    }
    return this.#bringAgain(job, this.#queue.isTroubled(job.endpointId) ? DEFERRAL : DEFERRAL_FOR_ROOM);
  }

  #bringAgain(job: DeliverEvent, deferral: Backoff): Promise<void> {
    const { type: _, ...fields } = job;
    const at = this.#options.clock.now() + backoffMs(deferral, job.putOff);
    return this.#options.setTimer(deliverTimer({ ...fields, putOff: job.putOff + 1 }, at));
  }

  async #hostOf({ workspaceId, endpointId }: DeliverEvent): Promise<string> {
    const known = this.#hosts.get(endpointId);
    if (known !== undefined) return known;
    const endpoint = (await this.#options.endpointsOf(workspaceId))[endpointId];
    const host = endpoint === undefined ? '' : (URL.parse(endpoint.url)?.host ?? '');
    this.#hosts.set(endpointId, host);
    return host;
  }

  #enter(mode: Mode): void {
    this.#mode = transition('the dispatcher', TRANSITIONS, this.#mode, mode);
  }
}

/**
 * How long a job has at least waited for a turn that was put off so often. Its age tells less: while no process ran,
 * none of those that are due had the chance of a turn, and after that only some find room at once.
 */
function leastWaitMs(putOff: number): number {
  return Array.from({ length: putOff }, (_, index) => backoffMs(DEFERRAL_FOR_ROOM, index)).reduce(
    (sum, ms) => sum + ms,
    0,
  );
}
