import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import type { NetworkBudget } from '#networks/contract/adapter.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { Throttle } from './throttle.ts';

const MINUTE = 60_000;
const ANSWERED = { status: 200, detail: 'so it says' };
const BROKEN = { status: 500, detail: 'so it says' };

const useOf = (accountId: string, variantId: string, workspaceId = 'w') => ({ accountId, variantId, workspaceId });

function throttled(budget: Partial<NetworkBudget>) {
  const clock = createMemoryClock();
  const ids = createSeededIds(1);
  const store = createMemoryTableStore({ clock, tables: new MemoryTables() });
  /** The throttle of another process. */
  const reporter = createMemoryReporter();
  const another = () =>
    new Throttle({
      ...{ clock, ids, store, reporter, network: 'x' as const },
      budget: { account: [], app: [], atOnce: 1, ...budget },
      // Names like `eve 7` are Workspaces of the account `eve`.
      accountOf: (workspaceId) => workspaceId.split(' ')[0]!,
    });
  const throttle = another();
  let variants = 0;
  /** When each of `asked`, Variants of accounts, returns; 0: it is let through. */
  const returns = async (asked: readonly string[]): Promise<readonly number[]> => {
    const found: number[] = [];
    for (const accountId of asked) {
      const obstacle = throttle.obstacle(accountId) ?? (await throttle.take(useOf(accountId, `v${++variants}`)));
      found.push(obstacle === null ? 0 : clock.now() + obstacle.forMs);
      await clock.advance(1);
    }
    return found;
  };
  return { clock, reporter, throttle, another, returns };
}

const rising = (times: readonly number[]): readonly number[] => times.toSorted((a, b) => a - b);
const times = (count: number, accountId = 'a'): readonly string[] => Array.from({ length: count }, () => accountId);

test.each([
  ['of the account', { account: [{ uses: 1, windowMs: 10 * MINUTE }] }],
  ['of the installation', { app: [{ uses: 1, windowMs: 10 * MINUTE }] }],
])('attempts that wait for an allowance %s return in the order in which they asked', async (_, budget) => {
  const { returns, clock } = throttled(budget);
  const from = clock.now();
  const [first, ...later] = await returns(times(100));
  expect([first, new Set(later).size, later]).toEqual([0, 99, rising(later)]);
  expect([Math.min(...later) >= from + 10 * MINUTE, Math.max(...later) < from + 13 * MINUTE]).toEqual([true, true]);
});

test('attempts of one account that a Network asked to wait return in order, those of many accounts apart', async () => {
  const { returns, throttle } = throttled({});
  throttle.recordResult('a', { ...ANSWERED, pause: { scope: 'app', forMs: MINUTE } }, null);
  const ofOne = await returns(times(20));
  expect(ofOne).toEqual(rising(ofOne));
  const ofMany = await returns(Array.from({ length: 20 }, (_, index) => `account ${index}`));
  expect(ofMany).not.toEqual(rising(ofMany));
});

test('a wait of another cause, or of another account, delays none', async () => {
  const { returns, throttle, clock } = throttled({ account: [{ uses: 1, windowMs: 24 * 60 * MINUTE }] });
  await returns(times(50));
  throttle.recordResult('a', { ...ANSWERED, pause: { scope: 'account', forMs: 5_000 } }, null);
  const [asked] = await returns(['a']);
  expect(asked! - clock.now()).toBeLessThan(6_100);
  expect(await returns(['b'])).toEqual([0]);
});

test('a Variant that comes anew, or returns, overtakes none of its account that waits for the allowance', async () => {
  const { clock, throttle } = throttled({ account: [{ uses: 2, windowMs: 10 * MINUTE }] });
  const ask = async (variantId: string): Promise<number> => (await throttle.take(useOf('a', variantId)))?.forMs ?? 0;
  expect([await ask('first'), await ask('second')]).toEqual([0, 0]);
  const third = await ask('third');
  const fourth = await ask('fourth');
  expect(fourth).toBeGreaterThan(third);
  // The window is over, and the third has not returned yet.
  await clock.advance(fourth);
  expect([(await ask('anew')) > 0, (await ask('fourth')) > 0, await ask('third')]).toEqual([true, true, 0]);
  expect((await throttle.take(useOf('a', 'anew')))?.detail).toMatch(/others of this account wait before it/);
  expect(await ask('fourth')).toBe(0);
  // None waits before it any more, but both uses are spent.
  expect(await ask('anew')).toBeGreaterThan(MINUTE);
});

test('a Variant that waits for an allowance and never returns delays the others by seconds', async () => {
  const { clock, throttle } = throttled({ account: [{ uses: 1, windowMs: 10 * MINUTE }] });
  const ask = async (variantId: string): Promise<number> => (await throttle.take(useOf('a', variantId)))?.forMs ?? 0;
  expect(await ask('first')).toBe(0);
  const cancelled = await ask('cancelled');
  let waits = await ask('next');
  let waited = 0;
  for (; waits > 0; waits = await ask('next')) {
    await clock.advance(waits);
    waited += waits;
  }
  expect(waited).toBeGreaterThan(cancelled);
  expect(waited).toBeLessThan(cancelled + 7_000);
});

