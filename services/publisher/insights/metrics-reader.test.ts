import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { postIdOf, variantIdOf } from '#domain/post/ids.ts';
import { nextReadingAt, type DayFigures, type Figures, type MetricsReading } from '#domain/variant/metrics.ts';
import type { MetricsAnswer } from '#networks/contract/adapter.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import { createMetricsRows } from '#tables/repositories/variant-metrics.ts';
import { MetricsReader } from './metrics-reader.ts';

const HOUR = 3_600_000;
const POST = postIdOf('01a20000-0000-7000-8000-000000000000');
const VARIANT = variantIdOf(POST, 1);
const SUMMARY = { status: 200, detail: 'figures' };

const figures = (views: number): Figures => ({
  views,
  likes: 1,
  comments: 2,
  shares: 3,
  minutesWatched: 4,
  averageViewDuration: 5,
  averageViewPercentage: 6.5,
  subscribersGained: 7,
});
const day = (name: string, views: number): DayFigures => ({ day: name, ...figures(views) });
const told = (views: number, ...days: DayFigures[]): MetricsAnswer => ({
  kind: 'ok',
  totals: figures(views),
  days,
  summary: SUMMARY,
});
const tokens = (accessToken: string): TokensAnswer => ({
  kind: 'ok',
  accessToken,
  username: 'ada',
  accountId: '7',
  facts: {},
  issuedAt: 0,
});

/** A Network with scripted answers, and a reader whose store and timers can fail. */
function open() {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock });
  let made = 0;
  const rows = createMetricsRows(store, () => String(made++));
  const timers: { readonly at: number; readonly reading: MetricsReading }[] = [];
  const answers: MetricsAnswer[] = [];
  const asked: string[] = [];
  const marked: string[] = [];
  const state = { given: tokens('first'), refreshed: tokens('second') };
  const publishedAt = clock.now();
  const reader = new MetricsReader({
    metrics: {
      youtube: {
        network: 'youtube',
        read: async (_http, { accessToken }) => (asked.push(accessToken), answers.shift()!),
      },
    },
    rows,
    connections: { tokensFor: async () => state.given, refreshNow: async () => state.refreshed },
    http: { send: () => Promise.reject(new Error('nobody calls past the Network')) },
    clock,
    reporter: createMemoryReporter(),
    isRemoved: async () => false,
    setNext: async (reading, at) => void timers.push({ reading, at }),
    markChannel: async ({ channelId }) => void marked.push(channelId),
  });
  const first: MetricsReading = {
    workspaceId: 'w',
    variantId: VARIANT,
    network: 'youtube',
    channelId: 'c',
    remoteId: 'video',
    publishedAt,
    dueAt: nextReadingAt(publishedAt, publishedAt, publishedAt)!,
  };
  const fire = async (reading: MetricsReading, at = reading.dueAt) => {
    if (at > clock.now()) await clock.advance(at - clock.now());
    await reader.run(reading);
  };
  return {
    clock,
    rows,
    timers,
    answers,
    asked,
    marked,
    state,
    reader,
    first,
    publishedAt,
    fire,
    kept: async () => (await rows.ofPost(POST)).get(VARIANT),
  };
}

test('readings follow each other, days are kept and restated', async () => {
  const it = open();
  it.answers.push(
    told(10, day('2026-11-20', 4), day('2026-11-21', 6)),
    told(20, day('2026-11-21', 9), day('2026-11-22', 7)),
  );
  await it.fire(it.first);
  expect(await it.kept()).toEqual({ ...figures(10), days: [day('2026-11-20', 4), day('2026-11-21', 6)] });
  expect(it.timers.map(({ at }) => at)).toEqual([it.publishedAt + 2 * HOUR]);
  await it.fire(it.timers[0]!.reading);
  expect(await it.kept()).toEqual({
    ...figures(20),
    days: [day('2026-11-20', 4), day('2026-11-21', 9), day('2026-11-22', 7)],
  });
  expect(it.timers.map(({ at }) => at)).toEqual([it.publishedAt + 2 * HOUR, it.publishedAt + 3 * HOUR]);
});

