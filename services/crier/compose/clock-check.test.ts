import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { PortError } from '#ports/errors.ts';
import type { OtherClock } from '../engines/engine.ts';
import { ClockLead } from './clock-lead.ts';
import { ClockCheck, clockTrouble, MAX_OFF_MS } from './clock-check.ts';

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;

const seen = (...aheadMs: readonly number[]): OtherClock[] =>
  aheadMs.map((each, index) => ({ machine: `10.0.0.${index + 1}`, aheadMs: each }));

describe('what is said of the clock', () => {
  test.each<[string, readonly number[], RegExp | null]>([
    ['right', [0, 3, -2], null],
    ['within what Posts may be late by', [MAX_OFF_MS], null],
    ['an hour ahead', [HOUR_MS], /^the clock of this machine is 3600 s ahead of that of 10\.0\.0\.1: set it right/],
    ['an hour behind', [-HOUR_MS, -HOUR_MS + 5, -HOUR_MS], /^the clock of this machine is 3600 s behind that of /],
    ['right beside a node that is an hour off', [0, HOUR_MS, 1], null],
    ['right beside one of two nodes that is off', [-HOUR_MS, 2], null],
    ['an hour off beside one of three nodes that is too', [HOUR_MS, HOUR_MS, 0], /3600 s ahead of/],
    ['compared with nothing', [], null],
  ])('%s', (_, aheadMs, sentence) => {
    const said = clockTrouble(seen(...aheadMs));
    if (sentence === null) expect(said).toBeNull();
    else expect(said).toMatch(sentence);
  });
});

/** One process, whose clock was right when it was made, and an engine whose clock stays right. */
function oneProcess() {
  const clock = createMemoryClock();
  const reporter = createMemoryReporter();
  const ended: string[] = [];
  const followed: number[] = [];
  let [offMs, leapMs, away, looks, begun] = [0, 0, false, 0, false];
  let [isAlone, whileAsked] = [false, (): void => {}];
  const lead = new ClockLead('cassandra');
  const check = new ClockCheck({
    ...{ clock, reporter, lead },
    reference: {
      others: async () => {
        looks++;
        if (away) throw new PortError('unavailable', 'the engine is away');
        whileAsked();
        return isAlone ? [] : seen(offMs);
      },
    },
    leaps: {
      leapMs: () => leapMs,
      confirm: (ms) => {
        leapMs -= ms;
        followed.push(ms);
      },
    },
    onWrong: ({ message }) => void ended.push(message),
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await setImmediate();
  };
  return {
    ...{ check, clock, reporter, lead, ended, followed, settle },
    start: () => void check.start().then(() => (begun = true)),
    begun: () => begun,
    looks: () => looks,
    set: (ms: number) => void (offMs = ms),
    leap: (ms: number) => {
      offMs += ms;
      leapMs += ms;
    },
    sleepFor: (ms: number) => void (leapMs += ms),
    leapMs: () => leapMs,
    setAway: (is: boolean) => void (away = is),
    setAlone: (is: boolean) => void (isAlone = is),
    whenAsked: (run: () => void) => void (whileAsked = run),
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= SECOND_MS) {
        await clock.advance(SECOND_MS);
        await settle();
      }
    },
  };
}

describe('a process', () => {
  test('with a wrong clock begins nothing and says why, until the clock is right; it says so once', async () => {
    const one = oneProcess();
    one.set(HOUR_MS);
    one.start();
    await one.pass(60 * SECOND_MS);
    expect(one.begun()).toBe(false);
    expect(one.check.trouble()).toMatch(/3600 s ahead/);
    expect(one.lead.aheadMs).toBe(HOUR_MS);
    expect(one.reporter.of('clock-refused')).toHaveLength(1);
    one.set(0);
    await one.pass(6 * SECOND_MS);
    expect([one.begun(), one.check.trouble(), one.lead.aheadMs, one.ended]).toEqual([true, null, 0, []]);
    await one.check.stop();
    expect(one.clock.armed()).toBe(0);
  });

  test('that waits for an engine to compare with begins nothing, and ends when told', async () => {
    const one = oneProcess();
    one.setAway(true);
    one.start();
    await one.pass(10 * SECOND_MS);
    expect([one.begun(), one.looks() > 1]).toEqual([false, true]);
    await one.check.stop();
    await one.settle();
    expect([one.begun(), one.clock.armed()]).toEqual([true, 0]);
  });

  test.each([HOUR_MS, -HOUR_MS])('whose clock leaps by %i ms is to end within two seconds', async (leapMs) => {
    const one = oneProcess();
    one.start();
    await one.pass(12 * SECOND_MS);
    one.leap(leapMs);
    await one.pass(2 * SECOND_MS);
    expect(one.ended).toEqual([expect.stringMatching(/^the clock of this machine is 3600 s/)]);
    expect(one.leapMs(), 'nothing was done by that clock').toBe(leapMs);
    await one.pass(20 * SECOND_MS);
    expect(one.ended).toHaveLength(1);
    expect(one.clock.armed()).toBe(0);
  });

  test('on a machine that slept for an hour goes on by the clock, which is right', async () => {
    const one = oneProcess();
    one.start();
    await one.pass(12 * SECOND_MS);
    one.sleepFor(HOUR_MS);
    await one.pass(SECOND_MS);
    expect([one.leapMs(), one.ended, one.check.trouble()]).toEqual([0, [], null]);
    await one.check.stop();
  });

  test.each([HOUR_MS, -HOUR_MS])(
    'follows no leap of %i ms that is taken back while the engine is asked',
    async (ms) => {
      const one = oneProcess();
      one.start();
      await one.pass(12 * SECOND_MS);
      one.leap(ms);
      one.whenAsked(() => {
        one.whenAsked(() => {});
        one.leap(-ms);
      });
      await one.pass(SECOND_MS);
      expect([one.followed, one.leapMs(), one.ended, one.check.trouble()]).toEqual([[], 0, [], null]);
      await one.check.stop();
    },
  );

  test('follows no leap while no other clock is seen', async () => {
    const one = oneProcess();
    one.start();
    await one.pass(12 * SECOND_MS);
    one.setAlone(true);
    one.leap(HOUR_MS);
    await one.pass(10 * SECOND_MS);
    expect(one.leapMs()).toBe(HOUR_MS);
    await one.check.stop();
  });

  test('follows no leap while the engine is away, and ends once it is back and says that it was wrong', async () => {
    const one = oneProcess();
    one.start();
    await one.pass(6 * SECOND_MS);
    one.setAway(true);
    one.leap(2 * MAX_OFF_MS);
    await one.pass(60 * SECOND_MS);
    expect([one.ended, one.leapMs()]).toEqual([[], 2 * MAX_OFF_MS]);
    one.setAway(false);
    await one.pass(6 * SECOND_MS);
    expect(one.ended).toHaveLength(1);
  });
});
