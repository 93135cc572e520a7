import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '#ports/clock.ts';
import { FIRST, numbered, record, SECOND } from '#port-suites/log-harness.ts';
import { eventually, Reader } from '#port-suites/log-reader.ts';
import { logSuite } from '#port-suites/log.ts';
import { takenBackSuite } from '#port-suites/log-appended.ts';
import type { GroupMember } from '../in-process/group-member.ts';
import { createSystemClock } from '../system/clock.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { fullAfterRead } from './full-after-read.fixture.ts';
import { GroupCommit } from './group-commit.ts';
import { createSharedSqliteLog, createSqliteLog, openSqliteLog, type SqliteLog } from './log.ts';

const TOPICS = [FIRST, SECOND];
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SOURCE = { topic: FIRST.name, partition: 0 };

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'crier-log-'));
  return { path: join(path, 'log.db'), remove: () => rmSync(path, { recursive: true, force: true }) };
}

logSuite('sqlite', async () => {
  const { path, remove } = folder();
  const open = () => createSqliteLog({ path, topics: TOPICS, clock: createSystemClock() });
  let log = open();
  return {
    log,
    restart: async () => {
      await log.close();
      log = open();
      return log;
    },
    crash: async (subscription) => (subscription as GroupMember).crash(),
    neighbour: async () => log,
    dispose: async () => {
      await log.close();
      remove();
    },
  };
});

takenBackSuite('sqlite', async () => {
  const { path, remove } = folder();
  const database = openDatabase(path);
  const commits = new GroupCommit(database);
  const log = createSharedSqliteLog({ database, commits }, { topics: TOPICS, clock: createSystemClock() });
  return {
    log,
    refuse: await fullAfterRead({ database, commits }, log, FIRST.name),
    dispose: async () => {
      await log.close();
      await commits.close();
      closeDatabase(database);
      remove();
    },
  };
});

