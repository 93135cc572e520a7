import type { DeliverEvent } from '#messages/messages.ts';
import { isCanary } from '#domain/canary.ts';
import { deliveryStatusOf, type DeliveryAttempt, type Round } from '#domain/webhook/delivery.ts';
import { traceIdOf } from '#domain/traceparent.ts';
import { isVariantId, postIdOfVariant } from '#domain/post/ids.ts';
import { isActive, type Endpoint, type Endpoints } from '#domain/webhook/endpoint.ts';
import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import { timersAfterEarly } from '#domain/workspace/woken-early.ts';
import type { Clock } from '#ports/clock.ts';
import { retryWhileUnavailable } from '#concurrency/retry.ts';
import type { Ids } from '#ports/ids.ts';
import { NO_TRACER, type Tracer } from '#ports/tracer.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { DeliveryRows, StoredDelivery } from '#tables/repositories/deliveries.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import type { DisabledEndpoints } from './disabled-endpoints.ts';
import { CANARY_RECEIVER } from './canary-receiver.ts';
import { deliverTimer } from './delivery-messages.ts';
import { endDelivery, startDelivery } from './delivery-span.ts';
import { send, type SendResult, type SendOptions } from './send-attempt.ts';

export interface AttemptOptions extends SendOptions {
  readonly tracer?: Tracer;
  readonly rows: DeliveryRows;
  readonly endpointsOf: (workspaceId: string) => Promise<Endpoints>;
  readonly disabled: Pick<DisabledEndpoints, 'has'>;
  /** Durable when it resolves. */
  readonly setTimer: (timer: TimerEffect) => Promise<void>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'token'>;
  readonly reporter: Reporter;
  /** Whether the dispatcher has stopped: a result that can not be written is then left to the next owner. */
  readonly isStopped: () => boolean;
}

/** What an attempt came to. */
export interface AttemptResult {
  /** Null: the attempt tells nothing about an endpoint. */
  readonly endpoint: Endpoint | null;
  readonly sent: SendResult;
  readonly startedAt: number;
  /** The delivery has an end. */
  readonly ended: boolean;
}

const STOPPED: SendResult = {
  outcome: 'stopped',
  status: null,
  error: 'The endpoint was stopped or deleted before the event reached it.',
  excerpt: '',
  retryAfterMs: null,
};
const DISABLED: SendResult = {
  ...STOPPED,
  error:
    'The endpoint was disabled, because every attempt had failed for five days. Send a test event, or this delivery again, to enable it.',
};
const NEVER_TRIED: SendResult = {
  outcome: 'never_tried',
  status: null,
  error: 'The endpoint was so slow with other deliveries that this one had no turn within a day.',
  excerpt: '',
  retryAfterMs: null,
};

/**
 * One attempt, from the rows of its delivery: rows read -> event sent -> timer of the next attempt set -> outcome
 * written. A process that dies before the outcome is written leaves an attempt that is made again. A process that finds
 * the outcome knows that the timer is set, too, and has nothing to do. In the other order every repeat would have to
 * set the timer once more, and each of those timers would bring repeats of its own.
 */
