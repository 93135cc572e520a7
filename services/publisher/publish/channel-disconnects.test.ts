import { expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { WORKSPACE_VIEWS } from '#tables/declarations/tables.ts';
import { CHANNELS_VIEW } from '#tables/repositories/workspaces.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { ChannelDisconnects } from './channel-disconnects.ts';

async function open() {
  const clock = createMemoryClock(Date.UTC(2026, 10, 28));
  const memory = createMemoryTableStore({ clock });
  let [reads, isAway] = [0, false];
  const store: TableStore = {
    ...memory,
    read: async (...asked) => {
      reads += 1;
      if (isAway) throw new PortError('unavailable', 'no node answers');
      return memory.read(...asked);
    },
  };
  const write = (disconnects: number, timestamp: number) => {
    const body = encodeBody({ a: { id: 'a', disconnects }, b: { id: 'b', disconnects: 0 } });
    const row = { partition: ['w'], clustering: CHANNELS_VIEW, body, format: BODY_FORMAT, timestamp };
    return memory.upsert(WORKSPACE_VIEWS, [row]);
  };
  await write(1, 1);
  return {
    clock,
    disconnects: new ChannelDisconnects({ store, clock }),
    write,
    reads: () => reads,
    away: (is: boolean) => (isAway = is),
  };
}

test('a thousand attempts of a Workspace within a second read its Channels once, and the next ones again', async () => {
  const { clock, disconnects, write, reads } = await open();
  const asked = await Promise.all(
    Array.from({ length: 1_000 }, (_, attempt) => disconnects.of('w', attempt % 2 === 0 ? 'a' : 'b')),
  );
  expect([asked[0], asked[1], await disconnects.of('w', 'none')]).toEqual([1, 0, 0]);
  expect(reads()).toBe(1);
  await write(2, 2);
  await clock.advance(1_000);
  expect(await disconnects.of('w', 'a')).toBe(2);
  expect(reads()).toBe(2);
});

test('they are read again where the clock was moved ahead meanwhile', async () => {
  const { clock, disconnects, write } = await open();
  expect(await disconnects.of('w', 'a')).toBe(1);
  await write(2, 2);
  clock.moveWall(60_000);
  expect(await disconnects.of('w', 'a')).toBe(2);
});

test('a reading that failed is not kept', async () => {
  const { disconnects, away } = await open();
  away(true);
  await expect(disconnects.of('w', 'a')).rejects.toThrow('no node answers');
  away(false);
  expect(await disconnects.of('w', 'a')).toBe(1);
});
