import type { Codec, DeliverEvent, VariantOutcome } from '#messages/messages.ts';
import type { TraceCarrier } from '#domain/traceparent.ts';
import { FIRST_ROUND, isForgotten, newDelivery, type Delivery } from '#domain/webhook/delivery.ts';
import { isActive, type Endpoints } from '#domain/webhook/endpoint.ts';
import type { SendTestEvent } from '#domain/workspace/commands.ts';
import type { OutcomeType } from '#domain/webhook/outcome-type.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { appendMessages } from '#outbox/relay.ts';
import type { DeliveryRows } from '#tables/repositories/deliveries.ts';
import type { MessageEffect } from '#tables/rows/pending-effects.ts';
import { deliverMessage } from './delivery-messages.ts';

export interface FanOutOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly reporter: Pick<Reporter, 'report'>;
  readonly rows: Pick<DeliveryRows, 'make' | 'isInOrderWithLog'>;
  readonly endpointsOf: (workspaceId: string) => Promise<Endpoints>;
  readonly log: Log;
  readonly codec: Codec;
  readonly slices?: Pick<TimeSlices, 'begin'> | undefined;
}

/**
 * Of the events of deliveries that are on their way to the store: each has its own copy of its event, and the store may
 * write all that it is given at once before anything else has its turn.
 */
const WRITTEN_AT_ONCE_BYTES = 1_000_000;
/** Deliveries that are made in one go: some two milliseconds of the event loop. */
const MADE_AT_ONCE = 16;

/**
 * Makes of each event one delivery for each endpoint that listened when it was committed and still exists, and appends
 * its first attempt. An event that is older than deliveries are remembered is left out. The rows are written before the
 * append, for the consumer of the attempt reads them; where they are in order with the log, one commit has both, and an
 * append that stands without its rows, which were refused, is of an attempt that finds nothing to do. A repeat makes
 * the same deliveries under the same ids. Rejects with `PortError`.
 */
export async function fanOut(
  options: FanOutOptions,
  workspaceId: string,
  outcomes: readonly VariantOutcome[],
): Promise<void> {
  const wanted = outcomes.filter((outcome) => outcome.endpointIds.length > 0 && !isTooOld(options, outcome));
  if (wanted.length === 0) return;
  const endpoints = await options.endpointsOf(workspaceId);
  const attempts: MessageEffect[] = [];
  const pause = options.slices?.begin(workspaceId);
  let onTheirWay: Promise<unknown>[] = [];
  let bytes = 0;
  for (const group of madeAtOnce(wanted, endpoints)) {
    await pause?.();
    if (bytes > 0 && bytes + group.bytes > WRITTEN_AT_ONCE_BYTES) {
      await Promise.all(onTheirWay);
      [onTheirWay, bytes] = [[], 0];
    }
    bytes += group.bytes;
    const { written, first } = makeDeliveries(options, group.deliveries);
    // Awaited once further groups are made: a failure until then must not end the process as unhandled.
    written.catch(() => {});
    onTheirWay.push(written);
    attempts.push(...first);
  }
  await Promise.all(onTheirWay);
  if (attempts.length > 0) await appendMessages(options, attempts);
}

/** `first`: attempts that are appended once all is written, as the log is in no order with the rows. */
function makeDeliveries(
  options: FanOutOptions,
  some: readonly Addressed[],
): { readonly written: Promise<unknown>; readonly first: readonly MessageEffect[] } {
  const isInOrder = options.rows.isInOrderWithLog;
  const deliveries = some.map(({ outcome, endpointId, body }) => ({ delivery: aboutOf(outcome, endpointId), body }));
  const written = deliveries.map(({ delivery, body }) => makeFirst(options.rows, delivery, body));
  const first = some.map(({ outcome }, index) =>
    deliverMessage({ ...firstAttempt(deliveries[index]!.delivery), ...inTraceOf(outcome) }),
  );
  return isInOrder
    ? { written: Promise.all([...written, appendMessages(options, first)]), first: [] }
    : { written: Promise.all(written), first };
}

