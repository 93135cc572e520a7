import { randomBytes } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, describe, expect, it } from 'vitest';

import type { LogAdmin } from '#ports/log-admin.ts';
import { sharedKafka } from '#testing/engines/shared.ts';
import { createKafkaLogAdmin } from './log-admin.ts';
import { MAX_MESSAGE_BYTES } from './topic-settings.ts';

const engine = sharedKafka();
const prefix = `admin-${randomBytes(4).toString('hex')}.`;

describe.skipIf(engine.missing !== null)('topics of a Kafka', () => {
  const brokers = [...(engine.address?.brokers ?? [])];
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const admins: LogAdmin[] = [];
  const open = (topicPrefix = prefix) => {
    const admin = createKafkaLogAdmin({ access: { brokers, clientId: 'test' }, topicPrefix });
    admins.push(admin);
    return admin;
  };
  afterAll(() => Promise.all(admins.map((admin) => admin.close())));

  it('are made once, can be written at once, and take large batches', async () => {
    const topics = [
      { name: 'a.v1', partitions: 64 },
      { name: 'b.v1', partitions: 3, retentionDays: 2 },
    ];
    expect(await open().describe(topics)).toEqual([]);
    expect(await open().ensureTopics(topics, { replication: 1 })).toEqual(['a.v1', 'b.v1']);
    const producer = kafka.producer({ retry: { retries: 0 } });
    await producer.connect();
    const value = Buffer.alloc(MAX_MESSAGE_BYTES - 1024, 1);
    for (const partition of [0, 31, 63])
      await producer.send({ topic: `${prefix}a.v1`, messages: [{ partition, value }] });
    await producer.disconnect();
    expect(await open().ensureTopics(topics, { replication: 1 })).toEqual([]);
    expect(await open().describe([...topics, { name: 'none', partitions: 1 }])).toEqual([
      { name: 'a.v1', partitions: 64, replication: 1 },
      { name: 'b.v1', partitions: 3, replication: 1 },
    ]);
  });

  it('may be made by two processes at once', async () => {
    const topics = Array.from({ length: 6 }, (_, i) => ({ name: `race-${i}`, partitions: 4 }));
    await Promise.all([
      open().ensureTopics(topics, { replication: 1 }),
      open().ensureTopics(topics, { replication: 1 }),
    ]);
    expect(await open().describe(topics)).toHaveLength(6);
  });

  it('with another number of partitions, or too small for our batches, are refused by name', async () => {
    const admin = kafka.admin();
    await admin.createTopics({ topics: [{ topic: `${prefix}small`, numPartitions: 2 }], waitForLeaders: false });
    await admin.disconnect();
    const refused = open().ensureTopics([{ name: 'small', partitions: 4 }], { replication: 1 });
    await expect(refused).rejects.toMatchObject({ name: 'PortError', kind: 'refused' });
    await expect(refused).rejects.toThrow(/small has 2 partitions and must have 4.*max\.message\.bytes to 4194304/);
  });

  it('that need more brokers than exist are refused; an unreachable Kafka is unavailable', async () => {
    await expect(open().ensureTopics([{ name: 'wide', partitions: 1 }], { replication: 3 })).rejects.toMatchObject({
      kind: 'refused',
    });
    const away = createKafkaLogAdmin({ access: { brokers: ['127.0.0.1:1'], clientId: 'test' } });
    await expect(away.describe([])).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
  });
});
