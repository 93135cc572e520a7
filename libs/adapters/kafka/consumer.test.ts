import { getEventListeners } from 'node:events';
import type { ConsumerConfig } from 'kafkajs';
import { expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { createMemoryReporter } from '../memory/reporter.ts';
import { createSystemClock } from '../system/clock.ts';
import { KafkaSubscription, type KafkaSubscriptionOptions } from './consumer.ts';
import { ScriptedGroup } from './scripted-group.fixture.ts';
import { KAFKA_SETTINGS } from './settings.ts';

const TOPIC = 't';

/** A subscription, and what its subscriber hears. */
function subscribeTo(group: ScriptedGroup, other: Partial<KafkaSubscriptionOptions> = {}) {
  const heard: string[] = [];
  const subscription = new KafkaSubscription({
    subscriber: {
      group: 'g',
      topics: [TOPIC],
      onAssigned: (sources) => heard.push(...sources.map(({ partition }) => `assigned ${partition}`)),
      onRevoked: (sources) => heard.push(...sources.map(({ partition }) => `revoked ${partition}`)),
      onRecords: ({ partition }, records) => heard.push(...records.map(({ offset }) => `${partition}: ${offset}`)),
    },
    prefix: '',
    client: group.client,
    ready: async () => new Set([TOPIC]),
    settings: KAFKA_SETTINGS,
    clock: createSystemClock(),
    reporter: createMemoryReporter(),
    onClosed: () => {},
    ...other,
  });
  subscription.start();
  return { heard, subscription };
}

test.each<[string, readonly ((group: ScriptedGroup) => void)[]]>([
  ['its group had removed this member', [(group) => group.forgetMember()]],
  ['another member had it for a moment', [(group) => group.assign([1]), (group) => group.assign([1, 2])]],
])('a partition that is won back is read from its first record that is not done: %s', async (_, changes) => {
  const group = new ScriptedGroup(TOPIC, [1, 2]);
  const { heard, subscription } = subscribeTo(group);
  const soon = (what: string) => ({ what, withinMs: 10_000 });
  const fetching = (broker: number, times: number) =>
    until(() => group.fetches(broker)[times - 1], soon(`fetch ${times} of broker ${broker}`));
  const hears = (what: string) => until(() => heard.includes(what), soon(what));
  (await fetching(2, 1)).answer([0, 1]);
  const underWay = await fetching(2, 2);
  expect(underWay.from).toBe(2);

  // The member joins again because broker 1 lost its partition, while broker 2 still has a fetch.
  for (const [index, change] of changes.entries()) {
    change(group);
    (await fetching(1, index + 1)).refuse();
    await hears('revoked 2');
  }
  const isOver = () => heard.includes('revoked 1') || heard.lastIndexOf('assigned 2') > heard.indexOf('revoked 2');
  await until(isOver, soon('the last join'));
  underWay.answer([2, 3]);
  const again = await fetching(2, 3);
  again.answer(Array.from({ length: 5 - again.from }, (_each, index) => again.from + index));
  await hears('2: 4');

  expect(heard.slice(heard.lastIndexOf('assigned 2') + 1)).toEqual(['2: 0', '2: 1', '2: 2', '2: 3', '2: 4']);
  const closed = subscription.close();
  group.end();
  await closed;
});

test('of consumers that were discarded none waits for the end of the subscription', async () => {
  const group = new ScriptedGroup(TOPIC, [1]);
  const clock = createSystemClock();
  const waiting: number[] = [];
  const sleep = async (_ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal !== undefined) waiting.push(getEventListeners(signal, 'abort').length);
    await clock.sleep(0);
  };
  const away = { connect: () => Promise.reject(new Error('Kafka is away')) };
  const { subscription } = subscribeTo(group, {
    client: () =>
      Object.assign(group.client(), {
        consumer: (settings: ConsumerConfig) => Object.assign(group.client().consumer(settings), away),
      }),
    clock: Object.assign(createSystemClock(), { sleep }),
  });
  await until(() => waiting.length >= 5, { what: 'the fifth consumer to be discarded' });
  expect(waiting.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
  await subscription.close();
});
