import { expect, test, vi } from 'vitest';
import { clockSuite } from '#port-suites/clock.ts';
import { createSystemClock, MachineClock } from './clock.ts';

clockSuite('system clock', () => {
  const clock = createSystemClock();
  return { clock, pass: (ms) => clock.sleep(ms), move: (ms) => clock.advance(ms) };
});

test('aheadMs puts wall time ahead of the machine', () => {
  const ahead = createSystemClock({ aheadMs: 86_400_000 }).now() - Date.now();
  expect(Math.abs(ahead - 86_400_000)).toBeLessThan(1000);
});

test('a long delay is split into several timeouts and ends on time', () => {
  vi.useFakeTimers();
  try {
    const clock = createSystemClock();
    let ranAt = -1;
    clock.after(2 ** 31 + 1000, () => (ranAt = Date.now()));
    const start = Date.now();
    vi.advanceTimersByTime(2 ** 31 - 1);
    expect(ranAt).toBe(-1);
    vi.advanceTimersByTime(1001);
    expect(ranAt - start).toBe(2 ** 31 + 1000);
  } finally {
    vi.useRealTimers();
  }
});

test('a delay that is over before its timeout is set makes no timeout below zero, of which Node warns', async () => {
  class Interrupted extends MachineClock {
    #at = 0;
    override monotonic(): number {
      return (this.#at += 5);
    }
  }
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  try {
    await new Promise<void>((resolve) => void new Interrupted(0).after(0, resolve));
    // Warnings are emitted in the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', onWarning);
  }
});
