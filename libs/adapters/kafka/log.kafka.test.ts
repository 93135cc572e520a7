import { Kafka, logLevel } from 'kafkajs';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Log } from '#ports/log.ts';
import { FIRST, numbered, record, SECOND } from '#port-suites/log-harness.ts';
import { eventually, Reader } from '#port-suites/log-reader.ts';
import { logSuite } from '#port-suites/log.ts';
import { startKafka, type KafkaEngine } from '#testing/engines.ts';
import { sharedKafka } from '#testing/engines/shared.ts';
import { createMemoryReporter } from '../memory/reporter.ts';
import { createSystemClock } from '../system/clock.ts';
import { ConnectGate } from './client.ts';
import { createKafkaLog, type KafkaLogOptions } from './log.ts';
import type { KafkaSettings } from './settings.ts';

const TOPICS = [FIRST, SECOND];
/** A crash is noticed sooner than in production; what a busy machine makes of a heartbeat is not taken for one. */
const HASTY: Partial<KafkaSettings> = {
  sessionTimeoutMs: 6_000,
  heartbeatIntervalMs: 500,
  rebalanceTimeoutMs: 15_000,
  commitEveryMs: 50,
};
const kafka = sharedKafka();
const clock = createSystemClock();
let prefixes = 0;

/** Makes the suite's topics under a prefix of their own. */
async function topicsAt(brokers: readonly string[]): Promise<string> {
  const prefix = `log-${process.pid}-${Date.now().toString(36)}-${prefixes++}.`;
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const configEntries = [{ name: 'max.message.bytes', value: '4194304' }];
  const topics = TOPICS.map(({ name, partitions }) => ({
    topic: prefix + name,
    numPartitions: partitions,
    configEntries,
  }));
  // kafkajs's own wait fails where the broker does not know the topic yet; the loop below waits for that too.
  await admin.createTopics({ topics, waitForLeaders: false });
  for (const { topic } of topics) await eventuallyServed(() => admin.fetchTopicOffsets(topic));
  await admin.disconnect();
  return prefix;
}

async function eventuallyServed(ask: () => Promise<unknown>): Promise<void> {
  let failure: unknown = null;
  do {
    failure = await ask().then(
      () => null,
      (error: unknown) => error,
    );
  } while (failure !== null);
}

function openLog(brokers: readonly string[], prefix: string, options: Partial<KafkaLogOptions> = {}): Log {
  return createKafkaLog({ brokers, clientId: 'log-test', topics: TOPICS, prefix, clock, settings: HASTY, ...options });
}

describe.skipIf(kafka.missing !== null)('on a shared broker', () => {
  const brokers = kafka.address?.brokers ?? [];

  logSuite('kafka', async () => {
    const prefix = await topicsAt(brokers);
    const opened: Log[] = [];
    const gates = new Map<unknown, ConnectGate>();
    const open = (gate?: ConnectGate) => {
      const log = openLog(brokers, prefix, gate ? { gate } : {});
      opened.push(log);
      return log;
    };
    let log = open();
    return {
      log,
      restart: async () => {
        await log.close();
        log = open();
        return log;
      },
      neighbour: async () => {
        const gate = new ConnectGate();
        gates.set('neighbour', gate);
        return open(gate);
      },
      crash: async () => gates.get('neighbour')?.shut(),
      dispose: async () => {
        await Promise.all(opened.map((each) => each.close()));
      },
    };
  });

  test('a topic that Kafka does not have rejects only its own appends, and check names it', async () => {
    const log = openLog(brokers, await topicsAt(brokers), {
      topics: [...TOPICS, { name: 'absent', partitions: 1, doc: '' }],
    });
    await expect(log.check()).rejects.toThrow('absent');
    const [absent, present] = await Promise.allSettled([
      log.append('absent', [record('k')]),
      log.append(FIRST.name, [record('k')]),
    ]);
    expect(absent).toMatchObject({ reason: { kind: 'unavailable' } });
    expect(present.status).toBe('fulfilled');
    await log.close();
  });

  test('a group whose acknowledged offset is no longer in the log reads from the oldest record', async () => {
    const prefix = await topicsAt(brokers);
    const log = openLog(brokers, prefix);
    const first = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true });
    await log.append(FIRST.name, numbered('k', 5, 0));
    await first.until(() => expect(first.records).toHaveLength(5));
    await first.subscription.close();
    await log.append(FIRST.name, numbered('gone', 10, 0));
    await log.append(FIRST.name, numbered('left', 5, 0));
    const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    // Loads the topic's metadata into the admin client, which it needs to find the leader.
    await admin.fetchTopicOffsets(prefix + FIRST.name);
    await admin.deleteTopicRecords({ topic: prefix + FIRST.name, partitions: [{ partition: 0, offset: '15' }] });
    await admin.disconnect();
    const second = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await second.until(() => expect(second.keys()).toEqual(numbered('left', 5).map(({ key }) => key)));
    await log.close();
  });

  test('acknowledgements are durable soon, also without a close', async () => {
    const prefix = await topicsAt(brokers);
    const log = openLog(brokers, prefix);
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true });
    await log.append(FIRST.name, numbered('k', 10, 0));
    const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const committed = async () => {
      const [topic] = await admin.fetchOffsets({ groupId: `${prefix}g`, topics: [prefix + FIRST.name] });
      return topic?.partitions.find(({ partition }) => partition === 0)?.offset;
    };
    await vi.waitFor(async () => expect(await committed()).toBe('10'), { timeout: 30_000 });
    expect(reader.records).toHaveLength(10);
    await admin.disconnect();
    await log.close();
  });

  test('a partition kept over a rebalance continues where it was, without repeating records in progress', async () => {
    const log = openLog(brokers, await topicsAt(brokers));
    const stays = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await log.append(FIRST.name, numbered('k', 100));
    await stays.until(() => expect(stays.records).toHaveLength(100));
    const comes = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await Promise.all([comes.untilOwns(2), stays.untilOwns(2)]);
    const kept = [...stays.owned];
    await log.append(FIRST.name, numbered('more', 100));
    await eventually(() =>
      expect(new Set([...stays.keys(), ...comes.keys()].filter((key) => key.startsWith('more'))).size).toBe(100),
    );
    for (const source of kept) {
      const offsets = stays.records
        .filter((each) => `${each.topic}/${each.partition}` === source)
        .map(({ offset }) => offset);
      expect(offsets).toEqual([...new Set(offsets)].toSorted((a, b) => a - b));
    }
    await log.close();
  });
});

