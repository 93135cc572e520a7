import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairPool, type FairPoolOptions } from './fair-pool.ts';
import { shareOf, type Permit } from './permit.ts';

const never = new AbortController().signal;
const isGranted = <K extends string>(permit: Permit<K>): permit is Extract<Permit<K>, { granted: true }> =>
  permit.granted;
const aTurn = () => new Promise<void>((resolve) => queueMicrotask(resolve));
const stillClock = { monotonic: () => 0 };
const poolOf = <K extends string>(options: Omit<FairPoolOptions<K>, 'clock'>) =>
  new FairPool<K>({ ...options, clock: stillClock });
const acquireAll = (pool: FairPool<'workspace'>, workspace: string) =>
  Array.from({ length: 100 }, () => pool.tryAcquire({ workspace })).filter(isGranted);

test('one holder gets its share, and each that comes after it leaves a permit for the next', () => {
  const pool = poolOf({ permits: 32, maxOf: { workspace: shareOf(32, 4) } });
  const counts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((workspace) => acquireAll(pool, workspace).length);
  expect(counts).toEqual([8, 8, 8, 4, 2, 1, 1, 0]);
});

test('a permit is released once, and a refusal names its reason', () => {
  const pool = poolOf({ permits: 4, maxOf: { workspace: 2, host: 1 } });
  const permit = pool.tryAcquire({ workspace: 'a', host: 'x' });
  expect([pool.tryAcquire({ workspace: 'a', host: 'x' }), permit.granted]).toEqual([
    { granted: false, by: 'host', retryAfterMs: 5_000 },
    true,
  ]);
  pool.tryAcquire({ workspace: 'a', host: 'y' });
  expect(pool.tryAcquire({ workspace: 'a', host: 'z' })).toMatchObject({ granted: false, by: 'workspace' });
  if (permit.granted) [1, 2].forEach(() => permit.release());
  expect([
    pool.tryAcquire({ workspace: 'a', host: 'x' }).granted,
    pool.tryAcquire({ workspace: 'a', host: 'z' }),
  ]).toEqual([true, { granted: false, by: 'workspace', retryAfterMs: 2_250 }]);
  expect([
    pool.tryAcquire({ workspace: 'b', host: 'z' }).granted,
    pool.tryAcquire({ workspace: 'c', host: 'w' }).granted,
    pool.tryAcquire({ workspace: 'd', host: 'v' }),
  ]).toEqual([true, true, { granted: false, by: 'all', retryAfterMs: 1_125 }]);
});

test('of those that wait the one that had least is next, and within a holder the first that came', async () => {
  const pool = poolOf({ permits: 2, maxOf: { workspace: 2 }, maxWaiting: 10 });
  const [first, second] = [pool.tryAcquire({ workspace: 'a' }), pool.tryAcquire({ workspace: 'b' })];
  const order: string[] = [];
  const enter = (workspace: string, name: string) =>
    pool.acquire({ workspace }, never).then((permit) => (order.push(name), permit));
  const [a1, a2, c1] = [enter('a', 'a1'), enter('a', 'a2'), enter('c', 'c1')];
  for (const permit of [first, second]) if (permit.granted) permit.release();
  for (const permit of await Promise.all([a1, c1])) if (permit.granted) permit.release();
  await a2;
  expect(order).toEqual(['c1', 'a1', 'a2']);
});

test('an aborted wait takes no permit, and no more wait than may', async () => {
  const pool = poolOf({ permits: 1, maxOf: { workspace: 1 }, maxWaiting: 1 });
  const permit = pool.tryAcquire({ workspace: 'a' });
  const ending = new AbortController();
  const waiting = pool.acquire({ workspace: 'b' }, ending.signal);
  expect(await pool.acquire({ workspace: 'c' }, never)).toMatchObject({ granted: false, by: 'all' });
  ending.abort();
  expect(await waiting).toMatchObject({ granted: false, by: 'all' });
  expect(await pool.acquire({ workspace: 'c' }, ending.signal)).toMatchObject({ granted: false, by: 'all' });
  if (permit.granted) permit.release();
  expect((await pool.acquire({ workspace: 'c' }, never)).granted).toBe(true);
});

interface Asked {
  readonly workspace: string;
  readonly host: string;
  readonly giving: AbortController;
  permit: Permit<'workspace' | 'host'> | null;
}

const LIMITS = { workspace: 2, host: 2 } as const;

/** What was asked of a pool, and what became of it. */
class Asks {
  readonly #pool: FairPool<'workspace' | 'host'>;
  readonly #all: Asked[] = [];