describe('the embedded log', () => {
  let place: ReturnType<typeof folder>;
  let log: SqliteLog;
  const clock = createSystemClock();
  const reopen = async (options: Partial<Parameters<typeof createSqliteLog>[0]> = {}) => {
    await log?.close();
    log = createSqliteLog({ path: place.path, topics: TOPICS, clock, ...options });
    return log;
  };
  beforeEach(async () => {
    place = folder();
    log = createSqliteLog({ path: place.path, topics: TOPICS, clock });
  });
  afterEach(async () => {
    await log.close();
    place.remove();
  });

  test('every append acknowledged before a kill -9 is there afterwards, in order', async () => {
    await log.close();
    const fixture = fileURLToPath(new URL('log-crash.fixture.ts', import.meta.url));
    const child = spawn(process.execPath, [fixture, place.path], { stdio: ['ignore', 'pipe', 'inherit'] });
    const acknowledged: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => acknowledged.push(line));
    await eventually(() => expect(acknowledged.length).toBeGreaterThan(500));
    const exited = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await exited;
    const reader = await Reader.open(await reopen(), { group: 'g', topics: [FIRST.name] });
    await reader.until(() =>
      expect(acknowledged.filter((key) => !reader.records.some((each) => each.key === key))).toEqual([]),
    );
    expect(new Set(reader.keys()).size).toBe(reader.records.length);
  });

  test('a crash before the sync takes back what was read, and the record that gets its offset is read', async () => {
    const crashed = folder();
    const reader = await Reader.open(log, {
      group: 'g',
      topics: [FIRST.name],
      reads: 'appended',
      // The files as a crash leaves them that comes right then.
      onRecords: () => {
        for (const end of ['', '-wal']) copyFileSync(`${place.path}${end}`, `${crashed.path}${end}`);
      },
    });
    await reader.untilOwns(4);
    const [lost] = await log.append(FIRST.name, [record('lost', 0)]);
    expect(reader.keys()).toEqual(['lost']);
    const next = createSqliteLog({ path: crashed.path, topics: TOPICS, clock });
    const again = await Reader.open(next, { group: 'g', topics: [FIRST.name], reads: 'appended' });
    const [position] = await next.append(FIRST.name, [record('next', 0)]);
    expect(position).toEqual(lost);
    await again.until(() => expect(again.keys()).toEqual(['next']));
    await next.close();
    crashed.remove();
  });

  test('a second process finds the log locked', async () => {
    await log.append(FIRST.name, [record('k')]);
    expect(() => createSqliteLog({ path: place.path, topics: TOPICS, clock })).toThrow(
      expect.objectContaining({ name: 'PortError', kind: 'unavailable' }),
    );
  });

  test('a topic whose number of partitions changed is refused at the start', async () => {
    await log.close();
    const fewer = { ...FIRST, partitions: 2 };
    expect(() => createSqliteLog({ path: place.path, topics: [fewer], clock })).toThrow(
      expect.objectContaining({ kind: 'refused' }),
    );
  });

  test('a full disk is reported, no acknowledged append is lost, and appends continue when there is room', async () => {
    await log.close();
    const database = openDatabase(place.path);
    log = openSqliteLog(database, { topics: TOPICS, clock });
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await log.append(FIRST.name, [record('before', 0)]);
    database.exec(`PRAGMA max_page_count = ${Number(database.prepare('PRAGMA page_count').get()?.['page_count'])}`);
    const large = { key: 'large', value: new Uint8Array(100_000), partition: 0 };
    await expect(log.append(FIRST.name, [large])).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    database.exec('PRAGMA max_page_count = 1000000');
    await log.append(FIRST.name, [record('after', 0)]);
    await reader.until(() => expect(reader.keys()).toEqual(['before', 'after']));
    await log.check();
  });

  test('a subscriber behind the tail kept in memory reads from the disk and catches up with it', async () => {
    await reopen({ tailBytes: 10_000 });
    await log.append(FIRST.name, numbered('old', 2_000, 0));
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true });
    await log.append(FIRST.name, numbered('new', 2_000, 0));
    await reader.until(() => expect(reader.records).toHaveLength(4_000));
    await log.append(FIRST.name, [record('last', 0)]);
    await reader.until(() => expect(reader.records).toHaveLength(4_001));
    const expected = [...numbered('old', 2_000), ...numbered('new', 2_000), record('last')].map(({ key }) => key);
    expect(reader.keys()).toEqual(expected);
  });

  test('acknowledgements are durable soon, also without a close', async () => {
    await log.close();
    const database = openDatabase(place.path);
    log = openSqliteLog(database, { topics: TOPICS, clock });
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true });
    await log.append(FIRST.name, numbered('k', 10, 0));
    await reader.until(() => expect(reader.records).toHaveLength(10));
    const durable = database.prepare("SELECT max(next) AS next FROM group_offsets WHERE name = 'g'");
    await eventually(() => expect(durable.get()?.['next']).toBe(10), 30_000);
  });

  test('records that every group acknowledged are deleted except a tail, others stay', async () => {
    await reopen({ retention: { keepRecords: 5 } });
    const fast = await Reader.open(log, { group: 'fast', topics: [FIRST.name], acknowledge: true });
    const slow = await Reader.open(log, { group: 'slow', topics: [FIRST.name] });
    await log.append(FIRST.name, numbered('k', 2_000, 0));
    await eventually(() => expect([fast.records.length, slow.records.length]).toEqual([2_000, 2_000]));
    expect(await log.retain()).toBe(0);
    slow.subscription.ack(SOURCE, 1_499);
    await eventually(() => expect(log.retain()).resolves.toBe(1_500));
    slow.subscription.ack(SOURCE, 1_999);
    await eventually(() => expect(log.retain()).resolves.toBe(495));
    await reopen();
    const late = await Reader.open(log, { group: 'late', topics: [FIRST.name] });
    await late.until(() =>
      expect(late.keys()).toEqual(
        numbered('k', 2_000)
          .slice(-5)
          .map(({ key }) => key),
      ),
    );
  });

  test('offsets continue after everything except the tail was deleted and the log was opened again', async () => {
    await reopen({ retention: { keepRecords: 1, unreadRecords: 1 } });
    await log.append(FIRST.name, numbered('k', 10, 0));
    expect(await log.retain()).toBe(9);
    await reopen();
    expect(await log.append(FIRST.name, [record('next', 0)])).toEqual([{ partition: 0, offset: 10 }]);
  });

  test.each([
    ['more of them than the limit', { unreadRecords: 3 }, 0, 7],
    ['older than the retention', { unreadAgeMs: 60_000 }, 61_000, 9],
    ['neither many nor old', { unreadAgeMs: 60_000 }, 0, 0],
  ])('records of a topic without groups: %s', async (_, retention, laterMs, deleted) => {
    const moved = createSystemClock();
    await reopen({ clock: moved, retention: { keepRecords: 1, ...retention } });
    await log.append(FIRST.name, numbered('k', 10, 0));
    moved.advance(laterMs);
    expect(await log.retain()).toBe(deleted);
  });

  test.each([
    ['fourteen', FIRST.name, 14],
    ['two, as it says', SECOND.name, 2],
  ])('records without groups are kept for the days of their topic: %s', async (_, topic, days) => {
    const moved = createSystemClock();
    const topics = [FIRST, { ...SECOND, retentionDays: 2 }];
    await reopen({ clock: moved, topics, retention: { keepRecords: 1 } });
    await log.append(topic, numbered('k', 10, 0));
    moved.advance(days * DAY_MS - HOUR_MS);
    expect(await log.retain()).toBe(0);
    moved.advance(2 * HOUR_MS);
    expect(await log.retain()).toBe(9);
  });

  test('an append whose deadline passes rejects as unknown', async () => {
    // The clock passes a deadline of 1 ms before the commit can begin.
    const after: Clock['after'] = (delayMs, run) => {
      if (delayMs !== 1) return clock.after(delayMs, run);
      queueMicrotask(run);
      return () => {};
    };
    const hasty: Clock = {
      after,
      now: () => 0,
      unmoved: () => 0,
      monotonic: () => 0,
      sleep: (delayMs) => clock.sleep(delayMs),
      onMoved: () => () => {},
    };
    await reopen({ clock: hasty });
    const appended = log.append(FIRST.name, [record('k')], { deadlineMs: 1 });
    await expect(appended).rejects.toMatchObject({ name: 'PortError', kind: 'unknown' });
  });
});
