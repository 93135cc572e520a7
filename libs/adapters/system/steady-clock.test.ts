import { afterEach, expect, test, vi } from 'vitest';
import { clockSuite } from '#port-suites/clock.ts';
import { createSteadyClock } from './steady-clock.ts';

const HOUR_MS = 3_600_000;

afterEach(() => void vi.restoreAllMocks());

/** From now on the machine's wall time is so much off. */
function leap(ms: number): void {
  const real = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => real() + ms);
}

clockSuite('steady clock', () => {
  const clock = createSteadyClock();
  return { clock, pass: (ms) => clock.sleep(ms), move: (ms) => clock.advance(ms) };
});

test.each([HOUR_MS, -HOUR_MS])('a leap of %i ms counts once it is confirmed, and not before', (ms) => {
  const clock = createSteadyClock();
  const [before, from] = [clock.now(), performance.now()];
  leap(ms);
  const passed = (): number => clock.now() - before - (performance.now() - from);
  expect(Math.abs(passed())).toBeLessThan(1_000);
  expect(Math.abs(clock.leapMs() - ms)).toBeLessThan(1_000);
  clock.confirm(clock.leapMs());
  expect(Math.abs(passed() - ms)).toBeLessThan(1_000);
  expect(clock.leapMs()).toBe(0);
});

test('a leap that was put back was none', () => {
  const clock = createSteadyClock();
  leap(HOUR_MS);
  expect(clock.leapMs()).not.toBe(0);
  vi.restoreAllMocks();
  expect(clock.leapMs()).toBe(0);
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
});

test('the corrections of a clock are followed at once', () => {
  const clock = createSteadyClock();
  leap(1_500);
  expect(clock.leapMs()).toBe(0);
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
});
