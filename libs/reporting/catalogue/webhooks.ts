import { counts, event, failure, observes, repeatedWarning, retried } from '../event.ts';
import { id, milliseconds, number, optional, text, word } from '../fact.ts';
import { counter, gauge, histogram, LATENESS_SECONDS, REQUEST_SECONDS } from '../metric.ts';

const AGE_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600, 4 * 3600, 12 * 3600, 24 * 3600];

const attempts = counter('crier_webhook_attempts_total', 'Attempts at delivering an event to an endpoint', ['outcome']);
const attemptDuration = histogram(
  'crier_webhook_attempt_duration_seconds',
  'Duration of an attempt, with the look-up of the name',
  REQUEST_SECONDS,
  ['outcome'],
);
const ends = counter('crier_webhook_deliveries_ended_total', 'Rounds of deliveries that came to an end', ['outcome']);
const attemptLateness = histogram(
  'crier_webhook_attempt_lateness_seconds',
  'From the instant an attempt was due to its start; for a first attempt, from when its event happened',
  LATENESS_SECONDS,
  ['try'],
);
const age = histogram(
  'crier_webhook_delivery_age_seconds',
  'From when an event happened to the end of its delivery',
  AGE_SECONDS,
  ['outcome'],
);
const disabled = counter(
  'crier_webhook_endpoints_disabled_total',
  'Endpoints that were disabled because every attempt had failed for five days',
);
const deferred = counter(
  'crier_webhook_deliveries_deferred_total',
  'Times a delivery was set back into a timer because the fair queue was full',
);

const delivery = {
  workspaceId: id,
  /** Of the Post that the event is about. */
  postId: optional(id),
  endpointId: id,
  deliveryId: id,
  eventId: id,
  traceId: optional(id),
  attempt: number,
};

export const WEBHOOK_EVENTS = {
  'webhook-attempt-ended': event({
    level: 'debug',
    help: 'One attempt at delivering an event to an endpoint ended',
    facts: {
      ...delivery,
      outcome: word('succeeded', 'refused', 'redirected', 'timed_out', 'unreachable', 'unsafe'),
      status: optional(number),
      try: word('first', 'retry'),
      durationMs: milliseconds,
      latenessMs: milliseconds,
      error: optional(text),
    },
    feeds: [counts(attempts), observes(attemptDuration, 'durationMs'), observes(attemptLateness, 'latenessMs')],
  }),
  'webhook-delivery-ended': event({
    level: 'debug',
    help: 'A round of a delivery ended. stopped: its endpoint was stopped or deleted; never_tried: no attempt in a day',
    facts: {
      ...delivery,
      outcome: word('succeeded', 'given_up', 'stopped', 'never_tried'),
      sinceEventMs: milliseconds,
    },
    feeds: [counts(ends), observes(age, 'sinceEventMs')],
  }),
  'webhook-delivery-deferred': repeatedWarning({
    help: 'A delivery was set back into a timer because the fair queue was full',
    facts: { endpointId: id, deliveryId: id, deferrals: number },
    feeds: [counts(deferred)],
  }),
  'webhook-endpoint-disabled': event({
    level: 'warn',
    help: 'An endpoint was disabled: every attempt at it had failed for five days',
    facts: { workspaceId: id, endpointId: id, failingMs: milliseconds, error: text },
    feeds: [counts(disabled)],
  }),
  'webhook-event-expired': repeatedWarning({
    help: 'An event came again after more than 30 days, from the outbox of a Workspace whose owner had ended: it is delivered no more',
    facts: { workspaceId: id, eventId: id },
  }),
};

export const WEBHOOK_FAILURES = {
  'webhook-attempt-retried': retried('An attempt could not be made or recorded; its job is handled again', {
    endpointId: id,
    deliveryId: id,
  }),
  'endpoint-health-write-failed': failure("An endpoint's mark as failing could not be written", { endpointId: id }),
};

export const WEBHOOK_GAUGES = {
  webhookAttemptsInFlight: gauge('crier_webhook_attempts_in_flight', 'Attempts at endpoints that run now'),
  webhookDeliveriesQueued: gauge('crier_webhook_deliveries_queued', 'Deliveries that wait in the fair queue'),
  webhookEndpointsFailing: gauge(
    'crier_webhook_endpoints_failing',
    'Endpoints of which at least the last three attempts failed',
  ),
  webhookOldestPending: gauge(
    'crier_webhook_oldest_pending_seconds',
    'Age of the oldest delivery that failed and will be tried again, among those this process attempted',
  ),
};
