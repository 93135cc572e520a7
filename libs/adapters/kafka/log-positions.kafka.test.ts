import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, describe, expect, test } from 'vitest';
import { sharedKafka } from '#testing/engines/shared.ts';
import { createKafkaLogAdmin } from './log-admin.ts';
import { createKafkaLogPositions } from './log-positions.ts';

const engine = sharedKafka();
const prefix = `positions-${randomBytes(4).toString('hex')}.`;
const TOPICS = [
  { name: 'a.v1', partitions: 2 },
  { name: 'b.v1', partitions: 1 },
];

describe.skipIf(engine.missing !== null)('positions in a Kafka', () => {
  const brokers = [...(engine.address?.brokers ?? [])];
  const access = { brokers, clientId: 'test' };
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `${prefix}readers` });
  const positions = createKafkaLogPositions({ access, prefix });
  afterAll(async () => {
    await consumer.disconnect();
    await positions.close();
  });

  test('are those of every partition, and of every group, with those that read now', async () => {
    const admin = createKafkaLogAdmin({ access, topicPrefix: prefix });
    await admin.ensureTopics(TOPICS, { replication: 1 });
    await admin.close();
    expect(await positions.groups(TOPICS)).toEqual([]);
    const producer = kafka.producer();
    await producer.connect();
    const messages = [0, 1, 1].map((partition) => ({ partition, value: 'x' }));
    await producer.send({ topic: `${prefix}a.v1`, messages });
    await producer.disconnect();
    expect(await positions.extents(TOPICS)).toEqual([
      { topic: 'a.v1', partition: 0, start: 0, end: 1 },
      { topic: 'a.v1', partition: 1, start: 0, end: 2 },
      { topic: 'b.v1', partition: 0, start: 0, end: 0 },
    ]);

    const raw = kafka.admin();
    await raw.connect();
    const partitions = [{ partition: 1, offset: '2' }];
    await raw.setOffsets({ groupId: `${prefix}done`, topic: `${prefix}a.v1`, partitions });
    await raw.disconnect();
    const done = { group: 'done', members: 0, positions: [{ topic: 'a.v1', partition: 1, next: 2 }] };
    expect(await positions.groups(TOPICS)).toEqual([done]);
    await consumer.connect();
    await consumer.subscribe({ topics: [`${prefix}b.v1`] });
    const joined = Promise.withResolvers<void>();
    consumer.on(consumer.events.GROUP_JOIN, () => joined.resolve());
    await consumer.run({ eachMessage: async () => {} });
    await joined.promise;
    const reading = { group: 'readers', members: 1, positions: [] };
    expect(await positions.groups(TOPICS)).toEqual([done, reading]);
  });
});
