import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { Quota } from './quota.ts';

const MINUTE = 60_000;
const FIFTEEN = [{ uses: 100, windowMs: 15 * MINUTE }];

let clock: MemoryClock;
let tables: MemoryTables;
let writes: number;
let reads: number;
/** So many of the next writes are made, and their answers lost. */
let unanswered: number;
let seed = 1;

beforeEach(open);

function open(): void {
  clock = createMemoryClock();
  tables = new MemoryTables();
  [writes, reads, unanswered] = [0, 0, 0];
}

function replica(): Quota {
  const hooks = {
    before: async () => {},
    after: async ({ name }: { name: string }) => {
      if (name === 'read') reads += 1;
      if (name !== 'compareAndSet') return;
      writes += 1;
      unanswered -= 1;
      if (unanswered >= 0) throw new PortError('unavailable', 'the answer is lost');
    },
  };
  return new Quota({ store: createMemoryTableStore({ clock, tables, hooks }), clock, ids: createSeededIds(seed++) });
}

/** Uses made by all of `replicas` together, in turn, until every one is refused. */
async function drain(replicas: readonly Quota[], quota = FIFTEEN): Promise<number> {
  let made = 0;
  for (let refused = 0; refused < replicas.length;) {
    refused = 0;
    for (const each of replicas) {
      if ((await each.take('x account 77', quota)) === 0) made += 1;
      else refused += 1;
    }
  }
  return made;
}

test('two replicas together make every use that is allowed, and none beyond', async () => {
  expect(await drain([replica(), replica()])).toBe(100);
});

test('a process that starts anew keeps to the uses before it', async () => {
  const first = replica();
  for (let i = 0; i < 60; i++) expect(await first.take('x account 77', FIFTEEN)).toBe(0);
  expect(await drain([replica()])).toBeLessThanOrEqual(40);
});

test('takers at the same moment do not take the same use', async () => {
  const replicas = [replica(), replica(), replica()];
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) => replicas[index % 3]!.take('x account 77', FIFTEEN)),
  );
  expect(answers.filter((waitMs) => waitMs === 0).length).toBeLessThanOrEqual(100);
  expect(await drain(replicas)).toBeLessThanOrEqual(10);
});

test('a refused take says when a use becomes free, and a take then succeeds', async () => {
  const one = replica();
  await drain([one]);
  const waitMs = await one.take('x account 77', FIFTEEN);
  expect(waitMs).toBeGreaterThanOrEqual(15 * MINUTE);
  await clock.advance(waitMs);
  expect(await one.take('x account 77', FIFTEEN)).toBe(0);
});

test('no window holds more uses than allowed, whichever process takes them when', async () => {
  const replicas = [replica(), replica()];
  const quota = [
    { uses: 6, windowMs: MINUTE },
    { uses: 15, windowMs: 10 * MINUTE },
  ];
  const made: number[] = [];
  for (let step = 0; step < 600; step++) {
    if ((await replicas[step % 2]!.take('tiktok account 1', quota)) === 0) made.push(clock.now());
    await clock.advance(2_500);
  }
  for (const { uses, windowMs } of quota) {
    for (const from of made)
      expect(made.filter((at) => at >= from && at < from + windowMs).length).toBeLessThanOrEqual(uses);
  }
  expect(made.length).toBeGreaterThan(30);
});

test('a burst costs far fewer writes than uses, a lone use one', async () => {
  const one = replica();
  await one.take('lone', FIFTEEN);
  expect(writes).toBe(1);
  writes = 0;
  await drain([one]);
  expect(writes).toBeLessThan(20);
});

test('a process that is alone with a scope reads its row twice, whatever it takes', async () => {
  const one = replica();
  for (let use = 0; use < 10; use++) {
    expect(await one.take('x account 77', FIFTEEN)).toBe(0);
    await clock.advance(2 * MINUTE);
  }
  expect([reads, writes]).toEqual([2, 10]);
});

test('processes that take turns at a scope read its row, and none of their writes is refused', async () => {
  const replicas = [replica(), replica()];
  for (let use = 0; use < 10; use++) {
    expect(await replicas[use % 2]!.take('x account 77', FIFTEEN)).toBe(0);
    await clock.advance(MINUTE);
  }
  expect([reads, writes]).toEqual([10, 10]);
});

test('a row that another process has written meanwhile, or that has expired, is taken up as it is then', async () => {
  const one = replica();
  for (let use = 0; use < 3; use++) {
    await one.take('x account 77', FIFTEEN);
    await clock.advance(MINUTE);
  }
  expect(await drain([replica()])).toBe(97);
  expect(await one.take('x account 77', FIFTEEN)).toBeGreaterThan(0);
  await clock.advance(60 * MINUTE);
  expect(await drain([one])).toBe(100);
});

