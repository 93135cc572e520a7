import { expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { createMemoryReporter } from '../memory/reporter.ts';
import { createSystemClock } from '../system/clock.ts';
import { KafkaSubscription } from './consumer.ts';
import { ScriptedGroup } from './scripted-group.fixture.ts';
import { KAFKA_SETTINGS } from './settings.ts';

const TOPIC = 't';

test('a partition that is won back begins with its first record that is not done, whatever is still being fetched', async () => {
  const group = new ScriptedGroup(TOPIC, [1, 2]);
  const heard: string[] = [];
  const subscription = new KafkaSubscription({
    subscriber: {
      group: 'g',
      topics: [TOPIC],
      onAssigned: () => heard.push('assigned'),
      onRevoked: () => heard.push('revoked'),
      onRecords: ({ partition }, records) => heard.push(...records.map(({ offset }) => `${partition}: ${offset}`)),
    },
    prefix: '',
    client: group.client,
    ready: async () => new Set([TOPIC]),
    settings: KAFKA_SETTINGS,
    clock: createSystemClock(),
    reporter: createMemoryReporter(),
    onClosed: () => {},
  });
  const fetching = (broker: number, times: number) =>
    until(() => group.fetches(broker)[times - 1], { what: `fetch ${times} of broker ${broker}`, withinMs: 10_000 });
  subscription.start();
  (await fetching(2, 1)).answer([0, 1]);
  const underWay = await fetching(2, 2);
  expect(underWay.from).toBe(2);

  // The group removed the member, which learns so when it joins because broker 1 lost its partition.
  group.forgetMember();
  (await fetching(1, 1)).refuse();
  await until(() => heard.includes('revoked'), { what: 'a join as a new member', withinMs: 10_000 });
  underWay.answer([2, 3]);
  const again = await fetching(2, 3);
  again.answer(Array.from({ length: 5 - again.from }, (_, index) => again.from + index));
  await until(() => heard.includes('2: 4'), { what: 'the newest record', withinMs: 10_000 });

  expect(heard.slice(heard.lastIndexOf('assigned') + 1)).toEqual(['2: 0', '2: 1', '2: 2', '2: 3', '2: 4']);
  const closed = subscription.close();
  group.end();
  await closed;
});
