import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { Pools } from '#concurrency/pools.ts';
import { done, type UseCaseResult } from './outcome.ts';
import { RequestTurns } from './request-turns.ts';

/** Requests whose work ends when the test ends it. */
function open() {
  const clock = createMemoryClock();
  const pools = new Pools({ clock });
  const turns = new RequestTurns({ pools, clock });
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const ask = (workspaceId: string, signal = new AbortController().signal): Promise<UseCaseResult<string>> =>
    turns.run('lists', { workspaceId, signal }, () => {
      begun.push(workspaceId);
      return new Promise((resolve) => ends.push(() => resolve(done('a page'))));
    });
  const loads = () => pools.load().find(({ pool }) => pool === 'lists')!;
  return { clock, ask, ends, begun, loads };
}

test('one Workspace that reads all it can leaves permits for another', async () => {
  const { ask, begun } = open();
  for (let list = 0; list < 200; list++) void ask('attacker');
  void ask('victim');
  expect([begun.filter((one) => one === 'attacker').length, begun.at(-1)]).toEqual([4, 'victim']);
});

test('what waits for too long is refused with whose share is used up and when to come again', async () => {
  const { clock, ask, begun } = open();
  for (let list = 0; list < 4; list++) void ask('one');
  const refused = ask('one');
  await clock.advance(4_000);
  expect(await refused).toMatchObject({
    ok: false,
    problem: {
      code: 'unavailable',
      message:
        'Of your Workspace too many lists are being read at once, and nothing was done. Please try again in 3 s.',
      retryAfterSeconds: 3,
    },
  });
  expect(begun.length).toBe(4);
});

test('the work of a client that no longer waits is not begun, and holds no room', async () => {
  const { ask, ends, begun, loads } = open();
  for (let list = 0; list < 4; list++) void ask('one');
  const client = new AbortController();
  const given = ask('one', client.signal);
  client.abort();
  expect((await given).ok).toBe(false);
  ends.forEach((end) => end());
  await new Promise(setImmediate);
  expect([begun.length, loads()]).toEqual([4, { pool: 'lists', permits: 16, held: 0, waiting: 0 }]);
});

test('work that fails, or is refused, leaves no permit held', async () => {
  const clock = createMemoryClock();
  const pools = new Pools({ clock });
  const turns = new RequestTurns({ pools, clock });
  const call = { workspaceId: 'one', signal: new AbortController().signal };
  await expect(turns.run('bulks', call, () => Promise.reject(new Error('a defect')))).rejects.toThrow('a defect');
  expect(pools.load().every(({ held }) => held === 0)).toBe(true);
});
