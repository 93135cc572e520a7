import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { turnTimestamp } from '#tables/rows/pending-effects.ts';
import { RECENT_CHANGES } from '#tables/declarations/tables.ts';
import { changeRow, readChanges, type RecentChange } from '#tables/repositories/recent-changes.ts';
import { ChangeFeed } from './change-feed.ts';
import type { ChangeListener, ChangeSignal } from './signal-queue.ts';

const HOUR_MS = 3_600_000;
/** Shortly before an hour ends. */
const START = 495_000 * HOUR_MS - 2_000;

/** Turns of Workspaces, as their owners leave them behind, and a feed over them. */
function openFeed() {
  const clock = createMemoryClock(START);
  const reporter = createMemoryReporter();
  const store = createMemoryTableStore();
  const versions = new Map<string, number>();
  const reads: string[] = [];
  /** What stands between the feed and the store. */
  const world = { isAway: false, delayMs: 0, hidden: new Set<number>() };
  const checked = async <T>(workspaceId: string, work: () => Promise<T>): Promise<T> => {
    reads.push(workspaceId);
    if (world.delayMs > 0) await clock.sleep(world.delayMs);
    if (world.isAway) throw new PortError('unavailable', 'the store is away');
    return work();
  };
  const feed = new ChangeFeed({
    clock,
    reporter,
    changes: {
      read: (workspaceId, range) =>
        checked(workspaceId, async () => {
          const found = await readChanges(store, workspaceId, range);
          return found.filter(({ version }) => !world.hidden.has(version));
        }),
      version: (workspaceId) => checked(workspaceId, async () => versions.get(workspaceId) ?? 0),
    },
  });
  /** A turn by an owner whose clock is `offMs` off. */
  const turn = async (about: Partial<RecentChange> = {}, { workspaceId = 'w', offMs = 0 } = {}): Promise<string> => {
    const version = (versions.get(workspaceId) ?? 0) + 1;
    versions.set(workspaceId, version);
    const at = clock.now() + offMs;
    const change = { version, at, postIds: [`post ${version}`], channels: false, ...about };
    const { partition, clustering, value } = changeRow(workspaceId, change);
    const body = encodeBody(value);
    await store.upsert(RECENT_CHANGES, [
      { partition, clustering, body, format: BODY_FORMAT, timestamp: turnTimestamp(version) },
    ]);
    return `post ${version}`;
  };
  const subscribe = (workspaceId = 'w') => {
    const signals: ChangeSignal[] = [];
    const end = feed.subscribe(workspaceId, (signal) => void signals.push(signal));
    return { signals, end };
  };
  return { clock, reporter, feed, world, versions, reads, turn, subscribe };
}

const idsOf = (signals: readonly ChangeSignal[]): readonly string[] =>
  signals.flatMap((signal) => (signal.kind === 'changed' ? signal.postIds : [signal.kind]));

test('every turn after a subscription is reported within half a second, once, and so are Channels', async () => {
  const { clock, turn, subscribe } = openFeed();
  const { signals } = subscribe();
  const told: string[] = [];
  for (let count = 0; count < 20; count++) {
    told.push(await turn({ channels: count % 2 === 0 }));
    await clock.advance(450);
    expect(idsOf(signals)).toEqual(told);
    expect(signals.at(-1)).toMatchObject({ channels: count % 2 === 0 });
  }
});

test('turns that are committed while the watch begins are reported, and those of long before are not', async () => {
  const { clock, turn, subscribe, world } = openFeed();
  await turn();
  await clock.advance(60_000);
  world.delayMs = 500;
  const { signals } = subscribe();
  const told = [await turn(), await turn()];
  await clock.advance(300);
  told.push(await turn());
  await clock.advance(2_000);
  expect(idsOf(signals)).toEqual(told);
});

test('the newest turn when the watch begins, or goes on after a gap, is reported once its rows are there', async () => {
  const { clock, turn, subscribe, world } = openFeed();
  const first = await turn();
  world.hidden.add(1);
  const { signals } = subscribe();
  await clock.advance(2_000);
  world.hidden.clear();
  await clock.advance(450);
  expect(idsOf(signals)).toEqual([first]);
  world.isAway = true;
  const second = await turn();
  world.hidden.add(2);
  await clock.advance(60_000);
  world.isAway = false;
  await clock.advance(20_000);
  world.hidden.clear();
  await clock.advance(450);
  expect(idsOf(signals)).toEqual([first, 'stale', second]);
});

