import type { Level } from '#ports/reporter.ts';
import type { Facts } from './metrics.ts';

export interface EventLevel {
  readonly level: Level;
  /** At most one line a second, the others counted: what an engine that is away causes again and again. */
  readonly repeats: boolean;
}

const once = (level: Level): EventLevel => ({ level, repeats: false });
const again = (level: Level): EventLevel => ({ level, repeats: true });

/** Failures that are waits: nothing is lost, and it goes on by itself. */
const WAITS: Readonly<Record<string, EventLevel>> = {
  'engine-away': again('warn'),
  'handling-waits': again('warn'),
  'attempt-waits': again('warn'),
  'scheduler-waits': again('warn'),
  'firing-waits': again('warn'),
  'parked-keys-unreadable': again('warn'),
  'handling-unmarked': again('warn'),
  'clearing-failed': again('warn'),
  'kafka-send-failed': again('warn'),
  'log-offsets-unwritten': again('warn'),
  'blob-left-behind': again('warn'),
  'media-cut-off': again('warn'),
};

const REPORTS: Readonly<Record<string, EventLevel>> = {
  'turn-committed': once('debug'),
  'timers-fired': once('debug'),
  'file-received': once('debug'),
  'files-removed': once('debug'),
  'file-fetched': once('debug'),
  'rendition-made': once('debug'),
  'media-prepared': once('debug'),
  'settings-caution': once('warn'),
  'preparing-ended': once('debug'),
  'removal-ignored': once('warn'),
  'orphan-removed': once('warn'),
  'shard-claimed': once('debug'),
  'connection-refreshed': once('debug'),
  'delivery-attempted': once('debug'),
  'delivery-ended': once('debug'),
  'turn-lost': again('warn'),
  'shard-overtaken': again('warn'),
  'scheduler-clock-put-back': once('warn'),
  'timer-unreadable': again('warn'),
  'mailbox-full': again('warn'),
  'delivery-put-off': again('warn'),
  'place-refused': again('warn'),
  'client-cut-off': again('warn'),
  'addresses-refused': again('warn'),
  'answer-hints-lost': again('warn'),
  'attempt-looked-after': once('warn'),
  'network-out-of-order': once('warn'),
  'connection-refused': once('warn'),
  'connection-refresh-failed': again('warn'),
  'owner-vanished': again('warn'),
  'key-parked': once('error'),
  'record-dead-lettered': once('error'),
  'timer-refused': once('error'),
  'record-skipped': once('warn'),
  'kafka-commit-failed': again('warn'),
  'kafka-client-said': again('warn'),
  'kafka-producer-waiting': again('warn'),
  'kafka-consumer-broken': again('warn'),
};

/** Answers that say that we could not do our work. */
const OUR_FAULT: ReadonlySet<unknown> = new Set(['unavailable', 'outcome_unknown']);

export function levelOfFailure(event: string): EventLevel {
  return WAITS[event] ?? once('error');
}

export function levelOfReport(event: string, facts: Facts): EventLevel {
  if (event === 'request-served') return OUR_FAULT.has(facts['code']) ? again('warn') : once('debug');
  // No file's fault: this machine lacks a tool.
  if (event === 'rendition-made' && facts['outcome'] === 'unable') return again('warn');
  return REPORTS[event] ?? once('info');
}
