import { expect, test } from 'vitest';
import { createSystemClock } from '../system/clock.ts';
import { createKafkaLog } from './log.ts';
import { MetadataBroker, type LeadersByTopic } from './metadata-broker.fixture.ts';

async function checkWith(leaders: LeadersByTopic): Promise<string> {
  await using broker = await MetadataBroker.start(leaders);
  const log = createKafkaLog({
    brokers: [broker.address],
    clientId: 'test',
    prefix: 'crier.',
    topics: [{ name: 'ours', partitions: 2, doc: 'any' }],
    clock: createSystemClock(),
  });
  const found = await log.check().then(
    () => 'sound',
    (error: Error) => error.message,
  );
  await log.close();
  return found;
}

test.each<[string, RegExp, LeadersByTopic]>([
  ['is there', /^sound$/, { 'crier.ours': [1, 1] }],
  ['has too few partitions', /not with enough partitions: ours/, { 'crier.ours': [1] }],
  ['is there beside a topic of others without a leader', /^sound$/, { 'crier.ours': [1, 1], theirs: [null] }],
  ['has a partition without a leader', /no leader for a partition of crier.ours/, { 'crier.ours': [1, null] }],
])('a check of Kafka tells whether a topic %s', async (_, outcome, leaders) => {
  expect(await checkWith(leaders)).toMatch(outcome);
});
