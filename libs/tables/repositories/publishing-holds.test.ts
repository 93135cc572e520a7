import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import type { HoldScope } from '#domain/publishing-holds.ts';
import { PortError } from '#ports/errors.ts';
import { PublishingBrake } from './publishing-brake.ts';
import { holdScope, readHolds, releaseScope } from './publishing-holds.ts';

const ALL: HoldScope = { network: null, workspaceId: null };
const ON_X: HoldScope = { network: 'x', workspaceId: null };
const MINUTE = 60_000;

function open(hooks: Partial<TableHooks> = {}) {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock, hooks: { before: async () => {}, after: async () => {}, ...hooks } });
  const writer = { store, ids: createSeededIds(3) };
  const hold = (scope: HoldScope, reason = 'why', by = 'operator') =>
    holdScope(writer, { ...scope, holder: 'operator', reason, since: clock.now(), by });
  return {
    clock,
    store,
    hold,
    release: (scope: HoldScope) => releaseScope(writer, { ...scope, holder: 'operator' }, clock.now()),
  };
}

describe('holds', () => {
  test('a second hold of a scope changes only its reason', async () => {
    const { clock, store, hold } = open();
    const since = clock.now();
    expect((await hold(ALL, 'one', 'Ada')).isNew).toBe(true);
    clock.moveWall(MINUTE);
    expect(await hold(ALL, 'two', 'Bob')).toEqual({
      isNew: false,
      hold: { ...ALL, holder: 'operator', reason: 'two', since, by: 'Ada' },
    });
    expect((await readHolds(store)).holds).toHaveLength(1);
  });

  test('a release ends exactly the hold of its scope, once, and its time is remembered', async () => {
    const { clock, store, hold, release } = open();
    const since = clock.now();
    await hold(ALL);
    await hold(ON_X);
    clock.moveWall(MINUTE);
    expect(await release({ network: 'threads', workspaceId: null })).toBeNull();
    expect(await release(ALL)).toMatchObject({ ...ALL, since });
    expect(await release(ALL)).toBeNull();
    const { holds, periods } = await readHolds(store);
    expect(holds).toEqual([expect.objectContaining(ON_X)]);
    expect(periods).toEqual([
      { ...ALL, from: since, until: since + MINUTE },
      { ...ON_X, from: since, until: null },
    ]);
  });

  test('of a scope that is held again and again a bounded number of times is kept, with no time left out', async () => {
    const { clock, store, hold, release } = open();
    const began = clock.now();
    for (let time = 0; time < 50; time++) {
      await hold(ALL);
      clock.moveWall(MINUTE);
      await release(ALL);
      clock.moveWall(MINUTE);
    }
    const { periods } = await readHolds(store);
    expect(periods.length).toBeLessThanOrEqual(20);
    expect(periods[0]!.from).toBe(began);
    expect(periods.at(-1)!.until).toBe(clock.now() - MINUTE);
  });

  test('of two who hold at once both are told the same hold', async () => {
    const { store, hold } = open();
    const [one, other] = await Promise.all([hold(ALL, 'one'), hold(ALL, 'two')]);
    expect([one.isNew, other.isNew].toSorted()).toEqual([false, true]);
    expect((await readHolds(store)).holds).toHaveLength(1);
  });
});

describe('the brake of a process', () => {
  test('reads nothing until it is asked, then at most once for all who ask within the age', async () => {
    let reads = 0;
    const { clock, store, hold } = open({ before: async ({ name }) => void (name === 'slice' && reads++) });
    const brake = new PublishingBrake({ store, clock });
    expect(reads).toBe(0);
    await Promise.all([brake.known(500), brake.known(500), brake.known(1_000)]);
    await clock.advance(400);
    await brake.known(500);
    expect(reads).toBe(1);
    await hold(ALL);
    await clock.advance(200);
    expect((await brake.known(500)).holds).toHaveLength(1);
    expect(reads).toBe(2);
  });

  test('that was told to forget, or has just begun, knows the hold at once', async () => {
    const { clock, store, hold } = open();
    const brake = new PublishingBrake({ store, clock });
    await brake.known(500);
    await hold(ON_X);
    expect((await brake.known(500)).holds).toHaveLength(0);
    expect((await new PublishingBrake({ store, clock }).known(500)).holds).toHaveLength(1);
    brake.forget();
    expect((await brake.known(500)).holds).toHaveLength(1);
  });

  test('that can not read what is held says so, and does not go by what it knew', async () => {
    let away = false;
    const { clock, store } = open({
      before: async () => {
        if (away) throw new PortError('unavailable', 'away');
      },
    });
    const brake = new PublishingBrake({ store, clock });
    await brake.known(500);
    away = true;
    await brake.known(500);
    await clock.advance(501);
    await expect(brake.known(500)).rejects.toMatchObject({ kind: 'unavailable' });
    away = false;
    expect((await brake.known(500)).holds).toEqual([]);
  });

  test('whose reads take longer than the age never says that nothing is held', async () => {
    const { clock, store } = open({
      before: ({ name }) => (name === 'slice' ? clock.advance(600) : Promise.resolve()),
    });
    const brake = new PublishingBrake({ store, clock });
    await expect(brake.known(500)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(brake.known(700)).resolves.toMatchObject({ holds: [] });
  });
});