  constructor(pool: FairPool<'workspace' | 'host'>) {
    this.#pool = pool;
  }

  held(): Asked[] {
    return this.#all.filter(({ permit }) => permit?.granted === true);
  }

  waiting(): Asked[] {
    return this.#all.filter(({ permit }) => permit === null);
  }

  ask(workspace: string, host: string): void {
    const one: Asked = { workspace, host, giving: new AbortController(), permit: null };
    this.#all.push(one);
    void this.#pool.acquire({ workspace, host }, one.giving.signal).then((permit) => (one.permit = permit));
  }

  release(one: Asked): void {
    this.#all.splice(this.#all.indexOf(one), 1);
    if (one.permit?.granted === true) one.permit.release();
  }
}

interface Limits {
  readonly permits: number;
  readonly timesFree: number;
  readonly spare: number;
}
const LIMITS_OF_POOLS: fc.Arbitrary<Limits> = fc.record({
  permits: fc.integer({ min: 1, max: 6 }),
  timesFree: fc.constantFrom(1, 3),
  spare: fc.constantFrom(0, 0, 1, 2),
});

/** Why an ask that waits does so, by the rules in the words of the class; null: it should have its permit. */
function obstacleOf(asked: Asked, held: readonly Asked[], { permits, timesFree, spare }: Limits) {
  const free = permits - held.length;
  const has = (kind: 'workspace' | 'host') => held.filter((one) => one[kind] === asked[kind]).length;
  if (free === 0) return 'all';
  return (
    (['workspace', 'host'] as const).find(
      (kind) => has(kind) > 0 && has(kind) >= Math.min(LIMITS[kind], timesFree * (free - spare)),
    ) ?? null
  );
}

