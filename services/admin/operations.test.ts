import { describe, expect, test } from 'vitest';
import { partitionOf } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { fileRecord, readParkedKey, writeParkedKey, type ParkedKey } from '#tables/repositories/parking.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { minuteOf, type DueTimer, createDueTimers } from '#tables/repositories/due.ts';
import { PUBLISH, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { openAdminHarness, START, until, type AdminHarness } from './admin-harness.fixture.ts';

const TOPIC = PUBLISH.x;

async function park(store: TableStore, key: string, about: Partial<ParkedKey> = {}): Promise<ParkedKey> {
  const flag: ParkedKey = {
    topic: TOPIC.name,
    partition: partitionOf(key, TOPIC.partitions),
    key,
    episode: 'e1',
    wish: 'none',
    drainedTo: -1,
    error: 'it broke',
    parkedAt: START,
    held: 2,
    ...about,
  };
  await fileRecord(store, flag, { offset: 4, value: Buffer.from('one') });
  expect(await writeParkedKey(store, flag, { version: 0, flag, token: `token of ${key}` })).toBe(true);
  return flag;
}

const wishOf = async (store: TableStore, { topic, partition, key }: ParkedKey) =>
  (await readParkedKey(store, topic, partition, key)).flag?.wish;

describe('parked keys', () => {
  test('are listed over all topics and partitions, oldest first', async () => {
    await using harness = await openAdminHarness();
    await park(harness.store, 'b', { parkedAt: START + 1 });
    await park(harness.store, 'a');
    await park(harness.store, 'c', {
      topic: WORKSPACE_COMMANDS.name,
      partition: partitionOf('c', WORKSPACE_COMMANDS.partitions),
      parkedAt: START + 2,
    });
    const { parked, more } = await harness.caller.parked.list();
    expect(parked.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    expect(parked[0]).toMatchObject({
      topic: TOPIC.name,
      error: 'it broke',
      parkedAt: '2026-11-20T12:00:00.000Z',
      held: 2,
      wish: 'none',
    });
    expect(more).toBe(false);
    expect((await harness.caller.parked.list({ topic: WORKSPACE_COMMANDS.name })).parked.map(({ key }) => key)).toEqual(
      ['c'],
    );
  });

  test('retry and skip reach the owner, and may be repeated', async () => {
    await using harness = await openAdminHarness();
    const [a, b] = [await park(harness.store, 'a'), await park(harness.store, 'b')];
    for (let time = 0; time < 2; time++) {
      await harness.caller.parked.retry({ topic: TOPIC.name, key: 'a' });
      await harness.caller.parked.skip({ topic: TOPIC.name, key: 'b' });
    }
    expect([await wishOf(harness.store, a), await wishOf(harness.store, b)]).toEqual(['retry', 'skip']);
  });

  test('a skip of a key that is handled again already is refused: it would leave out a record that never failed', async () => {
    await using harness = await openAdminHarness();
    const flag = await park(harness.store, 'a', { wish: 'retry' });
    await expect(harness.caller.parked.skip({ topic: TOPIC.name, key: 'a' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await wishOf(harness.store, flag)).toBe('retry');
  });

  test.each([
    [{ topic: TOPIC.name, key: 'nobody' }, 'NOT_FOUND'],
    [{ topic: 'elsewhere', key: 'a' }, 'BAD_REQUEST'],
  ])('%j is refused', async (input, code) => {
    await using harness = await openAdminHarness();
    await expect(harness.caller.parked.retry(input)).rejects.toMatchObject({ code });
  });
});

describe('timers.count', () => {
  const timer = (shard: number, dueAt: number, name = 't'): DueTimer => ({
    shard,
    timerId: `${name} ${dueAt}`,
    dueAt,
    topic: TOPIC.name,
    key: 'k',
    payload: Buffer.from('p'),
  });

  async function officeWithShards(): Promise<AdminHarness> {
    const harness = await openAdminHarness();
    const shards = createShards(harness.store);
    for (const shard of [0, 5]) await shards.found(shard, minuteOf(START), `made ${shard}`);
    return harness;
  }

  test('counts timers from the watermarks on, by shard and minute', async () => {
    await using harness = await officeWithShards();
    const due = createDueTimers(harness.store);
    await due.write([
      timer(0, START - 60_000),
      timer(0, START + 1),
      timer(0, START + 60_000),
      timer(5, START + 60_001),
      timer(5, START + 2 * 3_600_000),
    ]);
    expect(await harness.caller.timers.count()).toEqual({
      now: '2026-11-20T12:00:00.000Z',
      until: '2026-11-20T13:01:00.000Z',
      timers: 3,
      complete: true,
      shards: [
        { shard: 0, watermark: '2026-11-20T12:00:00.000Z', timers: 2 },
        { shard: 5, watermark: '2026-11-20T12:00:00.000Z', timers: 1 },
      ],
      minutes: [
        { minute: '2026-11-20T12:00:00.000Z', timers: 1 },
        { minute: '2026-11-20T12:01:00.000Z', timers: 2 },
      ],
    });
    expect(await harness.caller.timers.count({ hours: 24 })).toMatchObject({ timers: 4, complete: true });
  });

  test('stops at its limit and reports that there is more', async () => {
    await using harness = await officeWithShards();
    await createDueTimers(harness.store).write(
      Array.from({ length: 2_500 }, (_, each) => timer(0, START + 1_000, String(each))),
    );
    expect(await harness.caller.timers.count({ limit: 2_100 })).toMatchObject({ timers: 2_100, complete: false });
    expect(await harness.caller.timers.count()).toMatchObject({ timers: 2_500, complete: true });
  });
});

describe('the clock and the system', () => {
  test('the clock is moved ahead, and the new instant is returned', async () => {
    await using harness = await openAdminHarness();
    expect(await harness.caller.clock.advance({ milliseconds: 900_000 })).toEqual({ now: '2026-11-20T12:15:00.000Z' });
  });

  test('is not moved back, and not where that is not allowed', async () => {
    await using harness = await openAdminHarness(() => ({ advanceClock: null }));
    await expect(harness.caller.clock.advance({ milliseconds: -1 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(harness.caller.clock.advance({ milliseconds: 1 })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      message: expect.stringContaining('embedded'),
    });
  });

  test('oauth.rotateKeys makes a key that every replica knows before it signs', async () => {
    await using harness = await openAdminHarness();
    const { keyId: first } = await harness.caller.oauth.rotateKeys();
    const { keyId: second, signsFrom } = await harness.caller.oauth.rotateKeys({});
    expect([first === second, signsFrom]).toEqual([false, '2026-11-20T12:02:00.000Z']);
  });

  test('system.status shows the roles of this process and their records', async () => {
    await using harness = await openAdminHarness();
    await until(
      async () =>
        (await harness.caller.system.status()).consumers[0]!.partitions[WORKSPACE_COMMANDS.name]?.length === 64,
    );
    expect(await harness.caller.system.status()).toMatchObject({
      now: '2026-11-20T12:00:00.000Z',
      version: '0.0.0',
      engine: 'memory',
      networks: 'sandbox',
      roles: ['workspace', 'admin'],
      consumers: [{ name: 'workspace', waiting: 0, heldBack: 0 }],
      timersHeld: 0,
    });
  });
});