test('Variants that can not wait for the allowance of their account use up none of the installation', async () => {
  const { throttle } = throttled({
    account: [{ uses: 1, windowMs: 10 * MINUTE }],
    app: [{ uses: 4, windowMs: 24 * 60 * MINUTE }],
  });
  const ask = async (accountId: string, variantId: string): Promise<number> =>
    (await throttle.take(useOf(accountId, variantId)))?.forMs ?? 0;
  expect(await ask('a', 'first')).toBe(0);
  for (let late = 0; late < 20; late++) {
    const variantId = `late ${late}`;
    expect(await ask('a', variantId)).toBeGreaterThan(9 * MINUTE);
    throttle.leave('a', variantId);
  }
  expect([await ask('b', 'its first'), await ask('c', 'its first')]).toEqual([0, 0]);
});

test('failures of one account hold back that account, those of two the Network', () => {
  const { throttle } = throttled({});
  for (let call = 0; call < 8; call++) throttle.recordResult('a', BROKEN, null);
  expect(throttle.obstacle('a')).toMatchObject({ why: 'circuit', detail: expect.stringContaining('this account') });
  expect([throttle.obstacle('b'), throttle.isCircuitOpen('b'), throttle.isOutOfOrder]).toEqual([null, false, false]);
  for (let call = 0; call < 4; call++) throttle.recordResult('b', BROKEN, null);
  expect(throttle.obstacle('c')).toMatchObject({ why: 'circuit', detail: expect.stringContaining('out of order') });
  expect(throttle.isOutOfOrder).toBe(true);
});

test('the account that failed last neither keeps a Network closed to the others nor probes for them', async () => {
  const { clock, throttle } = throttled({});
  for (let call = 0; call < 8; call++) throttle.recordResult(call % 2 === 0 ? 'a' : 'b', BROKEN, null);
  await clock.advance(5_000);
  // It comes first whenever the pause is over.
  expect(throttle.obstacle('b')).toBeNull();
  throttle.recordResult('b', BROKEN, null);
  expect(throttle.obstacle('b')?.why).toBe('circuit');
  expect([throttle.obstacle('c'), throttle.obstacle('d')?.why]).toEqual([null, 'circuit']);
  throttle.recordResult('c', ANSWERED, null);
  expect([throttle.obstacle('d'), throttle.isOutOfOrder]).toEqual([null, false]);
});

describe('of the allowance of the installation', () => {
  const DAY = 24 * 60 * MINUTE;
  const world = () => {
    const parts = throttled({ app: [{ uses: 100, windowMs: DAY }] });
    /** How many of `count` attempts of a Workspace are let through. */
    const attempts = async (workspaceId: string, count: number, throttle = parts.throttle): Promise<number> => {
      let made = 0;
      for (let index = 0; index < count; index++) {
        const use = useOf(`account ${index} of ${workspaceId}`, `variant ${index} of ${workspaceId}`, workspaceId);
        if ((await throttle.take(use)) === null) made += 1;
      }
      return made;
    };
    return { ...parts, attempts };
  };

  test('a Workspace gets half while another one asks, which gets the rest', async () => {
    const { attempts, another, throttle } = world();
    expect(await attempts('b', 1)).toBe(1);
    expect(await attempts('a', 100)).toBe(50);
    const refused = await throttle.take(useOf('its account', 'its Variant', 'a'));
    expect(refused).toMatchObject({ why: 'allowance', reason: 'rate_limited' });
    expect(refused!.detail).toMatch(/^x allows no more posts of this Workspace for now: it had half/);
    expect(refused!.forMs).toBeGreaterThanOrEqual(DAY);
    expect(await attempts('a', 10, another())).toBe(0);
    expect(await attempts('b', 40)).toBe(40);
  });

  test('a Workspace that asks for many at once has used none of what another one is left', async () => {
    const { throttle } = throttled({ app: [{ uses: 20, windowMs: 10 * MINUTE }] });
    await throttle.take(useOf('b', 'b0', 'bob'));
    const many = Array.from({ length: 50 }, (_, index) => throttle.take(useOf(`a${index}`, `a${index}`, 'eve')));
    expect((await Promise.all(many)).filter((obstacle) => obstacle === null)).toHaveLength(10);
    for (let index = 1; index < 10; index++)
      expect(await throttle.take(useOf('b', `b${index}`, 'bob')), `use ${index} of bob`).toBeNull();
  });

  test('many Workspaces of one account get half together while another one asks', async () => {
    const { attempts, reporter } = world();
    expect(await attempts('b', 1)).toBe(1);
    const made = [];
    for (let index = 0; index < 20; index++) made.push(await attempts(`eve ${index}`, 10));
    expect(made.reduce((sum, count) => sum + count)).toBe(50);
    expect(reporter.of('pool-saturated')[0]?.facts).toMatchObject({ pool: 'allowance-x', limit: 'account' });
    expect(await attempts('b', 40)).toBe(40);
  });

  test('a Workspace gets all while it is alone, and half of the next ones once another one asks', async () => {
    const { attempts, clock, reporter } = world();
    expect([await attempts('a', 110), await attempts('b', 1)]).toEqual([100, 0]);
    expect(reporter.of('pool-saturated')[0]?.facts).toMatchObject({ pool: 'allowance-x', limit: 'all' });
    await clock.advance(DAY + 5 * MINUTE);
    expect([await attempts('b', 1), await attempts('a', 100)]).toEqual([1, 50]);
  });
});

