import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { DeliverEvent } from '#messages/messages.ts';
import type { Endpoints } from '#domain/webhook/endpoint.ts';
import { waitedLongEnough } from '#domain/webhook/schedule.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#ports/reporter.ts';
import { deliverTimer } from './delivery-messages.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import type { DeliveryAttempts, AttemptResult } from './attempts.ts';
import { FairQueue, type FairQueueLimits, type QueuedDelivery } from './fair-queue.ts';

export interface DispatcherOptions {
  readonly attempts: Pick<DeliveryAttempts, 'make' | 'giveUp' | 'isOver'>;
  readonly endpointsOf: (workspaceId: string) => Promise<Endpoints>;
  /** Durable when it resolves. */
  readonly setTimer: (timer: TimerEffect) => Promise<void>;
  /** Told of every attempt that was made, in no order. */
  readonly heard: (job: DeliverEvent, made: AttemptResult) => void;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly limits: FairQueueLimits;
  /** That so many records wait that none may wait for another. */
  readonly isPressed: () => boolean;
}

/** A job taken in: waiting for its turn -> running -> settled. */
interface Held extends QueuedDelivery {
  readonly key: string;
  readonly job: DeliverEvent;
  /** Resolves when what came of it is durable; rejects with `PortError` when that is for another try. */
  readonly settled: Promise<void>;
  readonly settle: { resolve(): void; reject(error: unknown): void };
  running: boolean;
  /** The timer that answers for it now, by its `putOff`; a job that came by it, or by a later one, has used it up. */
  guard: { readonly putOff: number; readonly set: Promise<void> } | null;
}

/** As long as this a record of the log waits for its attempt; then a timer looks after the attempt in its stead. */
export const HOLD_MS = 250;
/**
 * So long a record waits for room behind others of an endpoint that answers: less than going by way of a timer takes.
 */
export const ROOM_WITHIN_MS = 5_000;
const FIRST_WAIT_MS = 30_000;
/** Of one that answers, and has only more at once than finds room: no longer than its queue lasts. */
const FIRST_WAIT_FOR_ROOM_MS = 2_000;
const MAX_WAIT_MS = 600_000;
const MAX_HOSTS = 50_000;

/**
 * Gives attempts their turns, and never lets the log wait for them: `offer` resolves as soon as somebody durable
 * answers for the job. That is what came of it, where that comes fast; else a timer which brings the same job again, by
 * when it is mostly done and the job found out of date. What finds no room goes the same way: at once where the
 * endpoint is in trouble or the log presses, else after it waited for room in vain. So memory holds a bounded part of
 * what is pending, and a crash loses none.
 *
 * running -> draining (nothing begins, what runs ends) -> stopped; from any mode `stop` lets go at once.
 */
export class Dispatcher {
  readonly #parts: DispatcherOptions;
  readonly #queue: FairQueue<Held>;
  readonly #held = new Map<string, Held>();
  /** By endpoint: an endpoint's address is for life. */
  readonly #hosts = createBoundedMap<string, string>(MAX_HOSTS);
  /** Who waits for room, by endpoint. */
  readonly #roomless = new Map<string, (() => void)[]>();
  #mode: 'running' | 'draining' | 'stopped' = 'running';
  #onIdle: (() => void)[] = [];

  constructor(parts: DispatcherOptions) {
    this.#parts = parts;
    this.#queue = new FairQueue(parts.limits);
  }

  get running(): number {
    return this.#queue.running;
  }

  get waiting(): number {
    return this.#queue.waiting;
  }

  get isOver(): boolean {
    return this.#mode === 'stopped';
  }