test('uses of another process stay, whose row has the version at which an expired one was left', async () => {
  const [one, other] = [replica(), replica()];
  const threeTakes = async (of: Quota): Promise<void> => {
    for (let use = 0; use < 3; use++) {
      expect(await of.take('x account 77', FIFTEEN)).toBe(0);
      await clock.advance(MINUTE);
    }
  };
  await threeTakes(one);
  await clock.advance(60 * MINUTE);
  await threeTakes(other);
  await one.take('x account 77', FIFTEEN);
  expect(await drain([replica()])).toBe(96);
});

test('five uses a minute, steadily, cost one write a minute once that is known', async () => {
  const one = replica();
  const quota = [{ uses: 10_000, windowMs: 24 * 60 * MINUTE }];
  for (let minute = 0; minute < 5; minute++) {
    writes = 0;
    for (let use = 0; use < 5; use++) expect(await one.take('x app', quota)).toBe(0);
    expect(writes).toBe(minute === 0 ? 3 : 1);
    await clock.advance(MINUTE);
  }
});

test('of a quota of 100 a day, a process that takes one use every few minutes makes every one', async () => {
  const one = replica();
  const day = [{ uses: 100, windowMs: 24 * 60 * MINUTE }];
  let made = 0;
  for (; (await one.take('youtube app', day)) === 0; made++) await clock.advance(3 * MINUTE);
  expect(made).toBe(100);
});

test.each([2, 3, 5, 8, 13, 40])(
  'of a quota of 100 a day, a process that takes %i at a time makes every one',
  async (uses) => {
    const one = replica();
    const day = [{ uses: 100, windowMs: 24 * 60 * MINUTE }];
    let made = 0;
    for (let burst = 0; burst < 100; burst++) {
      for (let use = 0; use < uses; use++) if ((await one.take('instagram account 1', day)) === 0) made += 1;
      await clock.advance(2 * MINUTE);
    }
    expect(made).toBe(100);
  },
);

test('of what two processes take at any moments, no window holds more than allowed', async () => {
  const hour = { uses: 40, windowMs: 60 * MINUTE };
  const steps = fc.array(fc.tuple(fc.nat(1), fc.nat(20), fc.nat(3 * MINUTE)), { minLength: 30, maxLength: 120 });
  await fc.assert(
    fc.asyncProperty(steps, async (takes) => {
      open();
      const replicas = [replica(), replica()];
      const made: number[] = [];
      for (const [which, uses, pauseMs] of takes) {
        for (let use = 0; use < uses; use++)
          if ((await replicas[which]!.take('instagram account 1', [hour])) === 0) made.push(clock.now());
        await clock.advance(pauseMs);
      }
      for (const from of made)
        expect(made.filter((at) => at >= from && at < from + hour.windowMs).length).toBeLessThanOrEqual(hour.uses);
    }),
    { numRuns: 30 },
  );
});

test('uses that are given back are not made, also where the answer is lost and the clock is put back', async () => {
  const one = replica();
  for (let use = 0; use < 4; use++) expect(await one.take('x account 77', FIFTEEN)).toBe(0);
  await clock.advance(2 * MINUTE);
  unanswered = 1;
  await expect(one.take('x account 77', FIFTEEN)).rejects.toThrow(PortError);
  clock.moveWall(-2 * MINUTE);
  // Four were made, and one was taken of which this process does not know.
  expect(await drain([one])).toBe(95);
});

test('where no quota is declared, every use is allowed without a write', async () => {
  expect(await replica().take('facebook account 1', [])).toBe(0);
  expect(writes).toBe(0);
});

test('what was taken while the clock led counts for a window from when it was put right, and no longer', async () => {
  clock.moveWall(30 * 24 * 60 * MINUTE);
  await drain([replica()]);
  clock.moveWall(-30 * 24 * 60 * MINUTE);
  const one = replica();
  const waitMs = await one.take('x account 77', FIFTEEN);
  expect([waitMs >= 15 * MINUTE, waitMs < 17 * MINUTE]).toEqual([true, true]);
  await clock.advance(waitMs);
  expect(await one.take('x account 77', FIFTEEN)).toBe(0);
});

test('that uses are spent is not believed for longer because the clock was put back', async () => {
  clock.moveWall(24 * 60 * MINUTE);
  const one = replica();
  await drain([one]);
  expect(one.spentMs('x account 77')).toBeGreaterThan(0);
  clock.moveWall(-24 * 60 * MINUTE);
  await clock.advance(17 * MINUTE);
  expect(one.spentMs('x account 77')).toBe(0);
});
