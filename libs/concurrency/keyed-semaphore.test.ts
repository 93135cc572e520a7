import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyedSemaphore, shareOf, type Permit } from './keyed-semaphore.ts';

const never = new AbortController().signal;
const isGranted = <K extends string>(permit: Permit<K>): permit is Extract<Permit<K>, { granted: true }> =>
  permit.granted;
const acquireAll = (semaphore: KeyedSemaphore<'workspace'>, workspace: string) =>
  Array.from({ length: 100 }, () => semaphore.tryAcquire({ workspace })).filter(isGranted);

test('one holder gets its share, and each that comes after it leaves a permit for the next', () => {
  const semaphore = new KeyedSemaphore({ permits: 32, maxOf: { workspace: shareOf(32, 4) } });
  const counts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((workspace) => acquireAll(semaphore, workspace).length);
  expect(counts).toEqual([8, 8, 8, 4, 2, 1, 1, 0]);
});

test('a permit is released once, and a refusal names its reason', () => {
  const semaphore = new KeyedSemaphore({ permits: 4, maxOf: { workspace: 2, host: 1 } });
  const permit = semaphore.tryAcquire({ workspace: 'a', host: 'x' });
  expect([semaphore.tryAcquire({ workspace: 'a', host: 'x' }), permit.granted]).toEqual([
    { granted: false, by: 'host' },
    true,
  ]);
  semaphore.tryAcquire({ workspace: 'a', host: 'y' });
  expect(semaphore.tryAcquire({ workspace: 'a', host: 'z' })).toEqual({ granted: false, by: 'workspace' });
  if (permit.granted) [1, 2].forEach(() => permit.release());
  expect([
    semaphore.tryAcquire({ workspace: 'a', host: 'x' }).granted,
    semaphore.tryAcquire({ workspace: 'a', host: 'z' }),
  ]).toEqual([true, { granted: false, by: 'workspace' }]);
  expect([
    semaphore.tryAcquire({ workspace: 'b', host: 'z' }).granted,
    semaphore.tryAcquire({ workspace: 'c', host: 'w' }).granted,
    semaphore.tryAcquire({ workspace: 'd', host: 'v' }),
  ]).toEqual([true, true, { granted: false, by: 'all' }]);
});

test('of those that wait the holder with the fewest permits is next, and within a holder the first that came', async () => {
  const semaphore = new KeyedSemaphore({ permits: 2, maxOf: { workspace: 2 }, maxWaiting: 10 });
  const [first, second] = [semaphore.tryAcquire({ workspace: 'a' }), semaphore.tryAcquire({ workspace: 'b' })];
  const order: string[] = [];
  const enter = (workspace: string, name: string) =>
    semaphore.acquire({ workspace }, never).then((permit) => (order.push(name), permit));
  const waiting = [enter('a', 'a1'), enter('a', 'a2'), enter('c', 'c1')];
  if (first.granted) first.release();
  await waiting[0];
  if (second.granted) second.release();
  await waiting[2];
  expect(order).toEqual(['a1', 'c1']);
  const permit = await waiting[0]!;
  if (permit.granted) permit.release();
  await waiting[1];
  expect(order).toEqual(['a1', 'c1', 'a2']);
});

test('an aborted wait takes no permit, and no more wait than may', async () => {
  const semaphore = new KeyedSemaphore({ permits: 1, maxOf: { workspace: 1 }, maxWaiting: 1 });
  const permit = semaphore.tryAcquire({ workspace: 'a' });
  const ending = new AbortController();
  const waiting = semaphore.acquire({ workspace: 'b' }, ending.signal);
  expect(await semaphore.acquire({ workspace: 'c' }, never)).toEqual({ granted: false, by: 'all' });
  ending.abort();
  expect(await waiting).toEqual({ granted: false, by: 'all' });
  expect(await semaphore.acquire({ workspace: 'c' }, ending.signal)).toEqual({ granted: false, by: 'all' });
  if (permit.granted) permit.release();
  expect((await semaphore.acquire({ workspace: 'c' }, never)).granted).toBe(true);
});

