import { describe, expect, test } from 'vitest';
import type { Clock } from '#ports/clock.ts';

export interface ClockUnderTest {
  readonly clock: Clock;
  /** Resolves when `ms` have passed on the clock: by waiting, or by moving a virtual one. */
  pass(ms: number): Promise<void>;
  /** Moves wall time forward by hand. */
  move(ms: number): void;
}

/** What every clock must do. The delays are small, because a real clock waits for them. */
export function clockSuite(name: string, create: () => ClockUnderTest): void {
  describe(name, () => {
    test('instants are whole milliseconds; monotonic time passes with wall time', async () => {
      const { clock, pass } = create();
      const [wall, monotonic] = [clock.now(), clock.monotonic()];
      expect(Number.isInteger(wall)).toBe(true);
      await pass(20);
      expect(clock.now() - wall).toBeGreaterThanOrEqual(19);
      expect(clock.monotonic() - monotonic).toBeGreaterThanOrEqual(19);
    });

    test('timers run once, in the order of their instants, not early', async () => {
      const { clock, pass } = create();
      const start = clock.monotonic();
      const ran: string[] = [];
      const early: string[] = [];
      const arm = (label: string, delayMs: number) =>
        clock.after(delayMs, () => {
          ran.push(label);
          if (clock.monotonic() - start < delayMs - 1) early.push(label);
        });
      arm('late', 60);
      arm('soon', 20);
      arm('now', 0);
      arm('past', -5);
      expect(ran).toEqual([]);
      await pass(150);
      expect(ran).toEqual(['now', 'past', 'soon', 'late']);
      expect(early).toEqual([]);
    });

    test('a cancelled timer never runs, and cancelling twice or late is harmless', async () => {
      const { clock, pass } = create();
      let runs = 0;
      const cancel = clock.after(10, () => runs++);
      cancel();
      cancel();
      const late = clock.after(10, () => runs++);
      await pass(60);
      late();
      expect(runs).toBe(1);
    });

    test('a delay beyond 2^31 ms does not run at once', async () => {
      const { clock, pass } = create();
      let runs = 0;
      const cancel = clock.after(2 ** 31 + 5, () => runs++);
      await pass(30);
      expect(runs).toBe(0);
      cancel();
    });

    test('sleep ends after its delay, or at once when aborted, before or meanwhile', async () => {
      const { clock, pass } = create();
      const start = clock.monotonic();
      let slept = -1;
      const whole = clock.sleep(30).then(() => (slept = clock.monotonic() - start));
      const abort = new AbortController();
      const meanwhile = clock.sleep(3_600_000, abort.signal);
      abort.abort();
      await meanwhile;
      await clock.sleep(3_600_000, abort.signal);
      await pass(60);
      await whole;
      expect(slept).toBeGreaterThanOrEqual(29);
    });

    test('moving wall time calls the listeners, and makes no timer fire earlier', async () => {
      const { clock, pass, move } = create();
      const [wall, unmoved] = [clock.now(), clock.unmoved()];
      let [calls, ran] = [0, false];
      const forget = clock.onMoved(() => calls++);
      const cancel = clock.after(60_000, () => (ran = true));
      move(3_600_000);
      expect(clock.now() - wall).toBeGreaterThanOrEqual(3_600_000);
      expect(clock.unmoved() - unmoved).toBeLessThan(3_600_000);
      forget();
      move(1);
      await pass(20);
      expect([calls, ran]).toEqual([1, false]);
      cancel();
    });
  });
}
