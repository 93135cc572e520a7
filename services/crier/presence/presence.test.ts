import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { WrittenFormat, type Release } from '#tables/release.ts';
import { listProcesses, RENEW_MS, UNSEEN_MS } from '#tables/repositories/processes.ts';
import { checkFormat, readStoredFormat, writeStoredFormat } from '#tables/repositories/written-formats.ts';
import { Presence, STEADY_MS } from './presence.ts';

const OLD: Release = { format: 1, writesFrom: 1 };
/** Adds to what the old one writes. */
const NEW: Release = { format: 2, writesFrom: 1 };
/** Writes what the old one can not read. */
const NEXT_GENERATION: Release = { format: 100, writesFrom: 1 };

/** One installation, in whose processes releases may differ. */
function openInstallation() {
  const clock = createMemoryClock();
  const tables = new MemoryTables();
  let away = false;
  let count = 0;
  const reporter = createMemoryReporter();
  const hooks = {
    before: async () => {
      if (away) throw new PortError('unavailable', 'the store is away');
    },
    after: async () => {},
  };
  const store = createMemoryTableStore({ clock, tables, hooks });
  const process = (release: Release, hasSoleProcess = false) => {
    const instance = `p${++count}`;
    const writtenFormat = new WrittenFormat(release);
    const unreadable: string[] = [];
    const presence = new Presence({
      ...{ store, clock, ids: createSeededIds(count), reporter, writtenFormat, hasSoleProcess, release },
      process: { instance, roles: ['all'], version: `0.${release.format}.0` },
      onUnreadable: ({ message }) => void unreadable.push(message),
    });
    return { instance, presence, written: () => writtenFormat.now(), unreadable };
  };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 1_000) {
      await clock.advance(Math.min(left, 1_000));
      for (let turn = 0; turn < 10; turn++) await setImmediate();
    }
  };
  return {
    ...{ clock, store, reporter, process, pass },
    format: async () => (await readStoredFormat(store)).format,
    setAway: (is: boolean) => void (away = is),
  };
}

describe('a format that only adds', () => {
  test('is not written while a process lives that knows no newer one, and is once all know it for long enough', async () => {
    const installation = openInstallation();
    const [former, one, other] = [OLD, NEW, NEW].map((release) => installation.process(release));
    for (const { presence } of [former!, one!, other!]) await presence.start();
    await installation.pass(10 * 60_000);
    expect([one!.written(), other!.written(), await installation.format()]).toEqual([1, 1, 1]);
    const { step } = await one!.presence.view();
    expect(step).toEqual({ kind: 'stay', why: `${former!.instance} (release 0.1.0) knows no newer format than 1` });

    await former!.presence.drain();
    await installation.pass(STEADY_MS - RENEW_MS);
    expect([one!.written(), other!.written()]).toEqual([1, 1]);
    await installation.pass(3 * RENEW_MS);
    expect([one!.written(), other!.written(), await installation.format()]).toEqual([2, 2, 2]);
    expect(installation.reporter.of('format-changed')).toMatchObject([{ facts: { from: 1, to: 2 } }]);
    expect(installation.reporter.failures()).toEqual([]);
  });

  test('waits for a process that was killed until nobody can take it for paused', async () => {
    const installation = openInstallation();
    const [former, one] = [installation.process(OLD), installation.process(NEW)];
    await former.presence.start();
    await one.presence.start();
    await former.presence.stop();
    await installation.pass(UNSEEN_MS - 2_000);
    expect((await listProcesses(installation.store)).map(({ instance }) => instance)).toContain(former.instance);
    await installation.pass(STEADY_MS);
    expect(one.written()).toBe(1);
    await installation.pass(3 * RENEW_MS);
    expect(one.written()).toBe(2);
  });

  test('is lowered by the release before it as soon as that is started again, and raised when it has left', async () => {
    const installation = openInstallation();
    const one = installation.process(NEW);
    await one.presence.start();
    await installation.pass(STEADY_MS + 2 * RENEW_MS);
    expect(one.written()).toBe(2);

    const back = installation.process(OLD);
    await back.presence.start();
    expect([back.written(), await installation.format()]).toEqual([1, 1]);
    await installation.pass(2 * RENEW_MS);
    expect([one.written(), back.unreadable]).toEqual([1, []]);

    await back.presence.drain();
    await installation.pass(STEADY_MS + 2 * RENEW_MS);
    expect(one.written()).toBe(2);
  });

  test('is written at once where a lock proves that there is no other process', async () => {
    const installation = openInstallation();
    const one = installation.process(NEW, true);
    await one.presence.start();
    expect(one.written()).toBe(2);
    await one.presence.drain();
    const back = installation.process(OLD, true);
    await back.presence.start();
    expect([back.written(), await installation.format()]).toEqual([1, 1]);
    // Killed: its row is still there.
    await back.presence.stop();
    const again = installation.process(NEW, true);
    await again.presence.start();
    expect(again.written()).toBe(2);
  });

  test('while the store is away the format stays, and the row comes back with the store', async () => {
    const installation = openInstallation();
    const one = installation.process(NEW);
    await one.presence.start();
    installation.setAway(true);
    await installation.pass(3 * UNSEEN_MS);
    expect(one.written()).toBe(1);
    expect(installation.reporter.failures().map(({ event }) => event)).toContain('presence-failed');
    installation.setAway(false);
    await installation.pass(2 * RENEW_MS);
    expect((await listProcesses(installation.store)).map(({ instance }) => instance)).toEqual([one.instance]);
    await installation.pass(STEADY_MS + RENEW_MS);
    expect(one.written()).toBe(2);
  });
});