test('nobody listens: nothing is read; many listen: it is read once; the last one goes: nothing more', async () => {
  const { clock, turn, subscribe, reads, feed } = openFeed();
  await turn();
  await clock.advance(10_000);
  expect(reads).toEqual([]);
  const many = Array.from({ length: 100 }, () => subscribe());
  await clock.advance(400);
  reads.length = 0;
  await clock.advance(4_000);
  expect(reads).toHaveLength(10);
  const id = await turn();
  await clock.advance(400);
  for (const { signals } of many) expect(idsOf(signals)).toEqual([id]);
  for (const { end } of many) end();
  reads.length = 0;
  await turn();
  await clock.advance(10_000);
  expect(reads).toEqual([]);
  expect(clock.armed()).toBe(0);
  subscribe();
  feed.close();
  await clock.advance(10_000);
  expect(clock.armed()).toBe(0);
});

test('a Workspace is told of nothing of another', async () => {
  const { clock, turn, subscribe } = openFeed();
  const [ours, theirs] = [subscribe('w'), subscribe('v')];
  await turn({ postIds: ['ours'] }, { workspaceId: 'w' });
  await turn({ postIds: ['theirs'] }, { workspaceId: 'v' });
  await clock.advance(450);
  expect([idsOf(ours.signals), idsOf(theirs.signals)]).toEqual([['ours'], ['theirs']]);
});

test('two owners whose clocks are 3 s apart, over the end of an hour: every turn is reported once', async () => {
  const { clock, turn, subscribe } = openFeed();
  const { signals } = subscribe();
  const told: string[] = [];
  for (let count = 0; count < 40; count++) {
    told.push(await turn({}, { offMs: count % 2 === 0 ? 1_500 : -1_500 }));
    await clock.advance(150);
  }
  await clock.advance(450);
  expect(idsOf(signals)).toEqual(told);
});

test('a read that has a later turn and lacks an earlier one loses none: the next read has it', async () => {
  const { clock, turn, subscribe, world } = openFeed();
  const { signals } = subscribe();
  await clock.advance(450);
  const ids = [await turn(), await turn(), await turn()];
  world.hidden.add(1).add(2);
  await clock.advance(400);
  expect(idsOf(signals)).toEqual([ids[2]]);
  world.hidden.clear();
  await clock.advance(400);
  expect(idsOf(signals).toSorted()).toEqual(ids);
  await clock.advance(4_000);
  expect(signals).toHaveLength(2);
});

test('ten thousand Posts in one burst: all of them or too many to name, in bounded signals', async () => {
  const { clock, turn, subscribe } = openFeed();
  const { signals } = subscribe();
  await clock.advance(450);
  for (let count = 0; count < 100; count++) {
    const postIds = Array.from({ length: 100 }, (_, index) => `post ${count}/${index}`);
    await turn({ postIds });
  }
  await clock.advance(450);
  expect(signals).toEqual([{ kind: 'changed', postIds: 'all', channels: false }]);
});

test('a slow listener makes nobody else wait, holds one signal, and gets all that came in the next', async () => {
  const { clock, turn, subscribe, feed } = openFeed();
  const got: ChangeSignal[] = [];
  let release = (): void => {};
  const slow: ChangeListener = (signal) => {
    got.push(signal);
    return new Promise<void>((resolve) => (release = resolve));
  };
  feed.subscribe('w', slow);
  const { signals } = subscribe();
  const told: string[] = [];
  for (let count = 0; count < 5; count++) {
    told.push(await turn());
    await clock.advance(450);
  }
  expect(idsOf(signals)).toEqual(told);
  expect(idsOf(got)).toEqual(told.slice(0, 1));
  release();
  await clock.advance(0);
  expect(got).toHaveLength(2);
  expect(idsOf(got)).toEqual(told);
});

test('a listener that throws is reported, and told again the next time, as are the others', async () => {
  const { clock, turn, subscribe, feed, reporter } = openFeed();
  feed.subscribe('w', () => Promise.reject(new Error('gone')));
  feed.subscribe('w', () => {
    throw new Error('gone');
  });
  const { signals } = subscribe();
  const told = [await turn()];
  await clock.advance(450);
  told.push(await turn());
  await clock.advance(450);
  expect(idsOf(signals)).toEqual(told);
  expect(reporter.failures().map(({ event }) => event)).toEqual(Array(4).fill('change-listener-failed'));
});

