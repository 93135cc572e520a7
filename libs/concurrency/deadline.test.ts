import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { settledWithin, withDeadline } from './deadline.ts';

const never = new Promise<never>(() => {});

test('work that settles in time gives its own answer or failure, and no timer is left', async () => {
  const clock = createMemoryClock();
  const options = { clock, deadlineMs: 100, onLate: () => 'late' };
  expect(await withDeadline(Promise.resolve('done'), options)).toBe('done');
  await expect(withDeadline(Promise.reject(new Error('broken')), options)).rejects.toThrow('broken');
  expect(clock.armed()).toBe(0);
});

test('at the deadline the answer is what onLate returns', async () => {
  const clock = createMemoryClock();
  const answer = withDeadline(never, { clock, deadlineMs: 100, onLate: () => 'late' });
  await clock.advance(100);
  expect([await answer, clock.armed()]).toEqual(['late', 0]);
});

test('at the deadline the failure is what onLate throws', async () => {
  const clock = createMemoryClock();
  const answer = withDeadline(never, {
    clock,
    deadlineMs: 100,
    onLate: () => {
      throw new Error('not in time');
    },
  });
  const refused = expect(answer).rejects.toThrow('not in time');
  await clock.advance(100);
  await refused;
});

test('a failure after the deadline is dropped, and is no unhandled rejection', async () => {
  const clock = createMemoryClock();
  const work = Promise.withResolvers<string>();
  const answer = withDeadline(work.promise, { clock, deadlineMs: 100, onLate: () => 'late' });
  await clock.advance(100);
  work.reject(new Error('too late'));
  expect(await answer).toBe('late');
});

test.each([
  ['succeeds', async () => {}],
  ['fails', () => Promise.reject(new Error('broken'))],
])('settledWithin resolves as soon as the work %s, and leaves no timer', async (_, work) => {
  const clock = createMemoryClock();
  await settledWithin(clock, 100, work());
  expect(clock.armed()).toBe(0);
});

test('settledWithin resolves at the deadline', async () => {
  const clock = createMemoryClock();
  const waited = settledWithin(clock, 100, never);
  await clock.advance(100);
  await waited;
});
