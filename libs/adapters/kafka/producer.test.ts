import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Position } from '#ports/log.ts';
import { until } from '#testing/until.ts';
import type { Clock } from '#ports/clock.ts';
import { createMemoryClock } from '../memory/clock.ts';
import { createMemoryReporter } from '../memory/reporter.ts';
import { createSystemClock } from '../system/clock.ts';
import { AppendCall } from './append-call.ts';
import { Brokers } from './brokers.fixture.ts';
import { ProducerLane } from './producer.ts';
import { KAFKA_SETTINGS } from './settings.ts';

const TOPIC = 't';

function laneTo(brokers: Brokers, clock: Clock = createSystemClock()) {
  const lane = new ProducerLane({
    client: brokers.client,
    ready: async () => new Set([TOPIC]),
    settings: KAFKA_SETTINGS,
    clock,
    reporter: createMemoryReporter(),
  });
  const append = (values: Readonly<Record<number, string>>): Promise<readonly Position[]> =>
    new Promise((resolve, reject) => {
      const entries = Object.entries(values);
      const call = new AppendCall(entries.length, resolve, reject);
      lane.push(
        entries.map(([partition, value], index) => ({
          ...{ call, index, topic: TOPIC, partition: Number(partition), key: 'k', value: Buffer.from(value) },
        })),
      );
    });
  return { lane, append };
}

test('what kafkajs sends once more behind a send costs no later record its place in the log', async () => {
  const brokers = new Brokers();
  const { lane, append } = laneTo(brokers);
  const asked = (broker: number, times: number) =>
    until(() => brokers.asked(broker).length >= times, {
      what: `request ${times} to broker ${broker}`,
      withinMs: 10_000,
    });

  // Broker 2 has lost its partition to another one, while broker 1 is slow to answer. kafkajs tries both again, and
  // forgets the second request to broker 1 when the first is answered after all.
  const first = append({ 1: 'a', 2: 'b' });
  await Promise.all([asked(1, 1), asked(2, 1)]);
  brokers.asked(2)[0]!.refuse();
  await asked(2, 2);
  brokers.asked(1)[0]!.answer();
  await asked(1, 2);
  brokers.asked(2)[1]!.refuse();
  await asked(2, 3);
  brokers.asked(2)[2]!.answer();
  await first;

  // The forgotten request is stored, and its answer is lost.
  const second = append({ 1: 'c' });
  brokers.asked(1)[1]!.loseAnswer();
  await asked(1, 3);
  brokers.asked(1)[2]!.answer();
  await second;

  expect(brokers.stored(1), 'an acknowledged record is in the log').toContain('c');
  lane.close();
  await lane.disconnect();
});

test('a lone record waits for no others, and one soon behind a send waits for a millisecond', async () => {
  const brokers = new Brokers();
  const clock = createMemoryClock();
  const { lane, append } = laneTo(brokers, clock);
  const sends = async (times: number): Promise<void> => {
    await until(() => brokers.asked(1).length >= times, { what: `send ${times}`, withinMs: 10_000 });
    expect(brokers.asked(1)).toHaveLength(times);
  };
  const answered = async (send: number, ...appends: readonly Promise<unknown>[]): Promise<void> => {
    brokers.asked(1)[send - 1]!.answer();
    await Promise.all(appends);
    await setImmediate();
  };

  // No time passes: the clock stands.
  const alone = append({ 1: 'alone' });
  await sends(1);
  await answered(1, alone);

  await clock.advance(3);
  const next = [append({ 1: 'a' })];
  await setImmediate();
  next.push(append({ 1: 'b' }));
  await setImmediate();
  expect(brokers.asked(1)).toHaveLength(1);
  await clock.advance(1);
  await sends(2);
  await answered(2, ...next);
  expect(brokers.stored(1)).toEqual(['alone', 'a', 'b']);

  await clock.advance(4);
  const last = append({ 1: 'c' });
  await sends(3);
  await answered(3, last);
  expect(clock.armed()).toBe(0);
  lane.close();
  await lane.disconnect();
});
