import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { PortError } from '#ports/errors.ts';
import { createDueTimers, minuteOf, traceOfTimer } from '#tables/repositories/due.ts';
import type { PendingEffects, TimerEffect } from '#tables/rows/pending-effects.ts';
import { POSTS } from '#tables/declarations/tables.ts';
import { TIMERS, TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { relayPending, encodeRow, writeRows } from './relay.ts';
import { LOOK_AHEAD_MS, setTimers } from './timers.ts';

function open(hooks?: Partial<TableHooks>) {
  const clock = createMemoryClock();
  const log = createMemoryLog({ topics: TOPICS, clock });
  const store = createMemoryTableStore({
    clock,
    ...(hooks === undefined ? {} : { hooks: { before: async () => {}, after: async () => {}, ...hooks } }),
  });
  const options = {
    log,
    store,
    clock,
    codec: createCodec({ registry: createBuiltInRegistry() }),
    due: createDueTimers(store),
  };
  return { ...options, options, told: () => log.control.records({ topic: TIMERS.name, partition: 5 }) };
}

const MESSAGE = { type: 'PlanDue', workspaceId: 'w' } as const;
const timer = (dueAt: number): TimerEffect => ({
  shard: 5,
  timerId: `t${dueAt}`,
  dueAt,
  topic: WORKSPACE_COMMANDS.name,
  key: 'w',
  message: MESSAGE,
});

describe('a timer', () => {
  test('within the look-ahead travels through the topic too, one beyond it by its row alone', async () => {
    const world = open();
    const now = world.clock.now();
    await setTimers(world.options, [timer(now + LOOK_AHEAD_MS - 1), timer(now + LOOK_AHEAD_MS), timer(now - 1)]);
    expect(world.told()).toHaveLength(2);
    expect(await world.due.read(5, minuteOf(now + LOOK_AHEAD_MS), null, 10)).toHaveLength(1);
  });

  test('that was far when its write began and near when it ended is sent to the owner of the shard', async () => {
    let slow = true;
    const world = open({
      before: async ({ table }) => {
        if (table.name === 'due' && slow) {
          slow = false;
          world.clock.moveWall(60_000);
        }
      },
    });
    await setTimers(world.options, [timer(world.clock.now() + LOOK_AHEAD_MS + 30_000)]);
    expect(world.told()).toHaveLength(1);
  });

  test('is not sent before its row is written', async () => {
    const world = open({
      before: async ({ table }) => {
        if (table.name === 'due') throw new PortError('unavailable', 'away');
      },
    });
    await expect(setTimers(world.options, [timer(world.clock.now())])).rejects.toMatchObject({ kind: 'unavailable' });
    expect(world.told()).toEqual([]);
  });
});

describe('a timer of one name and instant', () => {
  const asking = (world: ReturnType<typeof open>, workspaceId: string): TimerEffect => ({
    ...timer(world.clock.now() + 1_000),
    message: { type: 'PlanDue', workspaceId },
  });
  const rows = (world: ReturnType<typeof open>) => world.due.read(5, minuteOf(world.clock.now() + 1_000), null, 10);

  test('set again is the same row and the same timer on the topic', async () => {
    const world = open();
    for (let time = 0; time < 2; time++) await setTimers(world.options, [asking(world, 'a')]);
    const told = await Promise.all(world.told().map(({ value }) => world.options.codec.decode(value)));
    const [row] = await rows(world);
    expect(await rows(world)).toHaveLength(1);
    expect(told.map((decoded) => decoded.ok && decoded.message.type === 'TimerSet' && decoded.message.timerId)).toEqual(
      [row!.timerId, row!.timerId],
    );
  });

  test('that fires something else, or elsewhere, is another row, and neither is lost', async () => {
    const world = open();
    const { topic: _, ...elsewhere } = asking(world, 'a');
    await setTimers(world.options, [
      asking(world, 'a'),
      asking(world, 'b'),
      { ...elsewhere, topic: 'other.v1' },
      { ...asking(world, 'a'), key: 'other' },
    ]);
    const found = await rows(world);
    expect(found).toHaveLength(4);
    expect(
      new Set(found.map(({ topic, key, payload }) => `${topic} ${key} ${Buffer.from(payload).toString('hex')}`)).size,
    ).toBe(4);
  });

  test('that a former release wrote under its name alone stays, beside the one that is set again', async () => {
    const world = open();
    const { message, ...former } = asking(world, 'a');
    await world.due.write([
      { ...former, payload: Buffer.concat([world.options.codec.encode(message), Uint8Array.of(0)]) },
    ]);
    await setTimers(world.options, [asking(world, 'a')]);
    expect((await rows(world)).map(({ timerId }) => timerId.startsWith(former.timerId))).toEqual([true, true]);
  });
});

describe('a timer that is set in a trace', () => {
  const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  test('carries it, written again as the same row, and fires what it fires without one', async () => {
    const world = open();
    const plain = timer(world.clock.now() + 1_000);
    for (let time = 0; time < 2; time++) await setTimers(world.options, [{ ...plain, trace: TRACE }]);
    const rows = await world.due.read(5, minuteOf(plain.dueAt), null, 10);
    expect(rows.map(({ timerId }) => traceOfTimer(timerId))).toEqual([TRACE]);
    await setTimers(world.options, [plain]);
    const [first, second] = await world.due.read(5, minuteOf(plain.dueAt), null, 10);
    expect(first!.payload).toEqual(second!.payload);
  });

  test('that nobody keeps is not carried', async () => {
    const world = open();
    const unkept = { ...timer(world.clock.now() + 1_000), trace: TRACE.replace(/1$/, '0') };
    await setTimers(world.options, [unkept]);
    const [row] = await world.due.read(5, minuteOf(unkept.dueAt), null, 10);
    expect(traceOfTimer(row!.timerId)).toBeUndefined();
  });
});

describe('an outbox', () => {
  const row = (value: unknown) => ({ table: POSTS.name, partition: ['w', 1], clustering: ['p', 0], value });
  const pending: PendingEffects = {
    format: 1,
    rows: [row('new')],
    timers: [],
    messages: [{ topic: WORKSPACE_COMMANDS.name, key: 'w', message: MESSAGE }],
  };
  const sent = (world: ReturnType<typeof open>) =>
    TOPICS.flatMap(({ name, partitions }) =>
      Array.from({ length: partitions }, (_, partition) =>
        world.log.control.records({ topic: name, partition }),
      ).flat(),
    );

  test('sends nothing before its rows are written', async () => {
    const world = open({
      before: async ({ name }) => {
        if (name === 'upsert') throw new PortError('unavailable', 'away');
      },
    });
    await expect(relayPending(world.options, pending, 1)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(sent(world)).toEqual([]);
  });

  test('written late by an owner that was overtaken, changes nothing', async () => {
    const world = open();
    await writeRows(world.options, { rows: [encodeRow(row('newer'), 1)], timers: [], version: 8 });
    await writeRows(world.options, { rows: [encodeRow(row('older'), 1)], timers: [], version: 7 });
    await writeRows(world.options, { rows: [encodeRow(row('newer'), 1)], timers: [], version: 8 });
    expect(Buffer.from((await world.store.read(POSTS, ['w', 1], ['p', 0]))!.body).toString()).toBe('"newer"');
  });
});
