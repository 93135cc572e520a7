import type { Fact } from '#ports/reporter.ts';

/**
 * What operators watch, as data. An adapter makes the metrics; `EVENT_METRICS` says which of them an event feeds, from
 * which of its facts. Base units; a label's values come from facts that are bounded by nature (a Network, a topic): ids
 * are for log lines.
 */
export interface CounterSpec {
  readonly kind: 'counter';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export interface HistogramSpec {
  readonly kind: 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds, ascending; one at each threshold that an alert may name. */
  readonly bounds: readonly number[];
}

export interface GaugeSpec {
  readonly kind: 'gauge';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

export type MetricSpec = CounterSpec | HistogramSpec | GaugeSpec;
export type Facts = Readonly<Record<string, Fact>>;

export interface MetricFeed {
  readonly metric: CounterSpec | HistogramSpec;
  /** label -> the fact it is taken from; `none` where the event has no such fact. */
  readonly from?: Readonly<Record<string, string>>;
  /** label -> what it is for every event of the kind. */
  readonly always?: Readonly<Record<string, string>>;
  /** The fact to count or observe; a counter without one counts events. */
  readonly value?: string;
  /** What the fact is multiplied with to come to base units. */
  readonly times?: number;
  /** Only events of which a fact is this. */
  readonly when?: readonly [fact: string, is: Fact];
}

const counter = (name: string, help: string, labels: readonly string[] = []): CounterSpec => ({
  kind: 'counter',
  name,
  help,
  labels,
});
const histogram = (
  name: string,
  help: string,
  bounds: readonly number[],
  labels: readonly string[] = [],
): HistogramSpec => ({ kind: 'histogram', name, help, labels, bounds });
const gauge = (name: string, help: string, labels: readonly string[] = []): GaugeSpec => ({
  kind: 'gauge',
  name,
  help,
  labels,
});

const REQUEST_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const LATENESS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 30, 60, 120, 300, 900];
const SINCE_DUE_SECONDS = [0.1, 0.25, 0.5, 1, 2, 5, 15, 30, 60, 120, 300, 600, 900, 3600];
const AGE_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 1800, 3600, 4 * 3600, 12 * 3600, 24 * 3600];
const MEDIA_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800, 7200];
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200];

const requests = histogram(
  'crier_http_request_duration_seconds',
  'Time to answer a request of the REST API, by operation',
  REQUEST_SECONDS,
  ['operation', 'status_class'],
);
const rateLimited = counter('crier_rate_limited_total', 'Requests refused because their key had used up its minute');
const replays = counter(
  'crier_duplicate_posts_total',
  'Requests to create a Post that were answered with the first one again',
);
const turns = counter('crier_turns_total', 'Turns of Workspaces; lost ones were made by somebody else first', [
  'outcome',
]);
const turnCommands = histogram('crier_turn_commands', 'Commands that one committed turn carried out', BATCH_SIZES);
const timersFired = counter('crier_timers_fired_total', 'Timers whose message was appended');
const timerLateness = histogram(
  'crier_timer_lateness_seconds',
  'How late the latest timer of each fired batch was',
  LATENESS_SECONDS,
);
const timersRefused = counter('crier_timers_refused_total', 'Timers whose message the log will never take', ['topic']);
const shardsClaimed = counter('crier_shards_claimed_total', 'Scheduler shards taken over');
const shardsOvertaken = counter(
  'crier_shards_overtaken_total',
  'Scheduler shards that somebody else had claimed meanwhile',
);
const clockPutBack = counter(
  'crier_scheduler_clock_put_back_total',
  "Times a scheduler's clock was put back by more than 3 minutes, and its minutes were read again",
);
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
const lookedAfter = counter(
  'crier_attempts_looked_after_total',
  'Attempts nothing was heard of, found by their watchdog',
  ['network'],
);
const connectionsKept = counter(
  'crier_connections_kept_total',
  'Connections looked after for fear that nobody used them, by what came of it',
  ['network', 'outcome'],
);
const metricsRead = counter(
  'crier_metrics_readings_total',
  'Readings of how published Variants do, by how they ended',
  ['network', 'outcome'],
);
const outOfOrder = counter(
  'crier_network_out_of_order_total',
  'Times a Network failed so often in a row that attempts were held back, and times it was well again',
  ['network', 'change'],
);
const refreshes = counter(
  'crier_connection_refreshes_total',
  'Refreshes of Channel tokens; refused ones need a person',
  ['network', 'outcome'],
);
const webhookAttempts = counter(
  'crier_webhook_attempts_total',
  'Attempts at telling an endpoint of an event, by what came of them',
  ['outcome'],
);
const webhookAttemptSeconds = histogram(
  'crier_webhook_attempt_duration_seconds',
  'How long an attempt took, look-up of the name included',
  REQUEST_SECONDS,
  ['outcome'],
);
const webhookLateness = histogram(
  'crier_webhook_attempt_lateness_seconds',
  'From the instant an attempt was due to its start; of a first one, from when its event was made',
  LATENESS_SECONDS,
  ['turn'],
);
const webhookEnds = counter('crier_webhook_deliveries_ended_total', 'Deliveries that came to an end', ['outcome']);
const webhookAge = histogram(
  'crier_webhook_delivery_age_seconds',
  'From when an event was made to the end of its delivery',
  AGE_SECONDS,
  ['outcome'],
);
const webhookPutOff = counter('crier_webhook_put_off_total', 'Times an attempt found no room and was put off');
const deadLetters = counter('crier_dead_letters_total', 'Records that nobody can read', ['topic']);
const keysParked = counter('crier_keys_parked_total', 'Keys parked because a record of theirs can not be handled', [
  'topic',
]);
const ownersVanished = counter(
  'crier_owners_vanished_total',
  'Partitions whose last owner vanished while it handled their records',
  ['group'],
);
const deadlyRecords = counter(
  'crier_keys_parked_vanished_total',
  'Keys parked because three processes in a row vanished while they handled one record',
  ['topic'],
);
const keysFreed = counter('crier_keys_freed_total', 'Parked keys that go on', ['topic']);
const recordsSkipped = counter('crier_records_skipped_total', 'Records of parked keys that an operator left out', [
  'topic',
]);
const mailboxFull = counter(
  'crier_mailbox_full_total',
  'Times a partition was paused because too many of its records waited',
  ['topic'],
);
const rebalances = counter('crier_rebalances_total', 'Times partitions were shared out anew, seen from this process', [
  'group',
]);
const hintsLost = counter(
  'crier_answer_hints_lost_total',
  'Answers whose hint was given up; their askers find them a second later',
);

