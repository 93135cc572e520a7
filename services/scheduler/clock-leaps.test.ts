import { describe, expect, test } from 'vitest';
import type { TableHooks } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { DUE } from '#tables/declarations/tables.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import { openSchedulerHarness, SHARD, type SchedulerHarness } from './scheduler-harness.fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** From little more than the look-ahead of near timers forgives to two days. */
const LEADS = [10 * MINUTE, 2 * HOUR, 48 * HOUR];
/** Counted from when the clock was put right: too far away to be sent through the topic. */
const DUE_AFTER_MINUTES = [16, 30, 60];
/** All of them are due by then. */
const ALL_DUE_MS = 61 * MINUTE;

const DUE_UNREADABLE: TableHooks = {
  before: ({ table }) => (table === DUE ? Promise.reject(new PortError('unavailable', 'away')) : Promise.resolve()),
  after: () => Promise.resolve(),
};

const names = async (harness: SchedulerHarness): Promise<readonly string[]> =>
  (await harness.fired()).map(({ name }) => name);

/** The scheduler's clock leads by `leadMs` for `forMs`; who sets timers has the right one throughout. */
async function leadFor(harness: SchedulerHarness, leadMs: number, forMs: number): Promise<void> {
  harness.clock.moveWall(leadMs);
  await harness.pass(forMs);
  harness.clock.moveWall(-leadMs);
  await harness.pass(10 * SECOND);
}

/** Sets rows by a right clock while that of a scheduler leads, whose process dies; then the clock is right. */
async function diesWhileItLeads(harness: SchedulerHarness, leadMs: number): Promise<readonly string[]> {
  const one = await harness.scheduler('one');
  await harness.pass(MINUTE);
  harness.clock.moveWall(leadMs);
  await harness.pass(10 * SECOND);
  const set = await setRows(harness, harness.clock.now() - leadMs);
  await harness.pass(2 * MINUTE);
  await harness.dies('one', one);
  harness.clock.moveWall(-leadMs);
  return set;
}

async function setRows(harness: SchedulerHarness, now: number): Promise<readonly string[]> {
  for (const minutes of DUE_AFTER_MINUTES) await harness.setRow(`t${minutes}`, now + minutes * MINUTE);
  return DUE_AFTER_MINUTES.map((minutes) => `t${minutes}`);
}

/** When each first fired, in whole minutes from `from`. */
async function minutesFrom(harness: SchedulerHarness, from: number): Promise<Readonly<Record<string, number>>> {
  const fired = (await harness.fired()).toReversed();
  return Object.fromEntries(fired.map(({ name, at }) => [name, Math.floor((at - from) / MINUTE)]));
}