describe.skipIf(kafka.missing !== null)('on a broker that fails', () => {
  let engine: KafkaEngine;
  let log: Log | null = null;
  beforeAll(async () => {
    engine = await startKafka();
  });
  afterEach(async () => {
    await log?.close();
    log = null;
  });
  afterAll(async () => {
    await engine?.stop();
  });

  test('a broker paused past the request time-out loses, doubles and reorders no acknowledged record', async () => {
    const prefix = await topicsAt(engine.brokers);
    log = openLog(engine.brokers, prefix, {
      settings: { ...HASTY, requestTimeoutMs: 1_000, appendDeadlineMs: 30_000, lingerMs: 0 },
    });
    await log.append(FIRST.name, [record('warm', 0)]);
    const resumed = clock.sleep(3_000).then(() => engine.kill('SIGCONT'));
    await engine.kill('SIGSTOP');
    const appends: Promise<unknown>[] = [];
    for (let index = 0; index < 10; index++) {
      appends.push(log.append(FIRST.name, [record(`k${index}`, 0)]));
      await clock.sleep(10);
    }
    await Promise.all(appends);
    await resumed;
    await log.append(FIRST.name, [record('after', 0)]);
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await reader.until(() => expect(reader.keys()).toContain('after'));
    expect(reader.keys()).toEqual(['warm', ...numbered('k', 10).map(({ key }) => key), 'after']);
  }, 300_000);

  test('appends to a broker that was killed end within their deadline, and work resumes by itself after its restart', async () => {
    const prefix = await topicsAt(engine.brokers);
    const reporter = createMemoryReporter();
    log = openLog(engine.brokers, prefix, { reporter });
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true });
    await log.append(FIRST.name, [record('before', 0)]);
    await reader.until(() => expect(reader.keys()).toContain('before'));
    expect(reader.subscription.membership().state).toBe('joined');
    await engine.kill('SIGKILL');
    const began = clock.monotonic();
    const outcomes = await Promise.allSettled(
      numbered('lost', 20).map((each) => log?.append(FIRST.name, [each], { deadlineMs: 1_500 })),
    );
    expect(clock.monotonic() - began).toBeLessThan(10_000);
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { name: 'PortError', kind: expect.stringMatching(/unknown|unavailable/) },
      });
    }
    await expect(log.check()).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    await eventually(() => expect(reader.subscription.membership().state).toBe('away'), 180_000);
    expect(reader.subscription.membership().detail).toMatch(/\w/);
    await engine.restart();
    const after = await log.append(FIRST.name, [record('after', 0)], { deadlineMs: 60_000 });
    expect(after).toHaveLength(1);
    await eventually(() => expect(reader.keys()).toContain('after'));
  }, 300_000);

  test('a log opened while Kafka is unreachable subscribes and appends once Kafka is up', async () => {
    const prefix = await topicsAt(engine.brokers);
    await engine.kill('SIGKILL');
    log = openLog(engine.brokers, prefix);
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    const appended = log.append(FIRST.name, [record('patient', 0)], { deadlineMs: 150_000 });
    expect(reader.subscription.membership().state).toBe('joining');
    await expect(log.check()).rejects.toMatchObject({ kind: 'unavailable' });
    await engine.restart();
    await appended;
    await eventually(() => expect(reader.keys()).toEqual(['patient']));
    expect(reader.subscription.membership()).toMatchObject({ state: 'joined', detail: null });
  }, 300_000);

  // The last one: it leaves the broker down.
  test('closing while Kafka is unreachable ends soon and tells callers which appends were certainly not sent', async () => {
    const prefix = await topicsAt(engine.brokers);
    await engine.kill('SIGKILL');
    const away = openLog(engine.brokers, prefix, { settings: { ...HASTY, closeWithinMs: 500 } });
    const appended = away.append(FIRST.name, [record('k')]);
    const refused = expect(appended).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    const began = clock.monotonic();
    await away.close();
    await refused;
    expect(clock.monotonic() - began).toBeLessThan(10_000);
  }, 300_000);
});
