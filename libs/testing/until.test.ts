import { expect, test } from 'vitest';
import { pauseAfter, until } from './until.ts';

/** When a wait looks that takes so long, and how late it notices what it waits for. */
function looksOf(waitMs: number): { readonly count: number; readonly lateMs: number } {
  let [now, count] = [0, 1];
  for (; now < waitMs; count++) now += pauseAfter(now);
  return { count, lateMs: now - waitMs };
}

test.each([
  { waitMs: 200, looks: 9, lateMs: 25 },
  { waitMs: 1_000, looks: 40, lateMs: 50 },
  { waitMs: 10_000, looks: 85, lateMs: 500 },
  { waitMs: 60_000, looks: 185, lateMs: 500 },
])('a wait of $waitMs ms looks at most $looks times, and ends $lateMs ms late at most', ({ waitMs, looks, lateMs }) => {
  const seen = looksOf(waitMs);
  expect(seen.count).toBeLessThanOrEqual(looks);
  expect(seen.lateMs).toBeLessThanOrEqual(lateMs);
});

test('what is there at once is not waited for, and an error is a reason to look again', async () => {
  expect(await until(() => 'there', { what: 'it' })).toBe('there');
  let looks = 0;
  const second = () => {
    if (++looks < 2) throw new Error('not yet');
    return looks;
  };
  expect(await until(second, { what: 'the second look' })).toBe(2);
});

test('what never comes ends the wait with what was awaited and the last reason', async () => {
  const never = () => {
    throw new Error('it is away');
  };
  await expect(until(never, { what: 'it answers', withinMs: 30 })).rejects.toThrow(
    /^it answers: not within 30 ms.*it is away/s,
  );
});
