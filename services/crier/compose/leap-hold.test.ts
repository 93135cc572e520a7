import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { ClockLead } from './clock-lead.ts';
import { HOLD_MS, LeapHold } from './leap-hold.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** A process whose clock may leap, on a machine that may sleep. */
async function oneProcess() {
  const clock = createMemoryClock();
  const reporter = createMemoryReporter();
  const lead = new ClockLead('network');
  let [leapMs, followedMs, sleptMs] = [0, 0, 0];
  const hold = new LeapHold({
    ...{ clock, reporter, lead },
    leaps: {
      leapMs: () => leapMs,
      confirm: (ms) => {
        leapMs -= ms;
        followedMs += ms;
      },
    },
    sinceBootMs: () => clock.monotonic() + sleptMs,
  });
  await hold.start();
  return {
    ...{ clock, reporter, lead, hold },
    followedMs: () => followedMs,
    leap: (ms: number) => void (leapMs += ms),
    sleep: (ms: number) => {
      sleptMs += ms;
      leapMs += ms;
    },
  };
}

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'a clock that is %i ms off for 20 s is not followed: its process says so, and nothing goes by it',
  async (ms) => {
    const { clock, hold, reporter, leap, followedMs } = await oneProcess();
    leap(ms);
    await clock.advance(20 * SECOND_MS);
    expect(hold.trouble()).toMatch(/^the clock of this machine leapt 7200 s (ahead|back): nothing goes by it/);
    expect(reporter.of('clock-doubted')).toHaveLength(1);
    leap(-ms);
    await clock.advance(2 * HOLD_MS);
    expect([followedMs(), hold.trouble()]).toEqual([0, null]);
    await hold.stop();
    expect(clock.armed()).toBe(0);
  },
);

test('a clock that leaps once more while it is doubted is doubted for a minute from then on', async () => {
  const { clock, hold, reporter, leap, followedMs } = await oneProcess();
  leap(HOUR_MS);
  await clock.advance(HOLD_MS - 5 * SECOND_MS);
  leap(23 * HOUR_MS);
  await clock.advance(HOLD_MS - SECOND_MS);
  expect(followedMs()).toBe(0);
  expect(hold.trouble()).toMatch(/leapt 86400 s ahead/);
  expect(reporter.of('clock-doubted')).toHaveLength(2);
  await clock.advance(2 * SECOND_MS);
  expect([followedMs(), hold.trouble()]).toEqual([24 * HOUR_MS, null]);
  await hold.stop();
});

test('a clock that stays where it leapt to is followed after a minute, if nothing contradicts it', async () => {
  const { clock, hold, leap, followedMs } = await oneProcess();
  await clock.advance(10 * SECOND_MS);
  leap(HOUR_MS);
  await clock.advance(HOLD_MS - SECOND_MS);
  expect(followedMs()).toBe(0);
  await clock.advance(2 * SECOND_MS);
  expect([followedMs(), hold.trouble()]).toEqual([HOUR_MS, null]);
  leap(-HOUR_MS);
  await clock.advance(HOLD_MS + SECOND_MS);
  expect(followedMs()).toBe(0);
});

test('it is followed at once where the machine slept for as long, or where a correction is small', async () => {
  const { clock, reporter, leap, sleep, followedMs } = await oneProcess();
  await clock.advance(10 * SECOND_MS);
  sleep(8 * HOUR_MS);
  await clock.advance(SECOND_MS);
  expect(followedMs()).toBe(8 * HOUR_MS);
  leap(-10 * SECOND_MS);
  await clock.advance(SECOND_MS);
  expect(followedMs()).toBe(8 * HOUR_MS - 10 * SECOND_MS);
  // Slept, and wrong when it woke.
  leap(HOUR_MS);
  await clock.advance(SECOND_MS);
  expect(followedMs()).toBe(8 * HOUR_MS - 10 * SECOND_MS);
  expect(reporter.of('clock-doubted')).toHaveLength(1);
});

test('the Date of a Network decides: one that agrees has it followed at once, one that does not keeps it held', async () => {
  const { clock, lead, hold, leap, followedMs } = await oneProcess();
  // Before the leap nothing is said about it.
  lead.note(-HOUR_MS);
  leap(HOUR_MS);
  await clock.advance(SECOND_MS);
  expect(followedMs()).toBe(0);
  lead.note(2 * SECOND_MS);
  await clock.advance(10 * HOLD_MS);
  expect(followedMs()).toBe(0);
  expect(hold.trouble()).not.toBeNull();
  lead.note(-HOUR_MS + 2 * SECOND_MS);
  await clock.advance(SECOND_MS);
  expect([followedMs(), hold.trouble()]).toEqual([HOUR_MS, null]);
});