describe.each(LEADS.map((leadMs) => ({ leadMs, lead: `${leadMs / MINUTE} min` })))(
  'a clock that led by $lead and was put right',
  ({ leadMs }) => {
    test('loses no timer that was set while it led', async () => {
      const harness = await openSchedulerHarness();
      await harness.scheduler('one');
      await harness.pass(MINUTE);
      harness.clock.moveWall(leadMs);
      await harness.pass(20 * SECOND);
      // Set by a process whose clock is right: its row alone, as it is far away.
      const set = await setRows(harness, harness.clock.now() - leadMs);
      await harness.pass(20 * SECOND);
      harness.clock.moveWall(-leadMs);
      await harness.pass(ALL_DUE_MS);
      expect([...new Set(await names(harness))].toSorted()).toEqual(set.toSorted());
    });

    test('loses no timer that is set afterwards, and fires each at its instant', async () => {
      const harness = await openSchedulerHarness();
      await harness.scheduler('one');
      await harness.pass(MINUTE);
      await leadFor(harness, leadMs, 20 * SECOND);
      const now = harness.clock.now();
      await setRows(harness, now);
      await harness.pass(ALL_DUE_MS);
      expect(await minutesFrom(harness, now)).toEqual({ t16: 16, t30: 30, t60: 60 });
    });

    test('loses none either when it led for longer than near timers travel through the topic', async () => {
      const harness = await openSchedulerHarness();
      await harness.scheduler('one');
      harness.clock.moveWall(leadMs);
      await harness.pass(10 * MINUTE);
      const set = await setRows(harness, harness.clock.now() - leadMs);
      await harness.pass(20 * MINUTE);
      harness.clock.moveWall(-leadMs);
      await harness.pass(ALL_DUE_MS);
      expect([...new Set(await names(harness))].toSorted()).toEqual(set.toSorted());
    });

    test('loses none when its process dies before the clock is put right, and another takes over', async () => {
      const harness = await openSchedulerHarness();
      const one = await harness.scheduler('one');
      harness.clock.moveWall(leadMs);
      await harness.pass(7 * MINUTE);
      const now = harness.clock.now() - leadMs;
      const set = await setRows(harness, now);
      await harness.pass(2 * MINUTE);
      await harness.dies('one', one);
      harness.clock.moveWall(-leadMs);
      await harness.pass(20 * SECOND);
      await harness.scheduler('two');
      await harness.pass(ALL_DUE_MS);
      expect(new Set(await names(harness))).toEqual(new Set(set));
      expect(await harness.watermark()).toBeLessThanOrEqual(minuteOf(harness.clock.now()));
    });

    test.each([0.7, 1.5])(
      'loses none when nobody takes over for %d times as long as it led after its process died',
      async (times) => {
        const harness = await openSchedulerHarness();
        const set = await diesWhileItLeads(harness, leadMs);
        await harness.pass(times * leadMs);
        await harness.scheduler('two');
        await harness.pass(ALL_DUE_MS);
        expect([...new Set(await names(harness))].toSorted()).toEqual(set.toSorted());
      },
    );

    test('loses none when who takes over ends before it could read again', async () => {
      const harness = await openSchedulerHarness();
      const set = await diesWhileItLeads(harness, leadMs);
      await harness.pass(1.5 * leadMs + HOUR);
      const two = await harness.scheduler('two', DUE_UNREADABLE);
      await harness.pass(6 * MINUTE);
      await two.drain();
      await harness.scheduler('three');
      await harness.pass(ALL_DUE_MS);
      expect([...new Set(await names(harness))].toSorted()).toEqual(set.toSorted());
    });

    test('loses none when its process dies after the clock was put right', async () => {
      const harness = await openSchedulerHarness();
      const one = await harness.scheduler('one');
      harness.clock.moveWall(leadMs);
      await harness.pass(2 * MINUTE);
      const set = await setRows(harness, harness.clock.now() - leadMs);
      harness.clock.moveWall(-leadMs);
      await harness.pass(11 * SECOND);
      await harness.dies('one', one);
      // Nobody for so long that no watermark in the row is ahead of the clock any more.
      await harness.pass(Math.min(leadMs, HOUR) + MINUTE);
      await harness.scheduler('two');
      await harness.pass(ALL_DUE_MS);
      expect([...new Set(await names(harness))].toSorted()).toEqual(set.toSorted());
    });

    test('fires at its instant what it had fired too early', async () => {
      const harness = await openSchedulerHarness();
      await harness.scheduler('one');
      await harness.pass(MINUTE);
      const dueAt = harness.clock.now() + 9 * MINUTE;
      await harness.setRow('t', dueAt);
      await leadFor(harness, leadMs, 20 * SECOND);
      const early = (await harness.fired()).length;
      await harness.pass(dueAt - harness.clock.now() - SECOND);
      const before = (await harness.fired()).length;
      await harness.pass(MINUTE);
      expect({ early, before, inTime: (await harness.fired()).length }).toEqual({ early: 1, before: 1, inTime: 2 });
    });

    test('drops no minute that is still to come', async () => {
      const harness = await openSchedulerHarness();
      const dueAt = harness.start + HOUR;
      await harness.setRow('t', dueAt);
      await harness.scheduler('one');
      harness.clock.moveWall(leadMs);
      await harness.pass(30 * MINUTE);
      expect(await harness.due.read(SHARD, minuteOf(dueAt), null, 10)).toHaveLength(1);
      harness.clock.moveWall(-leadMs);
      await harness.pass(dueAt - harness.clock.now() + MINUTE);
      expect((await harness.fired()).at(-1)!.at).toBeGreaterThanOrEqual(dueAt);
    });

    test('loses nothing though it made the installation meanwhile', async () => {
      const harness = await openSchedulerHarness({ foundedAheadMs: leadMs });
      const set = await setRows(harness, harness.clock.now());
      await harness.scheduler('one');
      await harness.pass(ALL_DUE_MS);
      expect(await names(harness)).toEqual(set);
    });

    test('loses nothing though the process that made the installation goes on', async () => {
      const harness = await openSchedulerHarness({ foundedAheadMs: leadMs });
      harness.clock.moveWall(leadMs);
      await harness.scheduler('one');
      await harness.pass(20 * SECOND);
      harness.clock.moveWall(-leadMs);
      const set = await setRows(harness, harness.clock.now());
      await harness.pass(ALL_DUE_MS);
      expect(await names(harness)).toEqual(set);
    });
  },
);

describe.each(LEADS.map((lagMs) => ({ lagMs, lag: `${lagMs / MINUTE} min` })))(
  'a clock that lagged by $lag and was put right',
  ({ lagMs }) => {
    test('loses nothing, and fires what fell due meanwhile at once', async () => {
      const harness = await openSchedulerHarness();
      await harness.setRow('before', harness.start + MINUTE);
      await harness.scheduler('one');
      await harness.pass(20 * MINUTE);
      harness.clock.moveWall(-lagMs);
      await harness.pass(30 * SECOND);
      const now = harness.clock.now() + lagMs;
      const set = await setRows(harness, now);
      await harness.pass(17 * MINUTE);
      harness.clock.moveWall(lagMs);
      await harness.pass(10 * SECOND);
      const fired = async () => (await names(harness)).filter((name) => name !== 'before');
      expect(await fired()).toEqual(['t16']);
      await harness.pass(ALL_DUE_MS);
      expect(await fired()).toEqual(set);
    });
  },
);

test('a clock that led and is put right little by little fires at its instant what it had fired too early', async () => {
  const harness = await openSchedulerHarness();
  await harness.scheduler('one');
  await harness.pass(MINUTE);
  const dueAt = harness.clock.now() + 9 * MINUTE;
  await harness.setRow('t', dueAt);
  harness.clock.moveWall(10 * MINUTE);
  await harness.pass(20 * SECOND);
  expect(await names(harness)).toEqual(['t']);
  for (let steps = 0; steps < 60; steps++) {
    harness.clock.moveWall(-10 * SECOND);
    await harness.pass(5 * SECOND);
  }
  expect(harness.clock.now()).toBeLessThan(dueAt);
  await harness.pass(dueAt - harness.clock.now() + MINUTE);
  expect(await names(harness)).toEqual(['t', 't']);
  expect((await harness.fired()).at(-1)!.at).toBeGreaterThanOrEqual(dueAt);
});
