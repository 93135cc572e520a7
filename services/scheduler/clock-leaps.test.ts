import { describe, expect, test } from 'vitest';
import { minuteOf } from '#tables/repositories/due.ts';
import { openSchedulerBench, SHARD, type SchedulerBench } from './scheduler-harness.fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** From little more than the look-ahead of near timers forgives to two days. */
const LEADS = [10 * MINUTE, 2 * HOUR, 48 * HOUR];
/** After the clock was put right, all of them further away than near timers are told through the topic. */
const DUE_AFTER_MINUTES = [16, 30, 60];
/** All of them are due by then. */
const ALL_DUE_MS = 61 * MINUTE;

const names = async (bench: SchedulerBench): Promise<readonly string[]> => (await bench.fired()).map(({ name }) => name);

/** The scheduler's clock leads by `leadMs` for `forMs`; who sets timers has the right one throughout. */
async function leadFor(bench: SchedulerBench, leadMs: number, forMs: number): Promise<void> {
  bench.clock.moveWall(leadMs);
  await bench.pass(forMs);
  bench.clock.moveWall(-leadMs);
  await bench.pass(10 * SECOND);
}

async function setRows(bench: SchedulerBench, now: number): Promise<readonly string[]> {
  for (const minutes of DUE_AFTER_MINUTES) await bench.setRow(`t${minutes}`, now + minutes * MINUTE);
  return DUE_AFTER_MINUTES.map((minutes) => `t${minutes}`);
}

/** When each first fired, in whole minutes from `from`. */
async function minutesFrom(bench: SchedulerBench, from: number): Promise<Readonly<Record<string, number>>> {
  const fired = (await bench.fired()).toReversed();
  return Object.fromEntries(fired.map(({ name, at }) => [name, Math.floor((at - from) / MINUTE)]));
}

