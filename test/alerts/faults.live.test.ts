import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jarsTrouble } from '#testing/engines/jars.ts';
import { WatchedCluster } from './cluster-faults.ts';
import {
  canaryStopped,
  clockOff,
  diskFull,
  endpointsHang,
  keyParked,
  killedAlone,
  mediaQueueFull,
  networkDown,
  wrongSecret,
} from './embedded-faults.ts';
import { tableOf, type FaultSeen } from './faults.ts';
import { keepRow } from './kept-rows.ts';

const seen: FaultSeen[] = [];
afterAll(() => console.log(tableOf(seen)));

async function told(watching: Promise<FaultSeen>): Promise<void> {
  const row = await watching;
  seen.push(row);
  console.log(tableOf([row]));
  keepRow(row);
  expect(row.others.filter(({ severity }) => severity === 'page')).toEqual([]);
}

// Some beside each other, those that take longest first: each waits most of the time, in an installation of its own.
describe.concurrent('each fault fires its alert and no other page, and the alert clears once it is gone', () => {
  test('a canary that is stopped', () => told(canaryStopped()));
  test('a full media queue', () => told(mediaQueueFull()));
  test('a Network down', () => told(networkDown()));
  test('endpoints that hang', () => told(endpointsHang()));
  test('a full disk', () => told(diskFull()));
  test('a wrong secret', () => told(wrongSecret()));
  test('the only process killed', () => told(killedAlone()));
  test('a parked key', () => told(keyParked()));
  test('a clock ahead', () => told(clockOff(1)));
  test('a clock behind', () => told(clockOff(-1)));
});

describe.skipIf((await jarsTrouble()) !== null)('so do the faults of a cluster', () => {
  let cluster: WatchedCluster;
  beforeAll(async () => {
    cluster = await WatchedCluster.start();
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test('a publisher killed', () => told(cluster.publisherKilled()));
  test('Kafka stopped', () => told(cluster.kafkaStopped()));
});
