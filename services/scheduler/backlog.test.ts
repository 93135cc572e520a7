import { describe, expect, test } from 'vitest';
import type { TableHooks, TableOperation } from '#adapters/memory/table-store.ts';
import { DUE } from '#tables/declarations/tables.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import type { SchedulerService } from './service.ts';
import { openSchedulerHarness, SOURCE, type SchedulerHarness } from './scheduler-harness.fixture.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const LIMITS = { page: 10, perShard: 20, perProcess: 30 };
/** A reading that began while there was room may bring a page more. */
const MOST_HELD = LIMITS.perProcess + LIMITS.page;

const names = async (harness: SchedulerHarness): Promise<readonly string[]> =>
  (await harness.fired()).map(({ name }) => name);

/** Sets `count` rows by `dueAt`; resolves with their names in the order of their instants. */
async function setMany(
  harness: SchedulerHarness,
  count: number,
  dueAt: (index: number) => number,
): Promise<readonly string[]> {
  for (let index = 0; index < count; index++) await harness.setRow(`t${String(index).padStart(4, '0')}`, dueAt(index));
  return Array.from({ length: count }, (_, index) => `t${String(index).padStart(4, '0')}`);
}

/** The most timers in memory at any read of rows; none is read before there is a scheduler to ask. */
class MemoryWatch {
  most = 0;
  readonly #scheduler = Promise.withResolvers<SchedulerService>();
  readonly hooks: TableHooks = { before: (operation) => this.#look(operation), after: () => Promise.resolve() };

  begin(scheduler: SchedulerService): void {
    this.#scheduler.resolve(scheduler);
  }

  async #look({ table }: TableOperation): Promise<void> {
    if (table.name === DUE.name) this.most = Math.max(this.most, (await this.#scheduler.promise).held());
  }
}

describe('a backlog is read as it fires, and is never in memory whole', () => {
  test.each([
    ['spread over an hour', (index: number) => index * 18 * SECOND, 2 * HOUR],
    ['of one minute', () => 5 * MINUTE, 2 * HOUR],
    ['of the first minute of an hour, behind hours without any', () => 2 * HOUR, 5 * HOUR],
    ['of a minute amid an hour, behind hours without any', () => 2 * HOUR + 5 * MINUTE, 5 * HOUR],
  ])('%s: each of its timers fires once, in order', async (_where, offset, downFor) => {
    const harness = await openSchedulerHarness();
    const set = await setMany(harness, 200, (index) => harness.start + offset(index));
    await harness.pass(downFor);
    const watch = new MemoryWatch();
    const scheduler = await harness.scheduler('one', watch.hooks, LIMITS);
    watch.begin(scheduler);
    await harness.pass(2 * MINUTE);
    expect(await names(harness)).toEqual(set);
    expect(watch.most).toBeGreaterThan(0);
    expect(watch.most).toBeLessThanOrEqual(MOST_HELD);
    expect(scheduler.held()).toBe(0);
  });

  test('also while the log does not take what is due, and all of it fires once the log is back', async () => {
    const harness = await openSchedulerHarness();
    const set = await setMany(harness, 150, (index) => harness.start + index * SECOND);
    await harness.pass(HOUR);
    for (let count = 0; count < 6; count++) harness.log.control.failNextAppend('lost', WORKSPACE_COMMANDS.name);
    const scheduler = await harness.scheduler('one', undefined, LIMITS);
    for (let step = 0; (await names(harness)).length === 0 && step < 200; step++) {
      await harness.pass(100);
      expect(scheduler.held()).toBeLessThanOrEqual(MOST_HELD);
    }
    await harness.pass(2 * MINUTE);
    expect(await names(harness)).toEqual(set);
  });
});

test('what was read of a shard leaves memory with it, though the log takes nothing and it comes back again', async () => {
  const harness = await openSchedulerHarness();
  const set = await setMany(harness, 150, (index) => harness.start + index * SECOND);
  await harness.pass(HOUR);
  for (let count = 0; count < 100; count++) harness.log.control.failNextAppend('lost', WORKSPACE_COMMANDS.name);
  const scheduler = await harness.scheduler('one', undefined, LIMITS);
  const other = { group: 'scheduler', topics: [SOURCE.topic], onRecords: () => {} };
  await harness.log.client('two').subscribe(other);
  for (let times = 0; times < 5; times++) {
    for (const owner of ['two', 'one']) {
      harness.log.control.overlap('scheduler', SOURCE, owner);
      harness.log.control.rebalance('scheduler');
      await harness.pass(6 * SECOND);
    }
    expect(scheduler.held()).toBeLessThanOrEqual(MOST_HELD);
  }
  for (let step = 0; step < 100 && new Set(await names(harness)).size < set.length; step++) await harness.pass(MINUTE);
  expect([...new Set(await names(harness))]).toEqual(set);
  expect(scheduler.held()).toBe(0);
});

test('a minute with more timers than may be in memory fires each at its instant', async () => {
  const harness = await openSchedulerHarness();
  const set = await setMany(harness, 200, (index) => harness.start + 10 * MINUTE + index * 200);
  const scheduler = await harness.scheduler('one', undefined, LIMITS);
  await harness.pass(10 * MINUTE);
  expect(scheduler.held()).toBeLessThanOrEqual(MOST_HELD);
  for (let step = 0; step < 200; step++) await harness.pass(200);
  const fired = await harness.fired();
  expect(fired.map(({ name }) => name)).toEqual(set);
  for (const [index, { at }] of fired.entries()) expect(at - harness.start - 10 * MINUTE).toBe(index * 200);
});

test('a timer set behind what was read of a minute, by a clock that led then, fires all the same', async () => {
  const harness = await openSchedulerHarness();
  await setMany(harness, 100, (index) => harness.start + 2 * HOUR + 30 * SECOND + index);
  await harness.scheduler('one', undefined, LIMITS);
  await harness.pass(MINUTE);
  // So far ahead that the first rows of the minute are read, and none of them is due.
  harness.clock.moveWall(2 * HOUR - MINUTE - 15 * SECOND);
  await harness.pass(10 * SECOND);
  harness.clock.moveWall(-2 * HOUR + MINUTE + 15 * SECOND);
  await harness.setRow('late', harness.start + 2 * HOUR);
  await harness.pass(2 * HOUR + 10 * MINUTE);
  const fired = await names(harness);
  expect(fired).toContain('late');
  expect(new Set(fired).size).toBe(101);
});