export class DeliveryAttempts {
  readonly #options: AttemptOptions;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /**
   * Null: there was nothing to do, or it was done already; `early`: a timer brings the job again. Rejects with
   * `PortError` where nothing was sent; then it may be called again.
   */
  async make(job: DeliverEvent): Promise<AttemptResult | 'early' | null> {
    const { rows, endpointsOf, clock } = this.#options;
    // Never from a cache: an endpoint that was deleted a moment ago is sent nothing.
    const [kept, endpoints] = await Promise.all([rows.find(job.deliveryId), endpointsOf(job.workspaceId)]);
    const round = roundFor(job, kept);
    if (kept === null || round === null) return null;
    const endpoint = endpoints[job.endpointId];
    const startedAt = clock.now();
    const standing = deliveryStatusOf(round, kept.attempts);
    // A job's timer is durable before the outcome of the attempt in front of it is: the rows may not show its instant.
    const at = standing.state === 'pending' ? Math.max(standing.at, job.dueAt) : startedAt;
    if (at - startedAt > CLOCK_SKEW_MS) return this.#comeAgain(job, timersAfterEarly(at, startedAt));
    if (!isActive(endpoint)) return this.#keep(job, kept, round, { sent: STOPPED, startedAt, endpoint: null });
    if (await this.#options.disabled.has(job.endpointId))
      return this.#keep(job, kept, round, { sent: DISABLED, startedAt, endpoint: null });
    const options = isCanary(job.workspaceId) ? { ...this.#options, publicHttp: CANARY_RECEIVER } : this.#options;
    const span = startDelivery(this.#options.tracer ?? NO_TRACER, job, { endpoint, eventId: kept.eventId });
    const { trace } = span;
    const sent = await send(options, endpoint, { eventId: kept.eventId, body: kept.body, trace });
    endDelivery(span, sent);
    return this.#keep(trace === undefined ? job : { ...job, trace: job.trace ?? trace }, kept, round, {
      sent,
      startedAt,
      endpoint,
    });
  }

  /**
   * Sets timers for an attempt that came before its instant, from a scheduler whose clock is ahead: made now, attempts
   * would follow each other without a gap for as long as that clock is wrong.
   */
  async #comeAgain(job: DeliverEvent, instants: readonly number[]): Promise<'early'> {
    await Promise.all(instants.map((at) => this.#options.setTimer(deliverTimer(withoutType(job), at))));
    return 'early';
  }

  /** Whether this attempt was made, or will never be. Rejects with `PortError`. */
  async isOver(job: DeliverEvent): Promise<boolean> {
    return roundFor(job, await this.#options.rows.find(job.deliveryId)) === null;
  }

  /** Ends a delivery that waited a day without a turn, unless it has an end. Rejects with `PortError`. */
  async giveUp(job: DeliverEvent): Promise<void> {
    const kept = await this.#options.rows.find(job.deliveryId);
    const round = roundFor(job, kept);
    if (kept !== null && round !== null)
      await this.#keep(job, kept, round, { sent: NEVER_TRIED, startedAt: this.#options.clock.now(), endpoint: null });
  }

  async #keep(
    job: DeliverEvent,
    kept: StoredDelivery,
    round: Round,
    result: Omit<AttemptResult, 'ended'>,
  ): Promise<AttemptResult> {
    const { rows, clock, ids } = this.#options;
    const { sent, startedAt } = result;
    const attempt: DeliveryAttempt = {
      round: round.id,
      attempt: job.attempt,
      startedAt,
      finishedAt: clock.now(),
      ...sent,
    };
    const token = ids.token(9);
    const standing = deliveryStatusOf(round, [...kept.attempts, attempt]);
    // While the store is away only the writing is tried again; nothing is sent again.
    if (standing.state === 'pending') {
      const next = deliverTimer(
        { ...withoutType(job), attempt: standing.attempt, dueAt: standing.at, putOff: 0 },
        standing.at,
      );
      await this.#whenAvailable(() => this.#options.setTimer(next));
    }
    await this.#whenAvailable(() => rows.keepAttempt(kept, attempt, token));
    if (!isCanary(job.workspaceId)) this.#report(job, kept, attempt, standing.state);
    return { ...result, ended: standing.state !== 'pending' };
  }

  #whenAvailable(work: () => Promise<void>): Promise<void> {
    const { clock, reporter, isStopped } = this.#options;
    return retryWhileUnavailable(work, {
      clock,
      mayRetry: () => !isStopped(),
      report: (error, failures) => reporter.failure('handling-retried', error, { consumer: 'webhooks', failures }),
    });
  }

  /** One wide line for each attempt, and one for each end. */
  #report(
    job: DeliverEvent,
    kept: StoredDelivery,
    attempt: DeliveryAttempt,
    state: 'pending' | 'succeeded' | 'failed',
  ): void {
    const { reporter } = this.#options;
    const { outcome, status, startedAt, finishedAt } = attempt;
    const about = {
      workspaceId: job.workspaceId,
      postId: postIdIn(kept.body),
      endpointId: job.endpointId,
      deliveryId: job.deliveryId,
      eventId: kept.eventId,
      attempt: attempt.attempt,
      traceId: traceIdOf(job.trace),
    };
    if (outcome !== 'stopped' && outcome !== 'never_tried') {
      const spent = { durationMs: finishedAt - startedAt, latenessMs: Math.max(0, startedAt - job.dueAt) };
      reporter.report('webhook-attempt-ended', {
        ...about,
        outcome,
        status,
        try: attempt.attempt === 1 ? 'first' : 'retry',
        ...spent,
        error: attempt.error,
      });
    }
    if (state !== 'pending') {
      const end =
        state === 'succeeded' ? 'succeeded' : outcome === 'stopped' || outcome === 'never_tried' ? outcome : 'given_up';
      reporter.report('webhook-delivery-ended', { ...about, outcome: end, sinceEventMs: finishedAt - kept.createdAt });
    }
  }
}

/** The round if it waits for this attempt, or for an earlier one whose outcome was lost; null: it does not. */
function roundFor(job: DeliverEvent, kept: StoredDelivery | null): Round | null {
  const round = kept?.rounds.find(({ id }) => id === job.round);
  if (kept === null || round === undefined) return null;
  const standing = deliveryStatusOf(round, kept.attempts);
  return standing.state === 'pending' && standing.attempt <= job.attempt ? round : null;
}

const VARIANT_OF_EVENT = /"variant":\{"id":"([0-9a-f-]{36})"/;
/** The Variant stands behind the event's id, type and instant. */
const HEAD_BYTES = 512;

/** Of the Post that the event is about, for the log; null: it is about none that there is. */
function postIdIn(body: Uint8Array): string | null {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, HEAD_BYTES)).toString('latin1');
  const variantId = VARIANT_OF_EVENT.exec(head)?.[1];
  return variantId !== undefined && isVariantId(variantId) ? postIdOfVariant(variantId) : null;
}

function withoutType({ type: _, ...job }: DeliverEvent): Omit<DeliverEvent, 'type'> {
  return job;
}
