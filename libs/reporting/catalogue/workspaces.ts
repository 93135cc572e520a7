import { NETWORKS } from '#domain/network.ts';
import { counts, event, observes, repeatedWarning, retried } from '../event.ts';
import { durations, id, ids, milliseconds, number, optional, text, word } from '../fact.ts';
import { counter, gauge, histogram, REQUEST_SECONDS } from '../metric.ts';

const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200];

const turns = counter(
  'crier_turns_total',
  'Turns of Workspaces. lost: the compare-and-set failed because another owner had committed a turn',
  ['outcome'],
);
const turnCommands = histogram('crier_turn_commands', 'Commands that one committed turn carried out', BATCH_SIZES);
const turnDuration = histogram(
  'crier_turn_duration_seconds',
  'Time that a committed turn took: reading what it decides on, deciding, writing and sending',
  REQUEST_SECONDS,
);
const commandWait = histogram(
  'crier_command_wait_seconds',
  'From when a command was sent to the beginning of the turn that carried it out',
  REQUEST_SECONDS,
);
const foundByLooking = counter(
  'crier_answers_found_by_looking_total',
  'Answers whose hint did not come: the process that waited for one found it when it looked, a second later or more',
);
const reconnectChanges = counter(
  'crier_channel_reconnect_changes_total',
  'Changes of how many Channels need a reconnect. change needed: one more; settled: one less, as it was connected again or disconnected',
  ['network', 'change'],
);
const hintsRefused = counter(
  'crier_answer_hints_refused_total',
  'Answers that were not sent to the address that their command names, since no process of this installation listens there',
);

const hintsLost = counter(
  'crier_answer_hints_lost_total',
  'Answers whose hint could not be delivered; the process that waits for one polls it within a second',
);

export const WORKSPACE_EVENTS = {
  'turn-committed': event({
    level: 'debug',
    help: 'A turn of a Workspace was committed',
    facts: {
      workspaceId: id,
      requestIds: ids,
      postIds: ids,
      /** Of the commands. */
      traceIds: optional(ids),
      commands: number,
      rows: number,
      messages: number,
      durationMs: milliseconds,
      commandWaitsMs: durations,
    },
    feeds: [
      counts(turns, { constants: { outcome: 'committed' } }),
      observes(turnCommands, 'commands'),
      observes(turnDuration, 'durationMs'),
      observes(commandWait, 'commandWaitsMs'),
    ],
  }),
  'turn-lost': repeatedWarning({
    help: 'The compare-and-set of a turn failed because another owner had committed one; the commands are decided again',
    facts: { workspaceId: id, version: number },
    feeds: [counts(turns, { constants: { outcome: 'lost' } })],
  }),
  'answer-found-by-looking': event({
    level: 'debug',
    help: 'The answer to a command was found in its row: no hint of it came within a second',
    facts: { workspaceId: id, requestId: id },
    feeds: [counts(foundByLooking)],
  }),
  'posts-removed': event({
    level: 'info',
    help: 'Posts that ended longer ago than they are kept were removed, with what was known of their attempts',
    facts: { workspaceId: id, posts: number },
  }),
  'channel-reconnect-changed': event({
    level: 'info',
    help: 'A Channel needs a reconnect from now on, or no more',
    facts: { network: word(...NETWORKS), change: word('needed', 'settled'), workspaceId: id, channelId: id },
    feeds: [counts(reconnectChanges)],
  }),
  'answer-hint-refused': repeatedWarning({
    help: 'A command names an address for its answer at which no process of this installation listens: it was not called',
    facts: { target: text },
    feeds: [counts(hintsRefused)],
  }),
  'answer-hints-lost': repeatedWarning({
    help: 'Hints of answers could not be delivered to the process that waits for them',
    facts: { target: text, answers: number, detail: text },
    feeds: [counts(hintsLost, { value: 'answers' })],
  }),
};

export const WORKSPACE_FAILURES = {
  'needed-reconnects-read-failed': retried(
    'Which Channels of a shard need a reconnect could not be read for their gauge; it is read again',
    { shard: number },
  ),
  'post-removal-failed': retried('Old Posts could not be removed; the next round looks for them again', {
    workspaceId: id,
  }),
  'outbox-clear-failed': retried('A carried out outbox could not be cleared from its head', { workspaceId: id }),
};

export const WORKSPACE_GAUGES = {
  channelsNeedingReconnect: gauge(
    'crier_channels_needing_reconnect',
    'Channels that need a reconnect, of the Workspaces that this process owns. Those that a release before schema version 7 left so are in it once their Workspace is used',
    ['network'],
  ),
  answersAwaited: gauge('crier_answers_awaited', 'Commands whose answer a request in this process waits for'),
};