test('whatever comes, goes and gives up, no holder has more than its share, nothing waits without a reason, and no trace of it is left', async () => {
  const step = fc.record({
    workspace: fc.constantFrom('a', 'b', 'c'),
    host: fc.constantFrom('x', 'y'),
    act: fc.constantFrom('ask', 'ask', 'ask', 'release', 'give up'),
    which: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(
      LIMITS_OF_POOLS,
      fc.array(step, { minLength: 10, maxLength: 100, size: 'max' }),
      async (limit, steps) => {
        const pool = poolOf<'workspace' | 'host'>({ ...limit, maxOf: LIMITS });
        const asks = new Asks(pool);
        const isSound = async (): Promise<void> => {
          await aTurn();
          await aTurn();
          const most = (['workspace', 'host'] as const).flatMap((kind) =>
            [...Map.groupBy(asks.held(), (one) => one[kind])].map(([, of]) => of.length <= LIMITS[kind]),
          );
          expect(most.every(Boolean) && asks.held().length <= limit.permits).toBe(true);
          expect(pool.waiting).toBe(asks.waiting().length);
          expect(asks.waiting().filter((one) => obstacleOf(one, asks.held(), limit) === null)).toEqual([]);
        };
        for (const { workspace, host, act, which } of steps) {
          const [holding, asking] = [asks.held(), asks.waiting()];
          if (act === 'ask') asks.ask(workspace, host);
          else if (act === 'release' && holding.length > 0) asks.release(holding[which % holding.length]!);
          else if (act === 'give up' && asking.length > 0) asking[which % asking.length]!.giving.abort();
          await isSound();
        }
        for (let [one] = asks.held(); one !== undefined; [one] = asks.held()) {
          asks.release(one);
          await isSound();
        }
        expect([pool.waiting, pool.free, pool.holders]).toEqual([0, limit.permits, 0]);
      },
    ),
    { numRuns: 500 },
  );
});

test('turns go by weight: no tenant waits for more than its share of them', async () => {
  const tenants = fc.array(fc.constantFrom(1, 2, 4), { minLength: 2, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(tenants, fc.integer({ min: 1, max: 60 }), async (weights, turns) => {
      const budgetOf = (tenant: string) => ({ weight: weights[Number(tenant)]!, part: 1 });
      const pool = poolOf({ permits: 1, maxOf: { workspace: 1 }, budgetOf });
      const first = await pool.acquire({ workspace: '0' });
      const grants = weights.map(() => 0);
      let release = (): void => (first.granted ? first.release() : undefined);
      for (const [tenant] of weights.entries())
        for (let ask = 0; ask <= turns; ask++)
          void pool.acquire({ workspace: String(tenant) }).then((permit) => {
            grants[tenant]! += 1;
            if (permit.granted) release = permit.release;
          });
      const all = weights.reduce((sum, weight) => sum + weight, 0);
      for (let turn = 1; turn <= turns; turn++) {
        release();
        await aTurn();
        // The first permit of the first tenant, before others came, counts as one of its turns.
        for (const [tenant, weight] of weights.entries())
          expect(grants[tenant]! + 2).toBeGreaterThanOrEqual(Math.floor((turn * weight) / all));
      }
    }),
    { numRuns: 100 },
  );
});

test('a Plan may have a part of the permits and of the turns only', () => {
  const budgetOf = (id: string) => ({ weight: 1, part: id === 'free' ? 0.5 : 1 });
  const pool = poolOf({ permits: 32, maxOf: { workspace: 8 }, budgetOf });
  expect([acquireAll(pool, 'free').length, acquireAll(pool, 'agency').length]).toEqual([4, 8]);
});

test('a tenant takes half of the room to wait at most, and the next finds some', async () => {
  const pool = poolOf({ permits: 1, maxOf: { workspace: 1 }, maxWaiting: 8 });
  pool.tryAcquire({ workspace: 'a' });
  const ask = (workspace: string) => {
    for (let time = 0; time < 10; time++) void pool.acquire({ workspace });
  };
  ['b', 'c', 'd', 'e'].forEach(ask);
  expect(pool.top(9).map(({ id, waiting }) => `${id} ${waiting}`)).toEqual(['b 4', 'c 2', 'a 0', 'd 1', 'e 1']);
});

test('a refusal says when to try again, by how long permits are held', () => {
  let now = 0;
  const pool = new FairPool({ permits: 2, maxOf: { workspace: 2 }, clock: { monotonic: () => now } });
  for (let time = 0; time < 50; time++) {
    const permit = pool.tryAcquire({ workspace: 'a' });
    now += 20_000;
    if (permit.granted) permit.release();
  }
  pool.tryAcquire({ workspace: 'a' });
  pool.tryAcquire({ workspace: 'b' });
  const refused = pool.tryAcquire({ workspace: 'b' });
  expect(refused).toMatchObject({ granted: false, by: 'all' });
  // Two permits of 20 s each: one is free after ten.
  expect(Math.round((refused as { retryAfterMs: number }).retryAfterMs / 1_000)).toBe(10);
});

test('a step costs with 10,000 holders what it costs with 100', async () => {
  const costOf = async (tenants: number): Promise<number> => {
    const pool = poolOf<'workspace' | 'host'>({ permits: 64, maxOf: { workspace: 16, host: 4 } });
    const held: (() => void)[] = [];
    const ask = (index: number) =>
      // A quarter of all name one of a few hosts, which have their share.
      void pool
        .acquire({ workspace: `${index}`, host: index % 4 === 0 ? `${index % 16}` : `own ${index}` })
        .then((permit) => permit.granted && held.push(permit.release));
    for (let index = 0; index < tenants; index++) ask(index);
    await new Promise(setImmediate);
    const before = process.cpuUsage();
    for (let step = 0; step < 5_000; step++) {
      held.shift()!();
      ask(step % tenants);
      await aTurn();
    }
    return process.cpuUsage(before).user;
  };
  await costOf(100);
  const [few, many] = [await costOf(100), await costOf(10_000)];
  // A search through all holders takes some fifty times as long.
  expect(many / few).toBeLessThan(8);
});

/** A pool as the media role has it: one holder alone gets three quarters of the permits. */
const sharedBy = (permits: number) => poolOf({ permits, maxOf: { workspace: permits }, timesFree: 3 });

test('a spare permit is for who has none, and who is alone has all the others', () => {
  const pool = poolOf({ permits: 3, maxOf: { workspace: 3 }, timesFree: 3, spare: 1 });
  const asked = ['many', 'many', 'many', 'few', 'few'].map((workspace) => pool.tryAcquire({ workspace }).granted);
  expect(asked).toEqual([true, true, false, true, false]);
});

/** Work that goes on until the test ends it, in the order in which it began. */
class Pool {
  readonly permits: FairPool<'workspace'>;
  readonly entered: string[] = [];
  readonly #ends: (() => void)[] = [];

  constructor(permits: number) {
    this.permits = sharedBy(permits);
  }

  ask(key: string, times = 1, signal?: AbortSignal): readonly Promise<void>[] {
    return Array.from({ length: times }, () =>
      this.permits.run(
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
    expect(pool.permits.held('workspace', 'a')).toBe(12);
  });

  test.each([1, 2, 3])('of %i there are, one holder alone gets all but where a newcomer could be let in', (all) => {
    const pool = new Pool(all);
    pool.ask('a', 10);
    expect(pool.permits.held('workspace', 'a')).toBe(Math.min(all, 3));
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
    expect([pool.permits.held('workspace', 'a'), pool.permits.held('workspace', 'b')]).toEqual([0, 0]);
    await expect(pool.ask('b', 1, giving.signal)[0]).rejects.toThrow('not wanted');
  });

  test('work that fails releases its permit', async () => {
    const pool = sharedBy(1);
    await expect(pool.run({ workspace: 'a' }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await pool.run({ workspace: 'a' }, async () => 'yes')).toBe('yes');
  });
});

test('a steady stream of newcomers does not starve a holder that waits', async () => {
  const pool = new Pool(1);
  pool.ask('waits', 3);
  for (let newcomer = 0; newcomer < 8; newcomer++) {
    pool.ask(`newcomer ${newcomer}`);
    await new Promise(setImmediate);
    await pool.end();
  }
  expect(pool.entered.flatMap((name, turn) => (name === 'waits' ? [turn] : []))).toEqual([0, 3, 7]);
});

describe('tenants of one account', () => {
  /** Names like `eve 7` are tenants of the account `eve`; the others are alone. */
  const accountOf = (tenant: string) => (tenant.includes(' ') ? { account: tenant.split(' ')[0]! } : {});
  const budgetOf = (tenant: string) => ({ weight: 1, part: 1, ...accountOf(tenant) });
  const twenty = Array.from({ length: 20 }, (_, index) => `eve ${index}`);

  test('have together what one tenant may have beside the others, and a newcomer finds a permit', () => {
    const pool = poolOf({ permits: 32, maxOf: { workspace: 8 }, budgetOf });
    const counts = twenty.map((workspace) => acquireAll(pool, workspace).length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(16);
    expect(pool.tryAcquire({ workspace: 'eve 19' })).toMatchObject({ granted: false, by: 'account' });
    expect(acquireAll(pool, 'ada').length).toBe(8);
  });

  test('have one turn of all, and within it each has its own', async () => {
    const pool = poolOf({ permits: 1, maxOf: { workspace: 1 }, budgetOf });
    const order: string[] = [];
    let release = (): void => {};
    const ask = (workspace: string) =>
      void pool.acquire({ workspace }).then((permit) => {
        order.push(workspace);
        if (permit.granted) release = permit.release;
      });
    for (let time = 0; time < 3; time++) for (const workspace of ['eve 0', 'eve 1', 'eve 2', 'eve 3']) ask(workspace);
    for (let time = 0; time < 4; time++) for (const workspace of ['ada', 'grace']) ask(workspace);
    for (let turn = 0; turn < 12; turn++) {
      await aTurn();
      release();
    }
    const turnsOf = (name: string) => order.filter((workspace) => workspace.startsWith(name)).length;
    expect([turnsOf('eve'), turnsOf('ada'), turnsOf('grace')]).toEqual([4, 4, 4]);
    expect(order.filter((workspace) => workspace.startsWith('eve'))).toEqual(['eve 0', 'eve 1', 'eve 2', 'eve 3']);
  });

  test('that wait, however many, leave permits to a newcomer, also when theirs are released', async () => {
    const pool = poolOf({ permits: 16, maxOf: { workspace: 16 }, timesFree: 3, budgetOf });
    const releases: (() => void)[] = [];
    for (const workspace of twenty)
      for (let time = 0; time < 10; time++)
        void pool.acquire({ workspace }).then((permit) => permit.granted && releases.push(permit.release));
    for (let step = 0; step < 30; step++) {
      await aTurn();
      expect([pool.free, releases.length]).toEqual([4, 12]);
      const newcomer = pool.tryAcquire({ workspace: `ada-${step}` });
      if (isGranted(newcomer)) newcomer.release();
      expect(newcomer.granted).toBe(true);
      releases.shift()!();
    }
  });

  test('have half of the room to wait at most', () => {
    const pool = poolOf({ permits: 1, maxOf: { workspace: 1 }, maxWaiting: 100, budgetOf });
    pool.tryAcquire({ workspace: 'grace' });
    for (const workspace of twenty) for (let time = 0; time < 10; time++) void pool.acquire({ workspace });
    expect(pool.waiting).toBe(50);
    expect([pool.hasRoom({ workspace: 'eve new' }), pool.hasRoom({ workspace: 'ada' })]).toEqual([false, true]);
  });

  test('are known to be of one account also where that was learnt while they waited', async () => {
    let isKnown = false;
    const pool = poolOf({
      ...{ permits: 2, maxOf: { workspace: 2 } },
      budgetOf: (tenant) => (isKnown ? budgetOf(tenant) : { weight: 1, part: 1 }),
    });
    const releases: (() => void)[] = [];
    const order: string[] = [];
    const ask = (workspace: string) =>
      void pool.acquire({ workspace }).then((permit) => {
        order.push(workspace);
        if (permit.granted) releases.push(permit.release);
      });
    for (let time = 0; time < 20; time++) for (const workspace of ['eve 0', 'eve 1', 'eve 2', 'eve 3']) ask(workspace);
    isKnown = true;
    const step = async () => {
      releases.shift()!();
      await aTurn();
    };
    await aTurn();
    // Each of the four is moved with its next turn.
    for (let turn = 0; turn < 6; turn++) await step();
    for (let time = 0; time < 10; time++) ask('ada');
    order.length = 0;
    for (let turn = 0; turn < 20; turn++) await step();
    expect(order.filter((workspace) => workspace === 'ada').length).toBe(10);
    for (; releases.length > 0; await aTurn()) releases.shift()!();
    expect([pool.waiting, pool.free, pool.holders]).toEqual([0, 2, 0]);
  });

  test('are listed by top with their account', () => {
    const pool = poolOf({ permits: 4, maxOf: { workspace: 2 }, budgetOf });
    for (const workspace of ['eve 0', 'ada']) pool.tryAcquire({ workspace });
    expect(pool.top(2).map(({ id, account }) => [id, account])).toEqual([
      ['eve 0', 'eve'],
      ['ada', null],
    ]);
  });
});

test('whosever tenants are, and whenever that changes, nothing waits without a reason, and no trace of it is left', async () => {
  const step = fc.record({
    workspace: fc.constantFrom('a', 'b', 'c', 'd'),
    host: fc.constantFrom('x', 'y'),
    act: fc.constantFrom('ask', 'ask', 'ask', 'release', 'give up', 'change'),
    which: fc.nat(20),
  });
  await fc.assert(
    fc.asyncProperty(
      LIMITS_OF_POOLS,
      fc.array(step, { minLength: 10, maxLength: 100, size: 'max' }),
      async (limit, steps) => {
        const owners: Record<string, string | undefined> = { a: 'one', b: 'one' };
        const budgetOf = (id: string) => ({
          weight: 1,
          part: 1,
          ...(owners[id] !== undefined && { account: owners[id] }),
        });
        const pool = poolOf<'workspace' | 'host'>({ ...limit, maxOf: LIMITS, budgetOf });
        const asks = new Asks(pool);
        let hasChanged = false;
        const isSound = async (): Promise<void> => {
          for (let turn = 0; turn < 3; turn++) await aTurn();
          expect(pool.waiting).toBe(asks.waiting().length);
          // Which account a tenant is of is known for certain only as long as it never changed.
          const free = limit.permits - asks.held().length;
          const unexplained = asks.waiting().filter((one) => {
            if (obstacleOf(one, asks.held(), limit) !== null) return false;
            const owner = owners[one.workspace];
            if (hasChanged || owner === undefined) return !hasChanged;
            const held = asks.held().filter(({ workspace }) => owners[workspace] === owner).length;
            return held === 0 || held < limit.timesFree * (free - limit.spare);
          });
          expect(unexplained).toEqual([]);
        };
        for (const { workspace, host, act, which } of steps) {
          const [holding, asking] = [asks.held(), asks.waiting()];
          if (act === 'ask') asks.ask(workspace, host);
          else if (act === 'release' && holding.length > 0) asks.release(holding[which % holding.length]!);
          else if (act === 'give up' && asking.length > 0) asking[which % asking.length]!.giving.abort();
          else if (act === 'change' && which > 15) {
            owners[workspace] = [undefined, 'one', 'two'][which % 3];
            hasChanged = true;
          }
          await isSound();
        }
        for (let [one] = asks.held(); one !== undefined; [one] = asks.held()) {
          asks.release(one);
          await isSound();
        }
        expect(asks.waiting()).toEqual([]);
        expect([pool.waiting, pool.free, pool.holders]).toEqual([0, limit.permits, 0]);
      },
    ),
    { numRuns: 500 },
  );
});