interface Addressed {
  readonly outcome: VariantOutcome;
  readonly endpointId: string;
  readonly body: Uint8Array;
}

/** What is made in one go. */
interface Group {
  readonly deliveries: readonly Addressed[];
  /** Of their events. */
  readonly bytes: number;
}

/** Each event goes to its endpoints that still exist. */
function* madeAtOnce(outcomes: readonly VariantOutcome[], endpoints: Endpoints): Generator<Group> {
  let deliveries: Addressed[] = [];
  let bytes = 0;
  for (const outcome of outcomes) {
    const body = Buffer.from(outcome.body, 'utf8');
    for (const endpointId of outcome.endpointIds.filter((each) => isActive(endpoints[each]))) {
      const isFull = deliveries.length === MADE_AT_ONCE || bytes + body.length > WRITTEN_AT_ONCE_BYTES;
      if (deliveries.length > 0 && isFull) {
        yield { deliveries, bytes };
        deliveries = [];
        bytes = 0;
      }
      deliveries.push({ outcome, endpointId, body });
      bytes += body.length;
    }
  }
  if (deliveries.length > 0) yield { deliveries, bytes };
}

/**
 * An event from so long ago comes again only from the outbox of a Workspace whose owner ended, and which nobody used
 * since. Whether it was delivered is not known any more, and it was, in all likelihood.
 */
function isTooOld(
  { clock, reporter }: Pick<FanOutOptions, 'clock' | 'reporter'>,
  { workspaceId, eventId, createdAt }: Pick<VariantOutcome, 'workspaceId' | 'eventId' | 'createdAt'>,
): boolean {
  if (!isForgotten(createdAt, clock.now())) return false;
  reporter.report('webhook-event-expired', { workspaceId, eventId });
  return true;
}

/**
 * The first attempt at a test event, its delivery made; null: the endpoint is not there, or the event is too old.
 * Rejects with `PortError`.
 */
export async function makeTestDelivery(
  { rows, endpointsOf, ...options }: Omit<FanOutOptions, 'log' | 'codec'>,
  test: SendTestEvent,
): Promise<DeliverEvent | null> {
  if (isTooOld(options, test)) return null;
  const { workspaceId, endpointId, eventId, eventType, createdAt, body } = test;
  if (!isActive((await endpointsOf(workspaceId))[endpointId])) return null;
  const delivery = newDelivery({ workspaceId, endpointId, eventId, type: eventType, createdAt });
  await makeFirst(rows, delivery, Buffer.from(body, 'utf8'));
  return { type: 'DeliverEvent', ...firstAttempt(delivery), ...inTraceOf(test) };
}

/** A delivery belongs to the trace of what it is about. */
function inTraceOf({ trace }: TraceCarrier): TraceCarrier {
  return trace === undefined ? {} : { trace };
}

function aboutOf({ type, workspaceId, eventId, createdAt }: VariantOutcome, endpointId: string): Delivery {
  const eventType: OutcomeType = type === 'VariantPublished' ? 'variant.published' : 'variant.failed';
  return newDelivery({ workspaceId, endpointId, eventId, type: eventType, createdAt });
}

/** With its first round. */
function makeFirst(rows: FanOutOptions['rows'], delivery: Delivery, body: Uint8Array): Promise<void> {
  return rows.make(delivery, { id: FIRST_ROUND, since: delivery.createdAt }, body);
}

function firstAttempt({ id, workspaceId, endpointId, createdAt }: Delivery): Omit<DeliverEvent, 'type'> {
  return {
    workspaceId,
    endpointId,
    deliveryId: id,
    round: FIRST_ROUND,
    roundSince: createdAt,
    attempt: 1,
    dueAt: createdAt,
    putOff: 0,
  };
}