test('a repeated message asks no Network, and its chain stays one', async () => {
  const it = open();
  it.answers.push(told(10));
  await it.fire(it.first);
  await it.fire(it.first);
  expect([it.asked.length, it.timers.length]).toEqual([1, 1]);
});

test('a crash after the next reading was set, before this one was kept: it is read again, and the two come to one chain', async () => {
  const it = open();
  it.answers.push(told(10), told(11));
  const { change } = it.rows;
  it.rows.change = () => Promise.reject(new Error('killed'));
  await expect(it.fire(it.first)).rejects.toThrow('killed');
  it.rows.change = change;
  await it.fire(it.first);
  expect(it.timers.map(({ at, reading }) => [at, reading.dueAt])).toEqual(
    Array(2).fill([it.publishedAt + 2 * HOUR, it.publishedAt + 2 * HOUR]),
  );
  expect((await it.kept())?.views).toBe(11);
});

test('what may pass is tried again soon, with what is known kept, and is given up for the next reading in time', async () => {
  const it = open();
  const away: MetricsAnswer = { kind: 'unavailable', summary: { status: 503, detail: 'later' } };
  it.answers.push(told(10), away, away, away, away);
  await it.fire(it.first);
  await it.fire(it.timers[0]!.reading);
  for (let retry = 1; retry < 4; retry++) await it.fire(it.timers.at(-1)!.reading, it.timers.at(-1)!.at);
  const minutes = it.timers.map(({ at }) => (at - it.publishedAt) / 60_000);
  expect(minutes).toEqual([120, 135, 150, 165, 180]);
  expect(it.timers.map(({ reading }) => (reading.dueAt - it.publishedAt) / HOUR)).toEqual([2, 2, 2, 2, 3]);
  expect((await it.kept())?.views).toBe(10);
});

test('a token that is refused is refreshed once; refused again, the Channel needs a reconnect and readings go on', async () => {
  const it = open();
  const refused: MetricsAnswer = { kind: 'refused', summary: { status: 401, detail: 'dead token' } };
  it.answers.push(refused, told(10), refused, refused);
  await it.fire(it.first);
  expect([it.asked, it.marked]).toEqual([['first', 'second'], []]);
  await it.fire(it.timers[0]!.reading);
  expect(it.marked).toEqual(['c']);
  expect((await it.kept())?.views).toBe(10);
  expect(it.timers).toHaveLength(2);
});

test('a refusal that no token mends leaves the Channel as it is', async () => {
  const it = open();
  it.answers.push({ kind: 'refused', summary: { status: 403, detail: 'not allowed' } });
  await it.fire(it.first);
  expect([it.asked, it.marked, it.timers.length]).toEqual([['first'], [], 1]);
});

test('a Channel that waits for a person is asked nothing, and readings go on', async () => {
  const it = open();
  it.state.given = { kind: 'needs_reconnect', detail: 'reconnect' };
  await it.fire(it.first);
  expect([it.asked, it.marked, it.timers.map(({ at }) => at)]).toEqual([[], [], [it.publishedAt + 2 * HOUR]]);
});

test('what is there no more is not asked about again, and its last figures stay', async () => {
  const it = open();
  it.answers.push(told(10), { kind: 'gone', summary: { status: 404, detail: 'no such video' } });
  await it.fire(it.first);
  await it.fire(it.timers[0]!.reading);
  await it.fire(it.timers[0]!.reading);
  expect([it.asked.length, it.timers.length, (await it.kept())?.views]).toEqual([2, 1, 10]);
});

test('after days away the readings that were missed are one', async () => {
  const it = open();
  it.answers.push(told(10));
  await it.fire(it.first, it.publishedAt + 3 * 24 * HOUR);
  expect(it.timers).toHaveLength(1);
  expect(it.timers[0]!.at).toBeGreaterThan(it.clock.now());
});