describe.each(LEADS.map((leadMs) => ({ leadMs, lead: `${leadMs / MINUTE} min` })))('a clock that led by $lead and was put right', ({ leadMs }) => {
  test('loses no timer that was set while it led', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    await bench.pass(MINUTE);
    bench.clock.moveWall(leadMs);
    await bench.pass(20 * SECOND);
    // Set by a process whose clock is right: its row alone, as it is far away.
    const set = await setRows(bench, bench.clock.now() - leadMs);
    await bench.pass(20 * SECOND);
    bench.clock.moveWall(-leadMs);
    await bench.pass(ALL_DUE_MS);
    expect([...new Set(await names(bench))].toSorted()).toEqual(set.toSorted());
  });

  test('loses no timer that is set afterwards, and fires each at its instant', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    await bench.pass(MINUTE);
    await leadFor(bench, leadMs, 20 * SECOND);
    const now = bench.clock.now();
    await setRows(bench, now);
    await bench.pass(ALL_DUE_MS);
    expect(await minutesFrom(bench, now)).toEqual({ t16: 16, t30: 30, t60: 60 });
  });

  test('loses none either when it led for longer than near timers travel through the topic', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    bench.clock.moveWall(leadMs);
    await bench.pass(10 * MINUTE);
    const set = await setRows(bench, bench.clock.now() - leadMs);
    await bench.pass(20 * MINUTE);
    bench.clock.moveWall(-leadMs);
    await bench.pass(ALL_DUE_MS);
    expect([...new Set(await names(bench))].toSorted()).toEqual(set.toSorted());
  });

  test('loses none when its process dies before the clock is put right, and another takes over', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    bench.clock.moveWall(leadMs);
    await bench.pass(7 * MINUTE);
    const now = bench.clock.now() - leadMs;
    const set = await setRows(bench, now);
    await bench.pass(2 * MINUTE);
    bench.log.control.crash('one');
    bench.clock.moveWall(-leadMs);
    await bench.pass(20 * SECOND);
    await bench.scheduler('two');
    await bench.pass(ALL_DUE_MS);
    expect(new Set(await names(bench))).toEqual(new Set(set));
    expect(await bench.watermark()).toBeLessThanOrEqual(minuteOf(bench.clock.now()));
  });

  test('loses none when its process dies after the clock was put right', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    bench.clock.moveWall(leadMs);
    await bench.pass(2 * MINUTE);
    const set = await setRows(bench, bench.clock.now() - leadMs);
    bench.clock.moveWall(-leadMs);
    await bench.pass(11 * SECOND);
    bench.log.control.crash('one');
    // Nobody for so long that no watermark in the row is ahead of the clock any more.
    await bench.pass(Math.min(leadMs, HOUR) + MINUTE);
    await bench.scheduler('two');
    await bench.pass(ALL_DUE_MS);
    expect([...new Set(await names(bench))].toSorted()).toEqual(set.toSorted());
  });

  test('fires at its instant what it had fired too early', async () => {
    const bench = await openSchedulerBench();
    await bench.scheduler('one');
    await bench.pass(MINUTE);
    const dueAt = bench.clock.now() + 9 * MINUTE;
    await bench.setRow('t', dueAt);
    await leadFor(bench, leadMs, 20 * SECOND);
    const early = (await bench.fired()).length;
    await bench.pass(dueAt - bench.clock.now() - SECOND);
    const before = (await bench.fired()).length;
    await bench.pass(MINUTE);
    expect({ early, before, inTime: (await bench.fired()).length }).toEqual({ early: 1, before: 1, inTime: 2 });
  });

  test('drops no bucket that is still to come', async () => {
    const bench = await openSchedulerBench();
    const dueAt = bench.start + HOUR;
    await bench.setRow('t', dueAt);
    await bench.scheduler('one');
    bench.clock.moveWall(leadMs);
    await bench.pass(30 * MINUTE);
    expect(await bench.due.read(SHARD, minuteOf(dueAt), null, 10)).toHaveLength(1);
    bench.clock.moveWall(-leadMs);
    await bench.pass(dueAt - bench.clock.now() + MINUTE);
    expect((await bench.fired()).at(-1)!.at).toBeGreaterThanOrEqual(dueAt);
  });

  test('loses nothing though it made the installation meanwhile', async () => {
    const bench = await openSchedulerBench({ foundedAheadMs: leadMs });
    const set = await setRows(bench, bench.clock.now());
    await bench.scheduler('one');
    await bench.pass(ALL_DUE_MS);
    expect(await names(bench)).toEqual(set);
  });

  test('loses nothing though the process that made the installation goes on', async () => {
    const bench = await openSchedulerBench({ foundedAheadMs: leadMs });
    bench.clock.moveWall(leadMs);
    await bench.scheduler('one');
    await bench.pass(20 * SECOND);
    bench.clock.moveWall(-leadMs);
    const set = await setRows(bench, bench.clock.now());
    await bench.pass(ALL_DUE_MS);
    expect(await names(bench)).toEqual(set);
  });
});

describe.each(LEADS.map((lagMs) => ({ lagMs, lag: `${lagMs / MINUTE} min` })))('a clock that lagged by $lag and was put right', ({ lagMs }) => {
  test('loses nothing, and fires what fell due meanwhile at once', async () => {
    const bench = await openSchedulerBench();
    await bench.setRow('before', bench.start + MINUTE);
    await bench.scheduler('one');
    await bench.pass(20 * MINUTE);
    bench.clock.moveWall(-lagMs);
    await bench.pass(30 * SECOND);
    const now = bench.clock.now() + lagMs;
    const set = await setRows(bench, now);
    await bench.pass(17 * MINUTE);
    bench.clock.moveWall(lagMs);
    await bench.pass(10 * SECOND);
    const fired = async () => (await names(bench)).filter((name) => name !== 'before');
    expect(await fired()).toEqual(['t16']);
    await bench.pass(ALL_DUE_MS);
    expect(await fired()).toEqual(set);
  });
});
