import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client, types } from 'cassandra-driver';
import { Kafka, logLevel } from 'kafkajs';
import { newRunFolder } from '#testing/engines/cache-folder.ts';
import type { Bench } from '../bench.ts';
import type { Sizes } from '../sizes.ts';
import { sendLoad } from '../load.ts';
import { quantile } from '../quantiles.ts';

// The figures of the engines alone, in the same run: a busy or slow machine shows here first.

/** What the row is called. */
export const SQLITE_FLOOR = 'floor: node:http and one row of SQLite, an fsync each';

const SERVER = resolve(import.meta.dirname, '../bare-server.ts');

export async function floors(bench: Bench): Promise<void> {
  bench.say('floors');
  if (bench.site.addresses === null) return bareSqlite(bench);
  await bareKafka(bench, bench.site.addresses.brokers);
  await bareCassandra(bench, bench.site.addresses.cassandraPort);
}

async function bareSqlite({ add, sizes }: Bench): Promise<void> {
  add({
    group: 'floor',
    what: SQLITE_FLOOR,
    rateLimit: 0,
    figures: await sqliteFloor(sizes),
    target: null,
    how: `${sizes.floorSeconds} s after as many`,
  });
}

/** A bare server that writes a row for each request: what the machine gives to a service over SQLite. */
export async function sqliteFloor(
  sizes: Pick<Sizes, 'clients' | 'floorSeconds'>,
): Promise<Readonly<Record<string, number>>> {
  const folder = newRunFolder('bare');
  const child = spawn(process.execPath, [SERVER, join(folder, 'bare.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const send = (clients: number) =>
      sendLoad({
        url: `http://127.0.0.1:${Number(port)}`,
        clients,
        warmUp: { seconds: sizes.floorSeconds },
        measured: { seconds: sizes.floorSeconds },
        ratePerSecond: null,
        requests: { kind: 'bare' },
      });
    const one = await send(1);
    const many = await send(sizes.clients);
    return { 'p50 ms': one.p50, 'p99 ms': one.p99, [`per s at ${sizes.clients} clients`]: many.perSecond };
  } finally {
    child.stdin.end();
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function bareKafka(bench: Bench, brokers: readonly string[]): Promise<void> {
  const kafka = new Kafka({ clientId: 'floor', brokers: [...brokers], logLevel: logLevel.NOTHING });
  const topic = 'bench.floor';
  const admin = kafka.admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 1 }], waitForLeaders: true });
  await admin.disconnect();
  const producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 20 } });
  await producer.connect();
  const value = Buffer.alloc(1024, 'x');
  const single = await repeat(bench, () => producer.send({ topic, messages: [{ partition: 0, value }] }));
  const batch = Array.from({ length: 500 }, () => ({ partition: 0, value }));
  const batches = await repeat(bench, () => producer.send({ topic, messages: batch }));
  await producer.disconnect();
  bench.add({
    group: 'floor',
    what: 'floor: append 1 KiB to Kafka, one after the other; batches of 500',
    rateLimit: 0,
    figures: {
      'p50 ms': quantile(single, 0.5),
      'p99 ms': quantile(single, 0.99),
      'batched per s': (batches.length * batch.length * 1000) / sum(batches),
    },
    target: null,
    how: `kafkajs, acks all, one partition, ${bench.sizes.floorSeconds} s after as many`,
  });
}

async function bareCassandra(bench: Bench, port: number): Promise<void> {
  const client = new Client({
    contactPoints: [`127.0.0.1:${port}`],
    localDataCenter: 'datacenter1',
    queryOptions: {
      prepare: true,
      consistency: types.consistencies.localQuorum,
      serialConsistency: types.consistencies.localSerial,
    },
  });
  await client.connect();
  await client.execute(
    `CREATE KEYSPACE IF NOT EXISTS bench_floor WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}`,
  );
  await client.execute('CREATE TABLE IF NOT EXISTS bench_floor.heads (id text PRIMARY KEY, version bigint, body blob)');
  const body = Buffer.alloc(1024, 'x');
  const versions = new Map<string, number>();
  const move = async (id: string): Promise<void> => {
    const version = versions.get(id) ?? 0;
    versions.set(id, version + 1);
    if (version === 0)
      await client.execute('INSERT INTO bench_floor.heads (id, version, body) VALUES (?, ?, ?) IF NOT EXISTS', [
        id,
        1,
        body,
      ]);
    else
      await client.execute('UPDATE bench_floor.heads SET version = ?, body = ? WHERE id = ? IF version = ?', [
        version + 1,
        body,
        id,
        version,
      ]);
  };
  const one = await repeat(bench, () => move('one'));
  const started = performance.now();
  const many = await Promise.all(
    Array.from({ length: 32 }, (_, place) => repeat(bench, () => move(`many ${place}`), 0)),
  );
  const perSecond = (many.flat().length * 1000) / (performance.now() - started);
  await client.shutdown();
  bench.add({
    group: 'floor',
    what: 'floor: compare-and-set of a 1 KiB row of Cassandra, one after the other; 32 rows at once',
    rateLimit: 0,
    figures: { 'p50 ms': quantile(one, 0.5), 'p99 ms': quantile(one, 0.99), 'per s at 32 rows': perSecond },
    target: null,
    how: `cassandra-driver, ${bench.sizes.floorSeconds} s after as many`,
  });
}

/** Milliseconds of each call, for as long as a floor is measured, after an equally long warm-up. */
async function repeat(
  { sizes }: Bench,
  work: () => Promise<unknown>,
  warmUpSeconds = sizes.floorSeconds,
): Promise<number[]> {
  const warm = performance.now() + warmUpSeconds * 1000;
  while (performance.now() < warm) await work();
  const until = performance.now() + sizes.floorSeconds * 1000;
  const took: number[] = [];
  do {
    const from = performance.now();
    await work();
    took.push(performance.now() - from);
  } while (performance.now() < until);
  return took;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