describe('of an allowance that renews itself within the hour', () => {
  test('a Workspace that goes on asking is never taken for one that asks no more', async () => {
    const { throttle, clock } = throttled({ app: [{ uses: 100, windowMs: 10 * MINUTE }] });
    const ask = async (workspaceId: string, variant: number) =>
      throttle.take(useOf(`account ${variant} of ${workspaceId}`, `variant ${variant} of ${workspaceId}`, workspaceId));
    const refused: number[] = [];
    const seconds = 1_900;
    for (let second = 0; second < seconds; second++) {
      if (second % 61 === 0 && (await ask('b', second)) !== null) refused.push(second);
      for (let index = 0; index < 5; index++) await ask('a', second * 5 + index);
      await clock.advance(1_000);
    }
    expect(refused).toEqual([]);
  });
});

describe('once a clock that led was put back', () => {
  const DAY = 24 * 60 * MINUTE;
  const LOST = { status: 503, detail: 'out of order' };

  test('a pause lasts no longer than the Network asked for', async () => {
    const { clock, throttle } = throttled({});
    clock.moveWall(DAY);
    throttle.recordResult('a', { ...ANSWERED, pause: { scope: 'account', forMs: MINUTE } }, null);
    clock.moveWall(-DAY);
    expect(throttle.pausedMs('a')).toBe(MINUTE);
    await clock.advance(MINUTE);
    expect(throttle.obstacle('a')).toBeNull();
  });

  test('nor does the circuit breaker stay open', async () => {
    const { clock, throttle } = throttled({});
    clock.moveWall(DAY);
    for (let failures = 0; failures < 8; failures++) throttle.recordResult('a', LOST, null);
    clock.moveWall(-DAY);
    expect(throttle.obstacle('a')?.why).toBe('circuit');
    await clock.advance(10_000);
    expect(throttle.obstacle('a')).toBeNull();
  });

  test('nor does anybody wait behind who returns only by that clock', async () => {
    const { clock, throttle } = throttled({ account: [{ uses: 1, windowMs: 10 * MINUTE }] });
    const ask = async (variantId: string): Promise<number> => (await throttle.take(useOf('a', variantId)))?.forMs ?? 0;
    clock.moveWall(DAY);
    expect([await ask('first'), (await ask('second')) > 0]).toEqual([0, true]);
    clock.moveWall(-DAY);
    let waited = 0;
    for (let waits = await ask('third'); waits > 0; waits = await ask('third')) {
      await clock.advance(waits);
      waited += waits;
    }
    expect(waited).toBeLessThan(25 * MINUTE);
  });

  test('one that an operator moves ahead ends waits', async () => {
    const { clock, throttle } = throttled({});
    throttle.recordResult('a', { ...ANSWERED, pause: { scope: 'account', forMs: MINUTE } }, null);
    clock.moveWall(MINUTE);
    expect(throttle.pausedMs('a')).toBe(0);
  });
});

test('a Network at which nobody tries any more is not called out of order for good', async () => {
  const { returns, throttle, clock } = throttled({});
  const fail = (call: number): void => throttle.recordResult(call % 2 === 0 ? 'a' : 'b', BROKEN, null);
  for (let call = 0; call < 8; call++) fail(call);
  // As long as attempts wait and return, one probes each minute.
  for (let minute = 0; minute < 30; minute++) {
    expect(throttle.isOutOfOrder, `minute ${minute}`).toBe(true);
    await clock.advance(MINUTE);
    await returns([minute % 2 === 0 ? 'a' : 'b']);
    fail(minute);
  }
  await clock.advance(7 * MINUTE);
  expect([throttle.isOutOfOrder, throttle.isCircuitOpen('a')]).toEqual([false, true]);
  // The next attempt is the one probe, and tells.
  expect(await returns(times(2))).toEqual([0, expect.any(Number)]);
  expect(throttle.isOutOfOrder).toBe(true);
  throttle.recordResult('a', ANSWERED, null);
  expect([throttle.isOutOfOrder, throttle.isCircuitOpen('a')]).toEqual([false, false]);
});
