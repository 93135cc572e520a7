import { NETWORKS, PLACEMENTS } from '#domain/network.ts';
import { FAILURE_REASONS } from '#schemas/http/variant-words.ts';
import { counts, event, failure, observes, repeatedWarning } from '../event.ts';
import { id, milliseconds, number, optional, text, word } from '../fact.ts';
import { counter, gauge, histogram, LATENESS_SECONDS } from '../metric.ts';

const SINCE_DUE_SECONDS = [0.1, 0.25, 0.5, 1, 2, 5, 15, 30, 60, 120, 300, 600, 900, 3600];

const attempts = counter('crier_attempts_ended_total', 'Attempts at Variants that came to an end', [
  'network',
  'placement',
  'outcome',
  'reason',
]);
const sinceDue = histogram(
  'crier_attempt_since_due_seconds',
  'From the instant a Variant was due to the end of its attempt',
  SINCE_DUE_SECONDS,
  ['network', 'outcome'],
);
const startLateness = histogram(
  'crier_variant_start_lateness_seconds',
  'From the instant a scheduled Variant was due to the first call of its first attempt to its Network, less the time for which publishing was held',
  LATENESS_SECONDS,
  ['network'],
);
const publishDuration = histogram(
  'crier_publish_duration_seconds',
  'From the first call of an attempt to its verdict, with what it waited for; of attempts that one process took from end to end',
  [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 300, 900],
  ['network', 'placement', 'outcome'],
);
const requestDuration = histogram(
  'crier_network_request_duration_seconds',
  'Requests to Networks by attempts at Variants and comments. operation: the step of an attempt that made it; status_class none: no answer came',
  [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 40, 120],
  ['network', 'operation', 'status_class'],
);
const networkWait = histogram(
  'crier_network_wait_seconds',
  "How long each attempt that was held back is to wait. why allowance: the quota is used up; circuit: the circuit breaker is open; asked: the Network's own answers ask for it; concurrency: as many Channels as may be at once are worked on, measured when the wait is over",
  [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
  ['network', 'why'],
);
const firstComments = counter('crier_first_comments_ended_total', 'First comments that came to an end', [
  'network',
  'outcome',
]);
const watchdogs = counter(
  'crier_attempt_watchdogs_fired_total',
  'Attempts that a watchdog runs again because their end was not reported',
  ['network'],
);
const circuitTransitions = counter(
  'crier_network_circuit_transitions_total',
  "Times a Network's circuit breaker opened, after which attempts wait and one probe at a time goes out, or closed",
  ['network', 'state'],
);
const personRequests = counter(
  'crier_person_requests_total',
  'Requests of people that Networks passed on: to remove our app, or to delete what we hold',
  ['network', 'request'],
);
const connectionEnds = counter(
  'crier_connection_ends_total',
  'Tries to end, at the Network, the tokens of Channels that were disconnected',
  ['network', 'outcome'],
);
const upkeeps = counter('crier_connection_upkeeps_total', 'Upkeeps of Channels that are seldom used', [
  'network',
  'outcome',
]);
const insightsReadings = counter('crier_insights_readings_total', 'Readings of the figures of published Variants', [
  'network',
  'outcome',
]);
const refreshes = counter(
  'crier_connection_refreshes_total',
  'Refreshes of the tokens of Channels. refused: the Channel has to be connected again',
  ['network', 'outcome'],
);

const network = word(...NETWORKS);
const attemptFacts = {
  network,
  workspaceId: id,
  postId: id,
  variantId: id,
  attempt: number,
  traceId: optional(id),
};
const refreshFacts = { channelId: id, network, status: number, detail: text };

const holdFacts = { network: text, workspaceId: text, by: text, reason: text };

export const PUBLISHING_EVENTS = {
  'publishing-held': event({
    level: 'warn',
    help: 'An operator or an owner holds publishing: nothing new is sent in the scope. network, workspaceId: `*` for all',
    facts: holdFacts,
  }),
  'publishing-released': event({
    level: 'warn',
    help: 'An operator or an owner ended a hold: what waited is published, in order',
    facts: holdFacts,
  }),
  'attempt-ended': event({
    level: 'info',
    help: 'An attempt at a Variant came to its verdict',
    facts: {
      ...attemptFacts,
      placement: word(...PLACEMENTS),
      outcome: word('published', 'failed', 'unconfirmed'),
      reason: word(...FAILURE_REASONS, 'none'),
      sinceDueMs: milliseconds,
      /** Left out where another process began it, or no call was made. */
      tookMs: optional(milliseconds),
    },
    feeds: [
      counts(attempts, { constants: { outcome: 'published', reason: 'none' }, when: ['outcome', 'published'] }),
      counts(attempts, { constants: { outcome: 'failed' }, when: ['outcome', 'failed'] }),
      counts(attempts, {
        constants: { outcome: 'unconfirmed', reason: 'unconfirmed' },
        when: ['outcome', 'unconfirmed'],
      }),
      observes(sinceDue, 'sinceDueMs'),
      observes(publishDuration, 'tookMs'),
    ],
  }),
  'attempt-begun': event({
    level: 'debug',
    help: 'An attempt at a Variant makes its first call to its Network. latenessMs: of the first attempt at a scheduled one',
    facts: { ...attemptFacts, latenessMs: optional(milliseconds) },
    feeds: [observes(startLateness, 'latenessMs')],
  }),
  'attempt-held-back': event({
    level: 'debug',
    help: 'An attempt waits, without being counted as failed: for its quota, its circuit breaker, or as its Network asked',
    facts: { ...attemptFacts, why: word('allowance', 'circuit', 'asked'), waitMs: milliseconds },
    feeds: [observes(networkWait, 'waitMs')],
  }),
  'channel-waited': event({
    level: 'debug',
    isWritten: false,
    help: 'A Channel with attempts waited because as many as may be at once were worked on',
    facts: { network, waitMs: milliseconds },
    feeds: [observes(networkWait, 'waitMs', { constants: { why: 'concurrency' } })],
  }),
  'network-request-ended': event({
    level: 'debug',
    isWritten: false,
    help: 'A request to a Network was answered, or got no answer',
    facts: {
      network,
      operation: word('prepare', 'publish', 'reconcile'),
      statusClass: word('2xx', '3xx', '4xx', '5xx', 'none'),
      durationMs: milliseconds,
    },
    feeds: [observes(requestDuration, 'durationMs')],
  }),
  'first-comment-ended': event({
    level: 'info',
    help: 'The first comment under a Variant was sent, or will not be',
    facts: { ...attemptFacts, outcome: word('published', 'failed', 'unconfirmed') },
    feeds: [counts(firstComments)],
  }),
  'attempt-at-removed-post': event({
    level: 'warn',
    help: 'A job of a Post that was removed, as it ended long ago, came once more, from a dead letter or a backup: it is left out',
    facts: attemptFacts,
  }),
  'attempt-watchdog-fired': event({
    level: 'warn',
    help: 'The end of an attempt was not reported in time; its watchdog runs the job again',
    facts: attemptFacts,
    feeds: [counts(watchdogs)],
  }),
  'circuit-breaker-opened': event({
    level: 'warn',
    help: 'A Network failed repeatedly: its attempts wait, and one probe at a time goes out',
    facts: { network, detail: text },
    feeds: [counts(circuitTransitions, { constants: { state: 'opened' } })],
  }),
  'circuit-breaker-closed': event({
    level: 'info',
    help: 'A probe succeeded: the attempts at the Network go out again',
    facts: { network, detail: text },
    feeds: [counts(circuitTransitions, { constants: { state: 'closed' } })],
  }),
  'channels-connected': event({
    level: 'info',
    help: 'A sign-in connected Channels',
    facts: { network, workspaceId: id, count: number },
  }),
  'connection-refreshed': event({
    level: 'debug',
    help: 'The tokens of a Channel were refreshed',
    facts: { channelId: id, network },
    feeds: [counts(refreshes, { constants: { outcome: 'refreshed' } })],
  }),
  'connection-refresh-refused': event({
    level: 'warn',
    help: 'A Network refused to refresh the tokens of a Channel, which has to be connected again',
    facts: refreshFacts,
    feeds: [counts(refreshes, { constants: { outcome: 'refused' } })],
  }),
  'connection-refresh-failed': repeatedWarning({
    help: 'The tokens of a Channel could not be refreshed for now; it is tried again',
    facts: refreshFacts,
    feeds: [counts(refreshes, { constants: { outcome: 'failed' } })],
  }),
  'person-request-accepted': event({
    level: 'info',
    help: 'A Network passed on that a person removed our app, or wants what we hold of them deleted. count: the Channels of the person',
    facts: { network, request: word('deauthorize', 'delete'), count: number },
    feeds: [counts(personRequests)],
  }),
  'person-request-refused': repeatedWarning({
    help: 'A request that said to come from a Network, on behalf of a person, was not signed by it',
    facts: { network, reason: text },
    feeds: [counts(personRequests, { constants: { request: 'refused' } })],
  }),
  'connection-end-tried': event({
    level: 'info',
    help: 'The tokens of a Channel that was disconnected were to be ended at the Network. shared: a Channel of the same person lives on; superseded: it was connected again, or this was done before; unavailable: it is tried again for a day',
    facts: {
      network,
      workspaceId: id,
      channelId: id,
      outcome: word('revoked', 'refused', 'none', 'shared', 'superseded', 'unavailable'),
      detail: text,
    },
    feeds: [counts(connectionEnds)],
  }),
  'upkeep-ended': event({
    level: 'info',
    help: 'The upkeep of a Channel that is seldom used came to an end',
    facts: { network, outcome: word('ok', 'needs_reconnect', 'unavailable'), channelId: id },
    feeds: [counts(upkeeps)],
  }),
  'insights-reading-ended': event({
    level: 'info',
    help: 'A reading of the figures of a published Variant came to an end. gone: the Network has it no more',
    facts: {
      network,
      outcome: word('ok', 'refused', 'gone', 'unavailable'),
      ...{ workspaceId: id, postId: id, variantId: id, detail: text },
    },
    feeds: [counts(insightsReadings)],
  }),
};

export const PUBLISHING_FAILURES = {
  'held-release-failed': failure('Variants that nothing holds any more could not be made due; it is tried again', {
    workspaces: number,
  }),
  'connection-tokens-lost': failure('Refreshed tokens could not be stored, and the Network may refuse the old ones', {
    channelId: id,
    network,
  }),
  'connection-unseal-failed': failure(
    'Tokens could not be unsealed with the secrets of this installation; nothing is sent for the Channel',
    { channelId: id },
  ),
};

export const PUBLISHING_GAUGES = {
  publishingHeld: gauge('crier_publishing_held', 'Holds under which nothing new is sent, by what they are on', [
    'scope',
  ]),
  variantsHeld: gauge('crier_variants_held', 'Variants that holds keep back, of the Workspaces that this process owns'),
  publishInFlight: gauge('crier_publish_in_flight', 'Attempts at Variants and comments that are worked on now', [
    'network',
  ]),
  networkCircuitOpen: gauge(
    'crier_network_circuit_open',
    "1 while this process's circuit breaker of the Network is open, with the time in which one probe goes out; 0 again where no attempt has probed it for five minutes, as none waits here",
    ['network'],
  ),
};
