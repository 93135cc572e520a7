import { expect, test } from 'vitest';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { PortError } from '#ports/errors.ts';
import { partitionOf } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { HANDLING, POSTS, SHARD_WATERMARKS, WORKSPACES } from '#tables/declarations/tables.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { writeHandling } from '#tables/repositories/handling.ts';
import { SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { fileRecord, listParkedKeys, readParked, writeParkedKey } from '#tables/repositories/parking.ts';
import { readRestoring, refuseHalfRestored } from '#tables/repositories/restoring.ts';
import { readStoredFormat, writeStoredFormat } from '#tables/repositories/written-formats.ts';
import { createShards, readWatermark } from '#tables/repositories/shards.ts';
import { restoreOntoCluster, type ClusterToFill } from './restore-onto-cluster.ts';
import { embeddedFolder, emptyCluster, type EmbeddedFolder } from './restore.fixture.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (body: Uint8Array | undefined): string => new TextDecoder().decode(body);
const silent = (): void => undefined;

async function writeHead(store: TableStore, workspaceId: string, version: number): Promise<void> {
  const next = { version, token: `turn ${version}`, body: bytes(`state ${version}`), format: 1 };
  const expected = version === 1 ? null : version - 1;
  await store.compareAndSet(WORKSPACES, { partition: [workspaceId], clustering: ['head', ''], expected, next });
}

/** Some Workspaces; a Post each. */
async function fill({ store }: EmbeddedFolder, workspaces: number): Promise<void> {
  const numbers = Array.from({ length: workspaces }, (_, number) => number);
  for (const version of [1, 2]) await Promise.all(numbers.map((number) => writeHead(store, `w${number}`, version)));
  const rowOf = (number: number) => ({
    partition: [`w${number}`, 1],
    clustering: [`p${number}`, 0],
    body: bytes('a Post'),
    format: 1,
    timestamp: 2 ** 50 + 2,
  });
  await store.upsert(POSTS, numbers.map(rowOf));
}

/** The values that a partition of the target's log holds. */
function valuesOf(log: Awaited<ReturnType<typeof emptyCluster>>['log'], topic: string, partition: number) {
  return log.control.records({ topic, partition }).map(({ key, value }) => `${key} ${text(value)}`);
}

test('heads keep their versions, and everything is held before the first process may start', async () => {
  await using source = await embeddedFolder();
  await fill(source, 600);
  const { to, held } = await emptyCluster();
  const moved = await restoreOntoCluster(source.backup(), to, silent);
  expect(moved.rows).toBeGreaterThan(1_200);
  const head = await to.store.read(WORKSPACES, ['w599'], ['head', '']);
  expect(head).toMatchObject({ version: 2, token: 'turn 2' });
  expect(text((await to.store.read(POSTS, ['w7', 1], ['p7', 0]))?.body)).toBe('a Post');
  await writeHead(to.store, 'w7', 3);
  expect(await to.store.read(WORKSPACES, ['w7'], ['head', ''])).toMatchObject({ version: 3 });
  expect(held).toMatchObject([{ backupAt: source.clock.now() }]);
  await refuseHalfRestored(to.store);
});

test('no due minute is skipped: watermarks are those of the backup, and timers are the same rows', async () => {
  await using source = await embeddedFolder();
  const backupMinute = minuteOf(source.clock.now());
  const dueAt = source.clock.now() + 20_000;
  const timer = {
    shard: 5,
    timerId: 't',
    dueAt,
    topic: 'workspace.commands.v1',
    key: 'w',
    payload: bytes('VariantsDue'),
  };
  await createDueTimers(source.store).write([timer]);
  await createShards(source.store).claim(5, 'owner');
  const { to } = await emptyCluster();
  expect(await readWatermark(to.store, 5)).toBe(backupMinute + 1);
  await restoreOntoCluster(source.backup(), to, silent);
  expect(await readWatermark(to.store, 5)).toBe(backupMinute);
  const [read] = await createDueTimers(to.store).read(5, minuteOf(dueAt), null, 10);
  expect({ ...read, payload: text(read?.payload) }).toEqual({ ...timer, payload: 'VariantsDue' });
  const claimed = await createShards(to.store).claim(5, 'another owner');
  expect(claimed?.epoch).toBe(2);
  expect((await to.store.read(SHARD_WATERMARKS, [5], []))?.version).toBe(claimed?.version);
});

test('what a group has not finished reaches the log in the order of its key; what all have finished does not', async () => {
  await using source = await embeddedFolder();
  const { name: topic } = WORKSPACE_COMMANDS;
  const partition = partitionOf('w', WORKSPACE_COMMANDS.partitions);
  const append = (value: string) => source.log.append(topic, [{ key: 'w', value: bytes(value) }]);
  await Promise.all(['one', 'two', 'three', 'four'].map(append));
  const delivered = Promise.withResolvers<void>();
  const onRecords = (): void => delivered.resolve();
  const subscription = await source.log.subscribe({ group: 'workspace', topics: [topic], onRecords });
  await delivered.promise;
  subscription.ack({ topic, partition }, 1);
  await subscription.close();
  await source.log.close();
  const { to, log } = await emptyCluster();
  const { records } = await restoreOntoCluster(source.backup(), to, silent);
  expect(records).toBe(2);
  expect(valuesOf(log, topic, partition)).toEqual(['w three', 'w four']);
});

test('records of a parked key stand before those that the new log brings, and none counts as drained', async () => {
  await using source = await embeddedFolder();
  const flag = {
    topic: 'publish.x.v1',
    partition: 3,
    key: 'c',
    episode: 'e',
    wish: 'none' as const,
    drainedTo: 40,
    error: 'x',
    parkedAt: 1,
    held: 2,
  };
  await writeParkedKey(source.store, flag, { version: 0, flag, token: 't' });
  for (const offset of [40, 41, 57]) await fileRecord(source.store, flag, { offset, value: bytes(`at ${offset}`) });
  const { to } = await emptyCluster();
  await restoreOntoCluster(source.backup(), to, silent);
  const [moved] = await listParkedKeys(to.store, 'publish.x.v1', 3);
  await fileRecord(to.store, moved!, { offset: 0, value: bytes('of the new log') });
  const left = await readParked(to.store, moved!, 10);
  expect(left.map(({ value }) => text(value))).toEqual(['at 41', 'at 57', 'of the new log']);
});

test('marks of owners speak of offsets of the log that is left behind, and are left behind', async () => {
  await using source = await embeddedFolder();
  const at = { group: 'workspace', topic: 'workspace.commands.v1', partition: 0 };
  const keys = { w: { vanished: 2, suspected: [7, 7] as const, running: [7, 7] as const } };
  await writeHandling(source.store, at, { version: 0, handling: { owned: true, keys }, token: 't' });
  const { to } = await emptyCluster();
  await restoreOntoCluster(source.backup(), to, silent);
  expect(await to.store.read(HANDLING, [at.group, at.topic, 0], [])).toBeNull();
});

test('rows of a later release raise the format that the cluster is told', async () => {
  await using source = await embeddedFolder();
  const over = await readStoredFormat(source.store);
  await writeStoredFormat(source.store, over, { format: over.format + 1, release: 'the next', token: 't' });
  const { to } = await emptyCluster();
  await restoreOntoCluster(source.backup(), to, silent);
  expect(await readStoredFormat(to.store)).toMatchObject({ format: over.format + 1, release: 'the next' });
});

type Cluster = Awaited<ReturnType<typeof emptyCluster>>;

const REFUSALS: readonly {
  readonly what: string;
  readonly words: RegExp;
  readonly newer?: boolean;
  readonly arrange?: (cluster: Cluster) => Promise<unknown> | unknown;
  readonly change?: (to: ClusterToFill) => Partial<ClusterToFill>;
}[] = [
  {
    what: 'a keyspace with a Workspace',
    words: /table workspaces has rows/,
    arrange: ({ to }) => to.writer.write(WORKSPACES, [aRow()], 0),
  },
  {
    what: 'a topic with a record',
    words: /topic publish\.x\.v1 is not empty/,
    arrange: ({ log }) => log.append('publish.x.v1', [{ key: 'c', value: bytes('x') }]),
  },
  { what: 'a backup of a newer schema', words: /schema version \d+, and this release writes/, newer: true },
  {
    what: 'another secret',
    words: /CRIER_SECRET is not the secret of the backup/,
    change: () => ({ secretBox: createSecretBox({ secret: 'another secret of tests, long enough' }) }),
  },
  {
    what: 'processes that run',
    words: /3 in consumer group workspace\. Stop all of them/,
    arrange: (cluster) => void (cluster.members = 3),
  },
  {
    what: 'Kafka that is away',
    words: /Kafka is away/,
    change: (to) => ({
      log: { ...to.log, check: () => Promise.reject(new PortError('unavailable', 'Kafka is away')) },
    }),
  },
];

function aRow() {
  return {
    partition: ['w'],
    clustering: ['head', ''],
    body: bytes('x'),
    format: 1,
    version: 1,
    token: 't',
    timestamp: 0,
    expiresAt: null,
  };
}

test.each(REFUSALS)('refused, and nothing written: $what', async ({ words, newer, arrange, change }) => {
  await using source = await embeddedFolder();
  await fill(source, 3);
  const cluster = await emptyCluster();
  await arrange?.(cluster);
  const to = { ...cluster.to, ...change?.(cluster.to) };
  const backup = source.backup(newer === true ? { schemaVersion: SCHEMA_VERSION + 1 } : {});
  await expect(restoreOntoCluster(backup, to, silent)).rejects.toThrow(words);
  expect(await readRestoring(to.store)).toBeNull();
  expect(await to.store.read(WORKSPACES, ['w1'], ['head', ''])).toBeNull();
  expect(cluster.held).toEqual([]);
});

test('interrupted anywhere, no process starts, another backup is refused, and the same one goes on to the end', async () => {
  await using source = await embeddedFolder();
  await fill(source, 40);
  const { name: topic } = WORKSPACE_COMMANDS;
  await source.log.append(topic, [{ key: 'w', value: bytes('one') }]);
  let interruptions = 0;
  for (let step = 1; ; step++) {
    const { to, held } = await emptyCluster();
    const calls = { left: step };
    const failing = interrupted(to, calls);
    const ended = await restoreOntoCluster(source.backup(), failing, silent).then(
      () => true,
      () => false,
    );
    if (ended) break;
    interruptions++;
    await expect(refuseHalfRestored(to.store)).rejects.toThrow(/a restore was interrupted here/);
    await expect(restoreOntoCluster(source.backup({ identity: 'another' }), to, silent)).rejects.toThrow(
      /another backup/,
    );
    await restoreOntoCluster(source.backup(), to, silent);
    await refuseHalfRestored(to.store);
    expect(await to.store.read(WORKSPACES, ['w39'], ['head', ''])).toMatchObject({ version: 2 });
    expect(held.length).toBeGreaterThan(0);
  }
  expect(interruptions).toBeGreaterThan(4);
});

/** Ends with a defect at its n-th write, as a killed process does: nothing is repeated, nothing is cleaned up. */
function interrupted(to: ClusterToFill, calls: { left: number }): ClusterToFill {
  const count = (): void => {
    if (--calls.left === 0) throw new Error('killed');
  };
  return {
    ...to,
    writer: {
      ...to.writer,
      write: async (table, rows, now) => {
        count();
        await to.writer.write(table, rows, now);
      },
    },
    log: {
      ...to.log,
      append: async (topic, records) => {
        count();
        return to.log.append(topic, records);
      },
    },
    markRestored: async (instants) => {
      count();
      await to.markRestored(instants);
    },
  };
}
