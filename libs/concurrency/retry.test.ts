import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { PortError } from '#ports/errors.ts';
import { retryWhileUnavailable, type RetryOptions } from './retry.ts';

/** Fails with each of `failures` in turn, then succeeds. */
function failing(failures: readonly Error[], options: Partial<RetryOptions> = {}) {
  const clock = createMemoryClock();
  const reported: (readonly [message: string, failures: number])[] = [];
  const left = [...failures];
  const triedAt: number[] = [];
  const result = retryWhileUnavailable(
    async () => {
      triedAt.push(clock.monotonic());
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return 'done';
    },
    {
      clock,
      report: (error, count) => reported.push([(error as Error).message, count]),
      ...options,
    },
  );
  return { clock, reported, triedAt, result };
}

const away = new PortError('unavailable', 'away');
const unknown = new PortError('unknown', 'unknown');
const refused = new PortError('refused', 'refused');

test('what is unavailable or of unknown end is tried again, later each time, until it works', async () => {
  const { clock, reported, triedAt, result } = failing([away, unknown, away]);
  await clock.advance(1_000);
  expect(await result).toBe('done');
  expect(triedAt).toEqual([0, 50, 150, 350]);
  expect(reported).toEqual([
    ['away', 0],
    ['unknown', 1],
    ['away', 2],
  ]);
  expect(clock.armed()).toBe(0);
});

test.each([
  ['a refusal', refused],
  ['a defect', new Error('defect')],
])('%s is thrown at once and not reported', async (_, failure) => {
  const { reported, triedAt, result } = failing([failure]);
  await expect(result).rejects.toBe(failure);
  expect([triedAt, reported]).toEqual([[0], []]);
});

test('once no further try may be made, the failure is thrown', async () => {
  let owned = true;
  const { clock, triedAt, result } = failing([away, away, away], { mayRetry: () => owned });
  const ended = expect(result).rejects.toBe(away);
  await clock.advance(60);
  owned = false;
  await clock.advance(1_000);
  await ended;
  expect(triedAt).toEqual([0, 50]);
});

test('an aborted signal ends the wait and the tries', async () => {
  const ending = new AbortController();
  const { clock, triedAt, result } = failing([away, away, away], { signal: ending.signal });
  const ended = expect(result).rejects.toBe(away);
  await clock.advance(60);
  ending.abort();
  await ended;
  expect([triedAt, clock.armed()]).toEqual([[0, 50], 0]);
});

test('the caller may name the failures that pass, and the waits between tries', async () => {
  const { clock, triedAt, result } = failing([refused, refused], {
    passes: () => true,
    backoff: { firstMs: 7, maxMs: 10 },
  });
  await clock.advance(100);
  expect([await result, triedAt]).toEqual(['done', [0, 7, 17]]);
});