const uploadsReceived = counter(
  'crier_uploads_received_total',
  'Files that arrived whole at the address they were to be sent to',
);
const bytesReceived = counter('crier_upload_bytes_total', 'Bytes of files that arrived whole');
const placesRefused = counter(
  'crier_places_refused_total',
  'Uploads, reads of media files and inspections of addresses that found no place, by whose share was used up; all: every place was taken',
  ['pool', 'by'],
);
const addressesRefused = counter(
  'crier_addresses_refused_total',
  'Addresses of files that were not asked because their Workspace had used up its minute',
);
const clientsCutOff = counter(
  'crier_slow_clients_cut_off_total',
  'Clients that sent or took so little that their place was given to others',
  ['pool'],
);
const fetches = histogram(
  'crier_file_fetch_duration_seconds',
  'Fetches of files that Posts name by address, by what came of them',
  MEDIA_SECONDS,
  ['outcome'],
);
const renditions = histogram(
  'crier_rendition_duration_seconds',
  'Making of a file what a Network takes, by the kind of file and what came of it',
  MEDIA_SECONDS,
  ['file', 'outcome'],
);
const renditionWait = histogram(
  'crier_rendition_wait_seconds',
  'How long a conversion waited for cores of this machine',
  MEDIA_SECONDS,
  ['file'],
);
const mediaPrepared = counter('crier_media_prepared_total', 'Variants whose files became ready, or never will', [
  'network',
  'outcome',
]);
const mediaLateness = histogram(
  'crier_media_lateness_seconds',
  'From the instant a Variant was due to all of its files being ready; 0 where they were in time',
  MEDIA_SECONDS,
  ['network'],
);
const blobsRemoved = counter('crier_blobs_removed_total', 'Stored files deleted because their asset was removed', [
  'reason',
]);
const orphansRemoved = counter('crier_orphans_removed_total', 'Stored files deleted because nothing names them');
const unfinishedRemoved = counter(
  'crier_unfinished_puts_removed_total',
  'Remains of files that were never stored whole, deleted',
);

/** Counted for every `failure`, whatever it is. */
export const FAILURES = counter(
  'crier_failures_total',
  'Errors reported, by what was being done; waits for an engine that is away included',
  ['event'],
);