test('whatever comes and goes, no holder has more than its share and nothing waits while a permit is free for it', async () => {
  const step = fc.record({
    workspace: fc.constantFrom('a', 'b', 'c'),
    host: fc.constantFrom('x', 'y', 'z'),
    leaves: fc.nat(9),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const semaphore = new KeyedSemaphore({ permits: 6, maxOf: { workspace: 3, host: 2 }, maxWaiting: 100 });
      const held: { readonly workspace: string; readonly host: string; readonly release: () => void }[] = [];
      const most = { workspace: 0, host: 0, all: 0 };
      const count = (): void => {
        for (const kind of ['workspace', 'host'] as const)
          most[kind] = Math.max(
            most[kind],
            ...[...Map.groupBy(held, (one) => one[kind]).values()].map((of) => of.length),
          );
        most.all = Math.max(most.all, held.length);
      };
      let entered = 0;
      for (const { workspace, host, leaves } of steps) {
        void semaphore.acquire({ workspace, host }, never).then((permit) => {
          entered += 1;
          if (permit.granted) held.push({ workspace, host, release: permit.release });
        });
        await Promise.resolve();
        count();
        if (leaves < held.length) held.splice(leaves, 1)[0]!.release();
        await Promise.resolve();
        count();
      }
      for (let one = held.pop(); one !== undefined; one = held.pop()) {
        one.release();
        await Promise.resolve();
        await Promise.resolve();
      }
      expect([most.workspace <= 3, most.host <= 2, most.all <= 6, entered]).toEqual([true, true, true, steps.length]);
    }),
    { numRuns: 300 },
  );
});

/** A pool as the media role has it: one holder alone gets three quarters of the permits. */
const sharedBy = (permits: number) => new KeyedSemaphore({ permits, maxOf: { workspace: permits }, timesFree: 3 });

/** Work that goes on until the test ends it, in the order in which it began. */
class Pool {
  readonly semaphore: KeyedSemaphore<'workspace'>;
  readonly entered: string[] = [];
  readonly #ends: (() => void)[] = [];

  constructor(permits: number) {
    this.semaphore = sharedBy(permits);
  }

  ask(key: string, times = 1, signal?: AbortSignal): readonly Promise<void>[] {
    return Array.from({ length: times }, () =>
      this.semaphore.run(
        { workspace: key },
        () => {
          this.entered.push(key);
          return new Promise<void>((end) => this.#ends.push(end));
        },
        signal,
      ),
    );
  }

  /** Ends the work that began first. */
  async end(times = 1): Promise<void> {
    for (let time = 0; time < times; time++) {
      this.#ends.shift()!();
      await new Promise(setImmediate);
    }
  }

  count(key: string): number {
    return this.entered.filter((each) => each === key).length;
  }
}

describe('permits that holders may have up to three times of what is free', () => {
  test('one holder alone gets three quarters of them', () => {
    const pool = new Pool(16);
    pool.ask('a', 100);
    expect(pool.semaphore.held('workspace', 'a')).toBe(12);
  });

  test.each([1, 2, 3])('of %i there are, one holder alone gets all but where a newcomer could be let in', (all) => {
    const pool = new Pool(all);
    pool.ask('a', 10);
    expect(pool.semaphore.held('workspace', 'a')).toBe(Math.min(all, 3));
  });

  test('a newcomer is let in at once, however many wait and however long others stay', async () => {
    const pool = new Pool(16);
    pool.ask('a', 10_000);
    await new Promise(setImmediate);
    pool.ask('b');
    await new Promise(setImmediate);
    expect(pool.count('b')).toBe(1);
  });

  test('a single permit goes from holder to holder in turn, however many wait for each', async () => {
    const pool = new Pool(1);
    pool.ask('a', 5);
    pool.ask('b', 2);
    pool.ask('c', 1);
    await new Promise(setImmediate);
    await pool.end(7);
    expect(pool.entered.join('')).toBe('abcabaaa');
  });

  test('an aborted wait ends no other wait and leaves no permit held', async () => {
    const pool = new Pool(1);
    const giving = new AbortController();
    pool.ask('a');
    const given = pool.ask('b', 1, giving.signal);
    pool.ask('b');
    giving.abort(new Error('not wanted'));
    await expect(given[0]).rejects.toThrow('not wanted');
    await pool.end(2);
    expect(pool.entered).toEqual(['a', 'b']);
    expect([pool.semaphore.held('workspace', 'a'), pool.semaphore.held('workspace', 'b')]).toEqual([0, 0]);
    await expect(pool.ask('b', 1, giving.signal)[0]).rejects.toThrow('not wanted');
  });

  test('work that fails releases its permit', async () => {
    const semaphore = sharedBy(1);
    await expect(semaphore.run({ workspace: 'a' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await semaphore.run({ workspace: 'a' }, async () => 'yes')).toBe('yes');
  });
});

test('a steady stream of newcomers does not starve a holder that waits', async () => {
  const pool = new Pool(1);
  pool.ask('waits', 2);
  for (let newcomer = 0; newcomer < 5; newcomer++) {
    pool.ask(`newcomer ${newcomer}`);
    await new Promise(setImmediate);
    await pool.end();
  }
  expect(pool.entered.slice(0, 3)).toEqual(['waits', 'newcomer 0', 'waits']);
});
