import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseSync } from 'node:sqlite';
import { PortError } from '#ports/errors.ts';
import { closeDatabase, openDatabase } from './database.ts';
import { GroupCommit } from './group-commit.ts';

let folder: string;
let database: DatabaseSync;
let commits: GroupCommit;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
  database = openDatabase(join(folder, 'test.sqlite'));
  database.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY)');
  commits = new GroupCommit(database);
});

afterEach(() => {
  closeDatabase(database);
  rmSync(folder, { recursive: true });
});

const add = (n: number) => () => database.prepare('INSERT INTO numbers VALUES (?)').run(n).changes;
const stored = () =>
  database
    .prepare('SELECT n FROM numbers ORDER BY n')
    .all()
    .map((row) => row['n']);

test('works of one turn are answered only after their common commit', async () => {
  const first = commits.enqueue(() => add(1)());
  const second = commits.enqueue(() => database.isTransaction);
  expect(stored()).toEqual([]);
  expect(await Promise.all([first, second])).toEqual([1, true]);
  expect(database.isTransaction).toBe(false);
  expect(stored()).toEqual([1]);
});

test('a work that throws is undone alone, and its neighbours are kept', async () => {
  const outcomes = await Promise.allSettled([
    commits.enqueue(add(1)),
    commits.enqueue(() => {
      add(2)();
      throw new Error('no');
    }),
    commits.enqueue(add(1)),
    commits.enqueue(add(3)),
  ]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(stored()).toEqual([1, 3]);
});

test('a full database refuses the whole commit as unavailable and takes writes again when there is room', async () => {
  database.exec('CREATE TABLE blobs (body BLOB)');
  const fill = (bytes: number) => () => database.prepare('INSERT INTO blobs VALUES (zeroblob(?))').run(bytes).changes;
  const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
  database.exec(`PRAGMA max_page_count = ${pages + 2}`);
  const outcomes = await Promise.allSettled([commits.enqueue(add(1)), commits.enqueue(fill(100_000))]);
  for (const outcome of outcomes) {
    expect(outcome.status === 'rejected' && outcome.reason).toMatchObject({ name: 'PortError', kind: 'unavailable' });
  }
  expect(stored()).toEqual([]);
  database.exec('PRAGMA max_page_count = 100000');
  await commits.enqueue(fill(100_000));
  await commits.enqueue(add(1));
  expect(stored()).toEqual([1]);
});

test('more works than one commit takes are all answered, in order', async () => {
  const order: number[] = [];
  const works = Array.from({ length: 2000 }, (_, n) => commits.enqueue(add(n)).then(() => order.push(n)));
  await Promise.all(works);
  expect(order).toEqual(Array.from({ length: 2000 }, (_, n) => n));
  expect(stored()).toHaveLength(2000);
});

test('works that follow from works of a commit are in it, also behind promises', async () => {
  const order: string[] = [];
  commits.listen({
    afterWorks: () => {
      if (order.includes('heard')) return;
      order.push('heard');
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => commits.enqueue(() => order.push(`second, with ${stored().length} before it`)))
        .then(() => order.push('second done'));
    },
    afterFailure: () => order.push('failed'),
  });
  await commits.enqueue(() => (add(1)(), order.push('first')));
  await commits.enqueue(() => undefined);
  expect(order).toEqual(['first', 'heard', 'second, with 1 before it', 'second done']);
});

test('who reads the database for others waits until what may be taken back is durable or gone', async () => {
  const seen: string[] = [];
  const look = async (): Promise<void> => {
    seen.push(`open ${commits.isOpen}, ${stored().length} rows`);
    await commits.whenClosed();
    seen.push(`open ${commits.isOpen}, ${stored().length} rows`);
  };
  let looked = Promise.resolve();
  commits.listen({ afterWorks: () => void (looked = look()), afterFailure: () => {} });
  expect(commits.whenClosed()).toBeNull();
  await commits.enqueue(add(1));
  await looked;
  const failing = commits.enqueue(
    () => {
      throw new Error('no');
    },
    { carries: true },
  );
  await expect(failing).rejects.toThrow('no');
  expect(seen).toEqual(['open true, 1 rows', 'open false, 1 rows']);
  expect(commits.isOpen).toBe(false);
});

test('a work that follows and throws an error of its own is undone alone, the works before it are kept', async () => {
  let second: Promise<unknown> = Promise.resolve();
  let heard = 0;
  commits.listen({
    afterWorks: () => {
      if (heard++ === 0) second = commits.enqueue(add(1)).catch((error: unknown) => error);
    },
    afterFailure: () => {},
  });
  expect(await commits.enqueue(add(1))).toBe(1);
  expect(await second).toBeInstanceOf(Error);
  expect(stored()).toEqual([1]);
});

test('a commit that fails takes all works behind it along, and its listener hears of it before their callers', async () => {
  const order: string[] = [];
  commits.listen({ afterWorks: () => {}, afterFailure: () => order.push('failed') });
  const carried = commits.enqueue(
    () => {
      throw new Error('no');
    },
    { carries: true },
  );
  const neighbours = Array.from({ length: 2_000 }, (_, n) => commits.enqueue(add(n)));
  const kinds = await Promise.allSettled(
    [carried, ...neighbours].map((each) => each.catch((error) => (order.push('rejected'), Promise.reject(error)))),
  );
  expect(kinds.every(({ status }) => status === 'rejected')).toBe(true);
  expect(kinds.at(-1)).toMatchObject({ reason: { name: 'PortError', kind: 'unavailable' } });
  expect(order[0]).toBe('failed');
  expect(order.filter((each) => each === 'failed')).toHaveLength(1);
  expect(stored()).toEqual([]);
  await commits.enqueue(add(1));
  expect(stored()).toEqual([1]);
});