test('a listener that ended is told nothing more, not even what waits for it', async () => {
  const { clock, turn, feed } = openFeed();
  const got: ChangeSignal[] = [];
  let release = (): void => {};
  const end = feed.subscribe('w', (signal) => {
    got.push(signal);
    return new Promise<void>((resolve) => (release = resolve));
  });
  await turn();
  await clock.advance(450);
  await turn();
  await clock.advance(450);
  end();
  release();
  await clock.advance(1_000);
  expect(got).toHaveLength(1);
});

test('the store is away for a moment: reported once, and nothing is lost', async () => {
  const { clock, turn, subscribe, world, reporter } = openFeed();
  const { signals } = subscribe();
  await clock.advance(450);
  world.isAway = true;
  const told = [await turn()];
  await clock.advance(5_000);
  told.push(await turn());
  expect(reporter.failures().map(({ event }) => event)).toEqual(['change-feed-failed']);
  world.isAway = false;
  await clock.advance(10_000);
  expect(idsOf(signals)).toEqual(told);
});

test('it is away for long: it is asked seldom, then pages are told that they are stale, and of all that comes after', async () => {
  const { clock, turn, subscribe, world, reporter, reads } = openFeed();
  const { signals } = subscribe();
  await clock.advance(450);
  world.isAway = true;
  reads.length = 0;
  for (let minute = 0; minute < 30; minute++) {
    await clock.advance(60_000);
    await turn();
  }
  expect(reads.length).toBeLessThan(200);
  expect(reporter.failures()).toHaveLength(1);
  world.isAway = false;
  await clock.advance(10_000);
  expect(signals[0]).toEqual({ kind: 'stale' });
  // The newest turn may have owed its rows until then.
  expect(idsOf(signals.slice(1)).filter((id) => id !== 'post 30')).toEqual([]);
  const told = await turn();
  await clock.advance(450);
  expect(idsOf(signals).at(-1)).toBe(told);
  world.isAway = true;
  await clock.advance(1_000);
  expect(reporter.failures(), 'another outage').toHaveLength(2);
});

test('it is away when a watch begins: who subscribed is told that what it loaded may be stale', async () => {
  const { clock, turn, subscribe, world } = openFeed();
  world.isAway = true;
  const { signals } = subscribe();
  await clock.advance(20_000);
  world.isAway = false;
  await clock.advance(10_000);
  expect(signals).toEqual([{ kind: 'stale' }]);
  const told = await turn();
  await clock.advance(450);
  expect(idsOf(signals).at(-1)).toBe(told);
});

test.each([-2 * HOUR_MS, 2 * HOUR_MS])(
  'wall time is moved by %i ms: pages are told, and of what comes after',
  async (ms) => {
    const { clock, turn, subscribe } = openFeed();
    const { signals } = subscribe();
    await clock.advance(450);
    await turn();
    clock.moveWall(ms);
    await clock.advance(1_000);
    expect(signals[0]).toEqual({ kind: 'stale' });
    const told = await turn();
    await clock.advance(450);
    expect(idsOf(signals).at(-1)).toBe(told);
  },
);

test('a page that read before it could subscribe is told what it missed, and of nothing long before', async () => {
  const { clock, turn, feed, world, reads } = openFeed();
  expect(await feed.missed('w', clock.now())).toBeNull();
  await turn();
  await clock.advance(30_000);
  const readAt = clock.now();
  // Each owner has a clock of its own.
  const missed = [await turn({}, { offMs: -3_000 }), await turn({ channels: true })];
  await turn({}, { workspaceId: 'another' });
  await clock.advance(900);
  missed.push(await turn());
  const signal = await feed.missed('w', readAt);
  expect(signal).toEqual({ kind: 'changed', postIds: missed, channels: true });
  await clock.advance(60_000);
  expect(await feed.missed('w', readAt), 'so late it reads all').toEqual({ kind: 'stale' });
  world.isAway = true;
  reads.length = 0;
  await expect(feed.missed('w', clock.now())).rejects.toThrow(PortError);
});

test('a page that missed more turns than are looked through reads all that it shows', async () => {
  const { clock, turn, feed } = openFeed();
  const readAt = clock.now();
  for (let count = 0; count < 600; count++) await turn({ postIds: ['the same'] });
  expect(await feed.missed('w', readAt)).toEqual({ kind: 'stale' });
});
