import { describe, expect, test } from 'vitest';
import type { MarkChannel, VariantsDue } from '#domain/workspace/commands.ts';
import type { MessageTopic } from '#tables/declarations/topics.ts';
import { openConsumerHarness, SOURCE } from './consumer-harness.fixture.ts';
import { createTopicConsumer, oneByOne, type TopicConsumerOptions } from './topic-consumer.ts';

const ABOUT = { name: SOURCE.topic, partitions: 1, doc: 'for tests' };
const MARKS: MessageTopic<MarkChannel> = { ...ABOUT, carries: { MarkChannel: true } };

function open(options: Partial<TopicConsumerOptions<MarkChannel>> = {}) {
  const harness = openConsumerHarness();
  const handled: (readonly [key: string, seenAt: number])[] = [];
  const service = createTopicConsumer(
    {
      name: 'marks',
      topic: MARKS,
      maxBatch: 10,
      concurrency: 8,
      handle: oneByOne(async ({ workspaceId, seenAt }) => void handled.push([workspaceId, seenAt])),
      ...options,
    },
    harness.ports('one'),
  );
  return { harness, handled, service };
}

describe('a consumer of a topic', () => {
  test('hands on the messages of the types that the topic carries', async () => {
    const { harness, handled, service } = open();
    await service.start();
    await harness.append('a', 1, 2);
    await harness.until(() => handled.length === 2, 'handled');
    expect(handled).toEqual([
      ['a', 1],
      ['a', 2],
    ]);
    await service.stop();
  });

  test('parks the key of a message of another type, after what came before it, and goes on with other keys', async () => {
    const { harness, handled, service } = open();
    await service.start();
    const stray: VariantsDue = { type: 'VariantsDue', workspaceId: 'a', posts: [] };
    await harness.append('a', 1);
    await harness.appendRaw({ key: 'a', value: harness.codec.encode(stray) });
    await harness.append('a', 2);
    await harness.append('b', 3);
    await harness.until(async () => (await harness.parked()).length === 1, 'parked');
    await harness.until(() => handled.length === 2, 'handled');
    expect(await harness.parked()).toMatchObject([
      { key: 'a', cause: 'failing', error: expect.stringContaining('letters.v1 does not carry VariantsDue') },
    ]);
    expect(handled.toSorted()).toEqual([
      ['a', 1],
      ['b', 3],
    ]);
    await service.stop();
  });

  test('begins, drains and stops what belongs to its handler around the consumer itself', async () => {
    const steps: string[] = [];
    const { harness, service } = open({
      handle: async () => void steps.push('handle'),
      onStart: async () => void steps.push('start'),
      onDrained: async () => void steps.push('drained'),
      onStop: () => void steps.push('stop'),
      onOwnerChanged: (partitions) => void steps.push(`owner of ${partitions.length}`),
    });
    await service.start();
    await harness.append('a', 1);
    await harness.until(() => steps.includes('handle'), 'handled');
    await service.drain();
    await service.stop();
    expect(steps).toEqual(['start', 'owner of 1', 'handle', 'drained', 'stop']);
  });

  test('does not compile where a topic leaves out a type that it carries, or names another', () => {
    // @ts-expect-error VariantsDue is left out.
    const less: MessageTopic<MarkChannel | VariantsDue> = { ...ABOUT, carries: { MarkChannel: true } };
    // @ts-expect-error VariantsDue is not carried.
    const more: MessageTopic<MarkChannel> = { ...ABOUT, carries: { MarkChannel: true, VariantsDue: true } };
    expect([less.name, more.name]).toEqual([SOURCE.topic, SOURCE.topic]);
  });
});