describe('a format that the release before can not read', () => {
  test('is written by order of an operator only, and not before all processes have been seen for long enough', async () => {
    const installation = openInstallation();
    const former = installation.process(OLD);
    const [one, other] = [installation.process(NEXT_GENERATION), installation.process(NEXT_GENERATION)];
    for (const { presence } of [former, one, other]) await presence.start();
    await expect(one.presence.raise()).rejects.toThrow(
      'format 1 stays: p1 (release 0.1.0) knows no newer format than 1',
    );
    await former.presence.drain();
    await installation.pass(10_000);
    await expect(one.presence.raise()).rejects.toThrow('s more: call it again');
    await installation.pass(STEADY_MS + 10 * RENEW_MS);
    expect([one.written(), await installation.format()]).toEqual([1, 1]);
    expect((await one.presence.view()).step).toMatchObject({ kind: 'raise', to: 100, needsOperator: true });

    expect(await one.presence.raise()).toBe(100);
    await installation.pass(2 * RENEW_MS);
    expect([one.written(), other.written()]).toEqual([100, 100]);
    await expect(one.presence.raise()).rejects.toThrow('format 100 stays: every process writes its newest');
  });

  test('ends the release before with one sentence: at its start, and when it was paused meanwhile', async () => {
    const installation = openInstallation();
    const [paused, one] = [installation.process(OLD), installation.process(NEXT_GENERATION)];
    await paused.presence.start();
    await one.presence.start();
    // Its process stands still: its row expires.
    await paused.presence.stop();
    await installation.pass(UNSEEN_MS + STEADY_MS + 2 * RENEW_MS);
    await one.presence.raise();

    const sentence =
      'the data is written in format 100 by release 0.100.0, and this release reads up to 99: start a release that reads it, or restore a backup of before it was raised';
    const stored = await readStoredFormat(installation.store);
    expect(() => checkFormat(stored, OLD)).toThrow(sentence);
    const back = installation.process(OLD);
    await expect(back.presence.start()).rejects.toMatchObject({ kind: 'refused', message: sentence });
    expect(await installation.format()).toBe(100);
  });

  test('and one that runs is reported once, when it looks', async () => {
    const installation = openInstallation();
    const running = installation.process(OLD);
    await running.presence.start();
    const row = await readStoredFormat(installation.store);
    await writeStoredFormat(installation.store, row, { format: 100, release: '9', token: 'of another' });
    await installation.pass(5 * RENEW_MS);
    expect(running.unreadable).toEqual([expect.stringContaining('written in format 100 by release 9')]);
    expect(running.presence.trouble()).toContain('format 100');
  });
});

test('a release that is two steps ahead says which one to start first', () => {
  expect(() => checkFormat({ format: 1, release: null, version: null }, { format: 7, writesFrom: 5 })).toThrow(
    'the data is written in format 1, and this release writes from 5 on: start the release between them first',
  );
});
