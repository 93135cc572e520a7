import type { Log, LogRecord, Subscription } from '#ports/log.ts';
import type { Topic } from '#tables/declarations/topics.ts';

/** The topics that every log under test has, empty at the start of each test. */
export const FIRST: Topic = { name: 'suite.first.v1', partitions: 4, doc: 'the topic most tests use' };
export const SECOND: Topic = { name: 'suite.second.v1', partitions: 2, doc: 'another topic' };

/** Empty topics, and the faults that a test can cause. */
export interface LogHarness {
  readonly log: Log;
  /** Closes the client in good order and opens another on the same records. */
  restart(): Promise<Log>;
  /** Crashes the subscription's process: it does not leave its group. Nothing of it may be used any more. */
  crash(subscription: Subscription): Promise<void>;
  /** A log whose subscriptions can crash while `log` lives; may be `log` itself. */
  neighbour(): Promise<Log>;
  dispose(): Promise<void>;
}

const text = new TextEncoder();
export const record = (key: string, partition?: number): LogRecord => ({
  key,
  value: text.encode(`value of ${key}`),
  ...(partition === undefined ? {} : { partition }),
});
export const numbered = (prefix: string, count: number, partition?: number): readonly LogRecord[] =>
  Array.from({ length: count }, (_, index) => record(`${prefix}${index}`, partition));