  /** Rejects with `PortError`; offering again is harmless. */
  async offer(job: DeliverEvent): Promise<void> {
    const key = `${job.deliveryId} ${job.round} ${job.attempt}`;
    // What a timer brings again is mostly done: in a queue it would need a timer of its own, and under pressure they
    // would breed.
    if (job.putOff > 0 && !this.#held.has(key) && (await this.#parts.attempts.isOver(job))) return;
    const held = this.#held.get(key) ?? (await this.#room(key, job));
    if (held === null) return this.#putOff(job);
    if (this.#isSlow(held) || !(await this.#settlesSoon(held))) await this.#guarded(held, job);
  }

  /**
   * Nothing is to be expected soon of an endpoint in trouble; and where the log presses, nobody waits for one that has
   * a queue.
   */
  #isSlow({ running, endpointId }: Held): boolean {
    if (!running && this.#queue.isTroubled(endpointId)) return true;
    return this.#queue.waitingOf(endpointId) > 0 && this.#parts.isPressed();
  }

  /** Rejects as it did. */
  async #settlesSoon({ settled }: Held): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<false>();
    const cancel = this.#parts.clock.after(HOLD_MS, () => resolve(false));
    try {
      return await Promise.race([settled.then(() => true), late]);
    } finally {
      cancel();
    }
  }

  /**
   * One timer at a time, however often the same job comes: each would bring it again, and each of those would set one
   * more.
   */
  #guarded(held: Held, job: DeliverEvent): Promise<void> {
    if (held.guard === null || job.putOff >= held.guard.putOff) {
      const guard = { putOff: job.putOff + 1, set: this.#comeAgain(job, FIRST_WAIT_MS) };
      held.guard = guard;
      // One that could not be set answers for nobody.
      guard.set.catch(() => void (held.guard === guard && (held.guard = null)));
    }
    return held.guard.set;
  }

  /** Resolves when what runs has ended. */
  async drain(): Promise<void> {
    if (this.#mode === 'running') this.#mode = 'draining';
    if (this.#queue.running > 0 && this.#mode === 'draining')
      await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  stop(): void {
    this.#mode = 'stopped';
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Null: there is none, and none is to be waited for. */
  async #room(key: string, job: DeliverEvent): Promise<Held | null> {
    const { clock, isPressed } = this.#parts;
    const host = await this.#hostOf(job);
    const giveUpAt = clock.monotonic() + ROOM_WITHIN_MS;
    for (;;) {
      const held = this.#take(key, job, host);
      const mayWait =
        this.#mode === 'running' &&
        !isPressed() &&
        !this.#queue.isTroubled(job.endpointId) &&
        clock.monotonic() < giveUpAt;
      if (held !== null || !mayWait) return held;
      await this.#mayHaveRoom(job.endpointId);
    }
  }

  /** Resolves when one of the endpoint had its turn, and soon anyway: there may be reasons not to wait any longer. */
  async #mayHaveRoom(endpointId: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#roomless.get(endpointId) ?? [];
    this.#roomless.set(endpointId, waiting);
    waiting.push(resolve);
    const cancel = this.#parts.clock.after(HOLD_MS, resolve);
    await promise;
    cancel();
    const index = waiting.indexOf(resolve);
    if (index >= 0) waiting.splice(index, 1);
    if (waiting.length === 0) this.#roomless.delete(endpointId);
  }

  /** Null: no room. Another offer of the same may have come in while the host was looked up. */
  #take(key: string, job: DeliverEvent, host: string): Held | null {
    const known = this.#held.get(key);
    if (known !== undefined) return known;
    const { promise: settled, resolve, reject } = Promise.withResolvers<void>();
    // Whoever offered it may have let a timer answer for it by the time it fails.
    settled.catch(() => {});
    const held: Held = {
      key,
      job,
      endpointId: job.endpointId,
      host,
      isFresh: job.attempt === 1,
      settled,
      settle: { resolve, reject },
      running: false,
      guard: null,
    };
    if (!this.#queue.offer(held)) return null;
    this.#held.set(key, held);
    this.#begin();
    return held;
  }

  #begin(): void {
    while (this.#mode === 'running') {
      const next = this.#queue.next();
      if (next === null) return;
      this.#roomless.get(next.endpointId)?.shift()?.();
      void this.#run(next);
    }
  }

  async #run(held: Held): Promise<void> {
    held.running = true;
    let isSuccess: boolean | null = null;
    try {
      const made = await this.#parts.attempts.make(held.job);
      if (made !== null) this.#parts.heard(held.job, made);
      if (made?.endpoint != null) isSuccess = made.said.outcome === 'succeeded';
      held.settle.resolve();
    } catch (error) {
      this.#parts.reporter.failure('attempt-waits', error, {
        endpointId: held.endpointId,
        deliveryId: held.job.deliveryId,
      });
      held.settle.reject(error);
    }
    this.#held.delete(held.key);
    this.#queue.done(held, isSuccess);
    this.#begin();
    if (this.#queue.running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  async #putOff(job: DeliverEvent): Promise<void> {
    this.#parts.reporter.report('delivery-put-off', {
      endpointId: job.endpointId,
      deliveryId: job.deliveryId,
      times: job.putOff + 1,
    });
    if (waitedLongEnough(job.roundSince, this.#parts.clock.now())) return this.#parts.attempts.giveUp(job);
    return this.#comeAgain(job, this.#queue.isTroubled(job.endpointId) ? FIRST_WAIT_MS : FIRST_WAIT_FOR_ROOM_MS);
  }

  #comeAgain(job: DeliverEvent, firstWaitMs: number): Promise<void> {
    const { type: _, ...fields } = job;
    const at = this.#parts.clock.now() + Math.min(MAX_WAIT_MS, firstWaitMs * 2 ** Math.min(job.putOff, 10));
    return this.#parts.setTimer(deliverTimer({ ...fields, putOff: job.putOff + 1 }, at));
  }

  async #hostOf({ workspaceId, endpointId }: DeliverEvent): Promise<string> {
    const known = this.#hosts.get(endpointId);
    if (known !== undefined) return known;
    const endpoint = (await this.#parts.endpointsOf(workspaceId))[endpointId];
    const host = endpoint === undefined ? '' : (URL.parse(endpoint.url)?.host ?? '');
    this.#hosts.set(endpointId, host);
    return host;
  }
}
