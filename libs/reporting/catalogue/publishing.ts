import { NETWORKS, PLACEMENTS } from '#domain/network.ts';
import { FAILURE_REASONS } from '#schemas/http/variant-words.ts';
import { counts, event, failure, observes, repeatedWarning } from '../event.ts';
import { id, milliseconds, number, text, word } from '../fact.ts';
import { counter, histogram } from '../metric.ts';

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
const refreshFacts = { channelId: id, network, status: number, detail: text };

export const PUBLISHING_EVENTS = {
  'attempt-ended': event({
    level: 'info',
    help: 'An attempt at a Variant came to its verdict',
    facts: {
      network,
      placement: word(...PLACEMENTS),
      outcome: word('published', 'failed', 'unconfirmed'),
      reason: word(...FAILURE_REASONS, 'none'),
      variantId: id,
      attempt: number,
      sinceDueMs: milliseconds,
    },
    feeds: [counts(attempts), observes(sinceDue, 'sinceDueMs')],
  }),
  'attempt-watchdog-fired': event({
    level: 'warn',
    help: 'The end of an attempt was not reported in time; its watchdog runs the job again',
    facts: { network, variantId: id, attempt: number },
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
  'upkeep-ended': event({
    level: 'info',
    help: 'The upkeep of a Channel that is seldom used came to an end',
    facts: { network, outcome: word('ok', 'needs_reconnect', 'unavailable'), channelId: id },
    feeds: [counts(upkeeps)],
  }),
  'insights-reading-ended': event({
    level: 'info',
    help: 'A reading of the figures of a published Variant came to an end. gone: the Network has it no more',
    facts: { network, outcome: word('ok', 'refused', 'gone', 'unavailable'), variantId: id, detail: text },
    feeds: [counts(insightsReadings)],
  }),
};

export const PUBLISHING_FAILURES = {
  'connection-tokens-lost': failure('Refreshed tokens could not be stored, and the Network may refuse the old ones', {
    channelId: id,
    network,
  }),
  'connection-unseal-failed': failure(
    'Tokens could not be unsealed with the secrets of this installation; nothing is sent for the Channel',
    { channelId: id },
  ),
};
