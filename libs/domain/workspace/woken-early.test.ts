import { describe, expect, test } from 'vitest';
import { HARMLESS_LEAD_MS, MAX_APART_MS } from './clock-skew.ts';
import { timersAfterEarly } from './woken-early.ts';

const AT = 1_000_000;
/** From a timer's firing to the job at its worker. */
const ON_THE_WAY_MS = 20;

/**
 * A job that waits for `AT` from `waitMs` before it, woken by a scheduler whose clock leads by `leadMs` and which fires
 * a timer of one instant once. How often it was woken, and when it went on, in milliseconds after `AT`.
 */
function wake(waitMs: number, leadMs: number): { readonly wakes: number; readonly lateMs: number } {
  const fired = new Set<number>();
  const set = new Set([AT]);
  let now = AT - waitMs;
  for (let wakes = 1; ; wakes++) {
    const next = Math.min(...[...set].filter((dueAt) => !fired.has(dueAt)));
    if (!Number.isFinite(next)) throw new Error(`woken ${wakes - 1} times, and by nothing more`);
    fired.add(next);
    now = Math.max(now, next - leadMs) + ON_THE_WAY_MS;
    if (now >= AT) return { wakes, lateMs: now - AT };
    for (const dueAt of timersAfterEarly(AT, now)) set.add(dueAt);
  }
}

describe('what a scheduler with a leading clock wakes early', () => {
  const waits = [30, 100, 1_000, 7_000, 25_000, 60_000, 300_000];
  const skews = [0, 10, 100, 450, 2_000, 4_999, 6_000, 12_000, 25_000, 45_000, MAX_APART_MS];
  // A scheduler does not notice that these are put right: it fires none again of what it fired too early.
  const leads = [...skews, 66_475, 83_889, 119_000, 150_000, HARMLESS_LEAD_MS];
  const cases = waits.flatMap((waitMs) => leads.map((leadMs) => ({ waitMs, leadMs })));

  test.each(cases)('goes on, after a few wakes: wait of $waitMs ms, lead of $leadMs ms', ({ waitMs, leadMs }) => {
    const { wakes, lateMs } = wake(waitMs, leadMs);
    expect({ wakes, isFew: wakes <= 16 }).toEqual({ wakes, isFew: true });
    expect({ lateMs, isNear: lateMs <= 2 * leadMs + 1_000 }).toEqual({ lateMs, isNear: true });
  });

  test('is late by an eighth of the lead at most where its wait was longer than the lead', () => {
    for (const leadMs of leads) {
      const { lateMs } = wake(leadMs + 1_000, leadMs);
      expect({ leadMs, lateMs, isNear: lateMs <= leadMs / 8 + 500 }).toEqual({ leadMs, lateMs, isNear: true });
    }
  });
});
