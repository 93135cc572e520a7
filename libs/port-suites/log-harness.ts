import type { Log, LogRecord, Subscription } from '#ports/log.ts';
import type { Topic } from '#tables/declarations/topics.ts';

/** The topics every log under test has, empty at the start of each test. */
export const FIRST: Topic = { name: 'suite.first.v1', partitions: 4, doc: 'the topic most tests use' };
export const SECOND: Topic = { name: 'suite.second.v1', partitions: 2, doc: 'another topic' };

/** Empty topics and the means to treat their clients badly. */
export interface LogHarness {
  readonly log: Log;
  /** Closes the client in good order and opens another on the same records. */
  restart(): Promise<Log>;
  /** The subscription's process is gone without a goodbye. Nothing of it may be used any more. */
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
