import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { ANNOUNCED_KEPT_MS, announceProcess, type AnnouncedProcess } from './announced-processes.ts';
import { KnownAddresses } from './known-addresses.ts';

const ADDRESS = 'http://10.0.0.1:8081';

function open() {
  const clock = createMemoryClock();
  const seen = { reads: 0, away: false };
  const hooks = {
    before: async ({ name }: { readonly name: string }) => {
      if (name === 'slice') seen.reads++;
      if (seen.away) throw new Error('away');
    },
    after: async () => {},
  };
  const store = createMemoryTableStore({ clock, hooks });
  const announce = (more: Partial<AnnouncedProcess>, over: number | null = null): Promise<number> => {
    const row = { instance: 'a', address: ADDRESS, publishes: [], secretKeys: [], seenAt: 0, stoppedAt: null };
    return announceProcess(store, { ...row, ...more }, { over, token: `token ${Math.random()}` });
  };
  return { clock, seen, store, announce, known: new KnownAddresses({ store, clock }) };
}

test('an address is known from when its process says so, gone when it ends, unknown when its row expired', async () => {
  const { clock, known, announce } = open();
  expect(await known.standing(ADDRESS)).toBe('unknown');
  const version = await announce({});
  await clock.advance(1_000);
  expect(await known.standing(ADDRESS)).toBe('known');
  await announce({ stoppedAt: clock.now() }, version);
  await clock.advance(60_000);
  expect(await known.standing(ADDRESS)).toBe('gone');
  // Another process got the address.
  await announce({ instance: 'b' });
  await clock.advance(1_000);
  expect(await known.standing(ADDRESS)).toBe('known');
  await clock.advance(ANNOUNCED_KEPT_MS);
  expect(await known.standing(ADDRESS)).toBe('unknown');
});

test('however many addresses are made up, the rows are read once a second; known ones ask nobody', async () => {
  const { clock, seen, known, announce } = open();
  await announce({});
  expect(await known.standing(ADDRESS)).toBe('known');
  for (let second = 0; second < 3; second++) {
    for (let each = 0; each < 100; each++) expect(await known.standing(`http://forged-${each}.test`)).toBe('unknown');
    await clock.advance(1_000);
  }
  expect(seen.reads).toBe(3);
  expect(known.standing(ADDRESS)).toBe('known');
});

test('while the rows can not be read, what was read within a minute is known, and nothing else', async () => {
  const { clock, seen, known, announce } = open();
  await announce({});
  expect(await known.standing(ADDRESS)).toBe('known');
  seen.away = true;
  await clock.advance(59_000);
  expect(await known.standing(ADDRESS)).toBe('known');
  expect(await known.standing('http://forged.test')).toBe('unknown');
  await clock.advance(1_000);
  expect(await known.standing(ADDRESS)).toBe('unknown');
  seen.away = false;
  await clock.advance(1_000);
  expect(await known.standing(ADDRESS)).toBe('known');
});