export const EVENT_METRICS: Readonly<Record<string, readonly MetricFeed[]>> = {
  'request-served': [
    {
      metric: requests,
      from: { operation: 'operation', status_class: 'statusClass' },
      value: 'durationMs',
      times: 0.001,
    },
    { metric: rateLimited, when: ['code', 'rate_limited'] },
    { metric: replays, when: ['replayed', true] },
  ],
  'turn-committed': [
    { metric: turns, always: { outcome: 'committed' } },
    { metric: turnCommands, value: 'commands' },
  ],
  'turn-lost': [{ metric: turns, always: { outcome: 'lost' } }],
  'timers-fired': [
    { metric: timersFired, value: 'count' },
    { metric: timerLateness, value: 'latestMs', times: 0.001 },
  ],
  'timer-refused': [{ metric: timersRefused, from: { topic: 'topic' } }],
  'shard-claimed': [{ metric: shardsClaimed }],
  'shard-overtaken': [{ metric: shardsOvertaken }],
  'scheduler-clock-put-back': [{ metric: clockPutBack }],
  'attempt-ended': [
    { metric: attempts, from: { network: 'network', placement: 'placement', outcome: 'outcome', reason: 'reason' } },
    { metric: sinceDue, from: { network: 'network', outcome: 'outcome' }, value: 'sinceDueMs', times: 0.001 },
  ],
  'attempt-looked-after': [{ metric: lookedAfter, from: { network: 'network' } }],
  'connection-kept': [{ metric: connectionsKept, from: { network: 'network', outcome: 'outcome' } }],
  'metrics-read': [{ metric: metricsRead, from: { network: 'network', outcome: 'outcome' } }],
  'network-out-of-order': [{ metric: outOfOrder, from: { network: 'network' }, always: { change: 'held_back' } }],
  'network-in-order': [{ metric: outOfOrder, from: { network: 'network' }, always: { change: 'let_go' } }],
  'connection-refreshed': [{ metric: refreshes, from: { network: 'network' }, always: { outcome: 'refreshed' } }],
  'connection-refused': [{ metric: refreshes, from: { network: 'network' }, always: { outcome: 'refused' } }],
  'connection-refresh-failed': [{ metric: refreshes, from: { network: 'network' }, always: { outcome: 'failed' } }],
  'delivery-attempted': [
    { metric: webhookAttempts, from: { outcome: 'outcome' } },
    { metric: webhookAttemptSeconds, from: { outcome: 'outcome' }, value: 'durationMs', times: 0.001 },
    { metric: webhookLateness, from: { turn: 'turn' }, value: 'latenessMs', times: 0.001 },
  ],
  'delivery-ended': [
    { metric: webhookEnds, from: { outcome: 'outcome' } },
    { metric: webhookAge, from: { outcome: 'outcome' }, value: 'sinceEventMs', times: 0.001 },
  ],
  'delivery-put-off': [{ metric: webhookPutOff }],
  'record-dead-lettered': [{ metric: deadLetters, from: { topic: 'topic' } }],
  'key-parked': [
    { metric: keysParked, from: { topic: 'topic' } },
    { metric: deadlyRecords, from: { topic: 'topic' }, when: ['cause', 'vanished_owners'] },
  ],
  'owner-vanished': [{ metric: ownersVanished, from: { group: 'group' } }],
  'key-freed': [{ metric: keysFreed, from: { topic: 'topic' } }],
  'record-skipped': [{ metric: recordsSkipped, from: { topic: 'topic' } }],
  'mailbox-full': [{ metric: mailboxFull, from: { topic: 'topic' } }],
  'kafka-rebalanced': [{ metric: rebalances, from: { group: 'group' } }],
  'file-received': [{ metric: uploadsReceived }, { metric: bytesReceived, value: 'bytes' }],
  'place-refused': [{ metric: placesRefused, from: { pool: 'pool', by: 'by' } }],
  'addresses-refused': [{ metric: addressesRefused, value: 'addresses' }],
  'client-cut-off': [{ metric: clientsCutOff, from: { pool: 'pool' } }],
  'file-fetched': [{ metric: fetches, from: { outcome: 'outcome' }, value: 'tookMs', times: 0.001 }],
  'rendition-made': [
    { metric: renditions, from: { file: 'file', outcome: 'outcome' }, value: 'tookMs', times: 0.001 },
    { metric: renditionWait, from: { file: 'file' }, value: 'waitedMs', times: 0.001 },
  ],
  'media-prepared': [
    { metric: mediaPrepared, from: { network: 'network', outcome: 'outcome' } },
    {
      metric: mediaLateness,
      from: { network: 'network' },
      value: 'latenessMs',
      times: 0.001,
      when: ['outcome', 'ready'],
    },
  ],
  'files-removed': [{ metric: blobsRemoved, from: { reason: 'reason' }, value: 'blobs' }],
  'orphans-looked-for': [
    { metric: orphansRemoved, value: 'removed' },
    { metric: unfinishedRemoved, value: 'unfinished' },
  ],
  'answer-hints-lost': [{ metric: hintsLost, value: 'answers' }],
};

/** Read when somebody asks; what each is read from, the composition root knows. */
export const GAUGES = {
  timersHeld: gauge('crier_timers_held', 'Timers held in memory until they fire'),
  recordsWaiting: gauge('crier_records_waiting', 'Records taken from the log and not done yet', ['consumer']),
  keysHeldBack: gauge('crier_keys_held_back', 'Keys of the owned partitions that are parked', ['consumer']),
  partitionsOwned: gauge('crier_partitions_owned', 'Partitions this process believes to own', ['consumer']),
  webhookAttemptsRunning: gauge('crier_webhook_attempts_running', 'Attempts at endpoints that run now'),
  webhookDeliveriesWaiting: gauge('crier_webhook_deliveries_waiting', 'Deliveries in memory that wait for a turn'),
  webhookEndpointsFailing: gauge(
    'crier_webhook_endpoints_failing',
    'Endpoints whose last three attempts or more all failed',
  ),
  webhookOldestPending: gauge(
    'crier_webhook_oldest_pending_seconds',
    'Age of the oldest delivery that failed and will be tried again, of those this process attempted',
  ),
  answersAwaited: gauge('crier_answers_awaited', 'Commands that somebody waits for the answer to'),
} as const;

export type GaugeName = keyof typeof GAUGES;
