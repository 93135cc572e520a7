import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createSystemClock } from '../system/clock.ts';
import { createKafkaLog } from './log.ts';
import { MetadataBroker, type LeadersByTopic } from './metadata-broker.fixture.ts';

async function checkWith(leaders: LeadersByTopic, othersBefore: readonly string[] = []): Promise<string> {
  await using broker = await MetadataBroker.start(leaders);
  const log = createKafkaLog({
    brokers: [...othersBefore, broker.address],
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

test('a broker that does not answer delays no check that another one can answer', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const from = performance.now();
  expect(await checkWith({ 'crier.ours': [1, 1] }, [address])).toBe('sound');
  expect(performance.now() - from, 'well within the deadline of the health check').toBeLessThan(2_000);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