describe('with commits that are synced apart', () => {
  let syncs: PromiseWithResolvers<void>[];
  let broken: PortError[];

  beforeEach(() => {
    [syncs, broken] = [[], []];
    const sync = { sync: () => (syncs.push(Promise.withResolvers()), syncs.at(-1)!.promise) };
    commits = new GroupCommit(database, { sync, onBroken: (error) => broken.push(error) });
  });

  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const failed = new PortError('unknown', 'the disk is gone');

  test('works are answered when their sync has ended; what comes meanwhile waits, and is one commit after it', async () => {
    const answered: number[] = [];
    const note = (n: number) => commits.enqueue(add(n)).then(() => answered.push(n));
    const first = note(1);
    await turn();
    expect([answered, stored(), commits.isOpen, syncs.length]).toEqual([[], [1], true, 1]);
    const others = [note(2)];
    await turn();
    others.push(note(3));
    await turn();
    expect([answered, stored(), syncs.length]).toEqual([[], [1], 1]);
    syncs[0]!.resolve();
    await first;
    expect([answered, commits.isOpen]).toEqual([[1], false]);
    await turn();
    expect([answered, stored(), syncs.length]).toEqual([[1], [1, 2, 3], 2]);
    syncs[1]!.resolve();
    await Promise.all(others);
    expect(answered).toEqual([1, 2, 3]);
  });

  test('works that only read wait for the works before them and for no sync of their own', async () => {
    const write = commits.enqueue(add(1));
    await turn();
    const read = commits.enqueue(stored, { writes: false });
    await turn();
    syncs[0]!.resolve();
    await write;
    expect(await read).toEqual([1]);
    expect(syncs).toHaveLength(1);
  });

  test('a sync that fails: its works are unknown, all others unavailable, for good, and the listener hears first', async () => {
    const order: string[] = [];
    commits.listen({ afterWorks: () => {}, afterFailure: () => order.push('failed') });
    const kinds = (works: readonly Promise<unknown>[]) =>
      Promise.all(works.map((work) => work.catch((error: PortError) => (order.push('rejected'), error.kind))));
    const first = kinds([commits.enqueue(add(1)), commits.enqueue(add(2), { onSettled: (is) => order.push(`${is}`) })]);
    const closed = turn().then(() => commits.whenClosed());
    await turn();
    const behind = kinds([commits.enqueue(add(3))]);
    syncs[0]!.reject(failed);
    expect(await first).toEqual(['unknown', 'unknown']);
    expect([await behind, await closed]).toEqual([['unavailable'], false]);
    expect(order).toEqual(['failed', 'false', 'rejected', 'rejected', 'rejected']);
    expect(await kinds([commits.enqueue(add(4)), commits.enqueue(stored, { writes: false })])).toEqual([
      'unavailable',
      'unavailable',
    ]);
    expect([broken, commits.broken, syncs.length]).toEqual([[failed], failed, 1]);
  });

  test('a transaction takes no further work once it is open for ten milliseconds; what waits is in the next one', async () => {
    const [now, sizes]: [number[], number[]] = [[0], []];
    const sync = { sync: async () => void sizes.push(stored().length) };
    commits = new GroupCommit(database, { sync, monotonic: () => now[0]! });
    const slow = (n: number) => () => {
      now[0]! += 0.125;
      return add(n)();
    };
    commits.listen({ afterWorks: () => {}, afterFailure: () => {} });
    await Promise.all(Array.from({ length: 250 }, (_, n) => commits.enqueue(slow(n))));
    expect(sizes).toEqual([80, 160, 240, 250]);
  });

  test('a pause that is asked for before a transaction is kept, and works collect in it', async () => {
    const pause = Promise.withResolvers<void>();
    const pauses = [pause.promise, null];
    commits = new GroupCommit(database, { sync: { sync: async () => {}, between: () => pauses.shift() ?? null } });
    const works = [commits.enqueue(add(1))];
    await turn();
    works.push(commits.enqueue(() => stored().length));
    expect([stored(), commits.isOpen]).toEqual([[], false]);
    pause.resolve();
    expect(await Promise.all(works)).toEqual([1, 1]);
    await commits.enqueue(add(2));
    expect(stored()).toEqual([1, 2]);
  });

  test('close waits for the sync under way and for what came meanwhile', async () => {
    const works = [commits.enqueue(add(1))];
    await turn();
    works.push(commits.enqueue(add(2)));
    let isClosed = false;
    const closed = commits.close().then(() => (isClosed = true));
    syncs[0]!.resolve();
    await works[0];
    await turn();
    expect([isClosed, syncs.length]).toEqual([false, 2]);
    syncs[1]!.resolve();
    await Promise.all([...works, closed]);
    expect(stored()).toEqual([1, 2]);
  });
});

test('close answers the works that wait and accepts no new ones', async () => {
  const waiting = commits.enqueue(add(1));
  const closed = commits.close();
  await expect(commits.enqueue(add(2))).rejects.toBeInstanceOf(PortError);
  await closed;
  expect(await waiting).toBe(1);
  await commits.close();
  expect(stored()).toEqual([1]);
});
