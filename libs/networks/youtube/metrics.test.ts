import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type ScriptedStep } from '#testing/scripted-network.ts';
import type { MetricsRequest } from '../contract/adapter.ts';
import { createYouTubeMetrics } from './metrics.ts';
import { API, endpoints, nothing, NOW, refusal, unseen } from './youtube.fixture.ts';

const DAY_MS = 86_400_000;
const metrics = createYouTubeMetrics(endpoints);
const METRIC_NAMES = [
  'views',
  'likes',
  'comments',
  'shares',
  'estimatedMinutesWatched',
  'averageViewDuration',
  'averageViewPercentage',
  'subscribersGained',
];

/** Seven in the morning UTC: the day before in California. */
const PUBLISHED = Date.UTC(2026, 10, 1, 7);
const request: MetricsRequest = { accessToken: 'ya29.secret', remoteId: 'vid1', publishedAt: PUBLISHED, now: NOW };

async function read(script: readonly ScriptedStep[], more: Partial<MetricsRequest> = {}) {
  const network = scriptedNetwork(...script);
  return { answer: await metrics.read(network.http, { ...request, ...more }), asked: network.asked };
}

const statistics = (counts: object) => jsonAnswer(200, { items: [{ id: 'vid1', statistics: counts }] });
const header = (name: string) => ({
  name,
  columnType: name === 'day' ? 'DIMENSION' : 'METRIC',
  dataType: name === 'day' ? 'STRING' : 'INTEGER',
});
const report = (names: readonly string[], rows?: readonly unknown[]) =>
  jsonAnswer(200, {
    kind: 'youtubeAnalytics#resultTable',
    columnHeaders: names.map(header),
    ...(rows === undefined ? {} : { rows }),
  });
const total = (rows?: readonly unknown[]) => report(METRIC_NAMES, rows);
const byDay = (rows?: readonly unknown[]) => report(['day', ...METRIC_NAMES], rows);
const TOTAL = [120, 7, 3, 2, 95, 47, 41.37, 1];
const figures = {
  views: 120,
  likes: 7,
  comments: 3,
  shares: 2,
  minutesWatched: 95,
  averageViewDuration: 47,
  averageViewPercentage: 41.37,
  subscribersGained: 1,
};
const ZERO = {
  views: 0,
  likes: 0,
  comments: 0,
  shares: 0,
  minutesWatched: 0,
  averageViewDuration: 0,
  averageViewPercentage: 0,
  subscribersGained: 0,
};

test('asks for the counts of now, then for the video in all and by day, since it was published, in days of California', async () => {
  const { asked } = await read([statistics({}), total(), byDay()]);
  expect(asked.map(({ method, url }) => `${method} ${url.split('?')[0]}`)).toEqual([
    `GET ${API}/videos`,
    'GET https://yt.test/v2/reports',
    'GET https://yt.test/v2/reports',
  ]);
  const [counts, inAll, daily] = asked.map(({ url }) => Object.fromEntries(new URL(url).searchParams));
  expect(counts).toEqual({ part: 'statistics', id: 'vid1' });
  const query = {
    ids: 'channel==MINE',
    startDate: '2026-11-01',
    endDate: '2026-11-20',
    metrics: METRIC_NAMES.join(','),
    filters: 'video==vid1',
  };
  expect(inAll).toEqual(query);
  expect(daily).toEqual({ ...query, dimensions: 'day', sort: 'day' });
  for (const { headers } of asked) expect(headers?.['authorization']).toBe('Bearer ya29.secret');
});

test('a video of before daylight saving ended, and of an evening in California', async () => {
  const { asked } = await read([statistics({}), total(), byDay()], { publishedAt: Date.UTC(2026, 9, 31, 6, 59) });
  expect(new URL(asked[1]!.url).searchParams.get('startDate')).toBe('2026-10-30');
});

describe('figures', () => {
  const day = (name: string, views: number) => [name, views, ...TOTAL.slice(1)];

  test('are taken by name, in whatever order the columns come', async () => {
    const turned = (names: readonly string[], row: readonly unknown[]) =>
      report(names.toReversed(), [row.toReversed()]);
    const { answer } = await read([
      statistics({}),
      turned(METRIC_NAMES, TOTAL),
      turned(['day', ...METRIC_NAMES], day('2026-11-02', 120)),
    ]);
    expect(answer).toEqual({
      kind: 'ok',
      totals: figures,
      days: [{ day: '2026-11-02', ...figures }],
      summary: { status: 200, detail: 'figures of 1 days' },
    });
  });

  test('of views, likes and comments are those of now, where they are shown', async () => {
    const { answer } = await read([
      statistics({ viewCount: '150', commentCount: '4', favoriteCount: '0' }),
      total([TOTAL]),
      byDay([]),
    ]);
    expect(answer).toMatchObject({ kind: 'ok', totals: { ...figures, views: 150, comments: 4 } });
  });

  test('of a new video are the counts of now, and no day is made up', async () => {
    const { answer } = await read([
      statistics({ viewCount: '15', likeCount: '2', commentCount: '1' }),
      total(),
      byDay(),
    ]);
    expect(answer).toMatchObject({ kind: 'ok', totals: { ...ZERO, views: 15, likes: 2, comments: 1 }, days: [] });
  });

  test('of days without figures are left out, not zero', async () => {
    const { answer } = await read([
      statistics({}),
      total([TOTAL]),
      byDay([day('2026-11-01', 4), day('2026-11-04', 9)]),
    ]);
    expect(answer).toMatchObject({
      days: [
        { day: '2026-11-01', views: 4 },
        { day: '2026-11-04', views: 9 },
      ],
    });
  });

  test('do without the counts of now, when those can not be read', async () => {
    for (const scripted of [nothing(503), refusal(403, 'quotaExceeded'), { cut: 'after' } as const]) {
      expect((await read([scripted, total([TOTAL]), byDay()])).answer).toMatchObject({ kind: 'ok', totals: figures });
    }
  });

  test('that are no numbers, and rows that are no days, are left out', async () => {
    const { answer } = await read([
      statistics({ viewCount: 'many' }),
      total([[120, null, 3, 2, 95, 47, 41.37, 'x']]),
      byDay([['all', ...TOTAL], [7], null]),
    ]);
    expect(answer).toMatchObject({ kind: 'ok', totals: { ...figures, likes: 0, subscribersGained: 0 }, days: [] });
  });
});

describe('what can not be read', () => {
  const counts = statistics({ viewCount: '15' });
  test.each<[string, readonly ScriptedStep[], object, Partial<MetricsRequest>]>([
    ['a video that is gone', [unseen], { kind: 'gone' }, {}],
    ['a video that is gone, as 404', [refusal(404, 'videoNotFound')], { kind: 'gone' }, {}],
    ['a video that is not there yet', [unseen], { kind: 'unavailable' }, { publishedAt: NOW - DAY_MS + 1 }],
    [
      'a dead token',
      [refusal(401, 'authError', 'about ya29.secret')],
      { kind: 'refused', summary: { status: 401 } },
      {},
    ],
    [
      'a token that is dead for reports',
      [counts, refusal(401, 'authError')],
      { kind: 'refused', summary: { status: 401 } },
      {},
    ],
    [
      'a permission that is missing',
      [counts, refusal(403, 'insufficientPermissions')],
      { kind: 'refused', summary: { status: 403 } },
      {},
    ],
    [
      'a permission that is missing, in its other name',
      [counts, refusal(403, 'forbidden')],
      { kind: 'refused', summary: { status: 403 } },
      {},
    ],
    [
      'an API that is not enabled',
      [counts, refusal(403, 'accessNotConfigured', 'has not been used in project')],
      { kind: 'refused', summary: { status: 403 } },
      {},
    ],
    [
      'an unknown figure',
      [counts, refusal(400, 'badRequest', 'Unknown identifier (x) given in field parameters.metrics.')],
      { kind: 'refused', summary: { status: 400 } },
      {},
    ],
    ['a limit', [counts, nothing(429)], { kind: 'unavailable' }, {}],
    ['a spent quota', [counts, refusal(403, 'quotaExceeded')], { kind: 'unavailable' }, {}],
    ['trouble', [counts, nothing(503)], { kind: 'unavailable' }, {}],
    ['no connection', [counts, { cut: 'before' }], { kind: 'unavailable' }, {}],
    ['trouble with the days', [counts, total([TOTAL]), nothing(500)], { kind: 'unavailable' }, {}],
    [
      'a report of something else',
      [counts, report(['views'], [[1]])],
      { kind: 'refused', summary: { status: 200 } },
      {},
    ],
    ['no report at all', [counts, jsonAnswer(200, {})], { kind: 'refused', summary: { status: 200 } }, {}],
  ])('%s', async (_name, script, expected, more) => {
    const { answer } = await read(script, more);
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer)).not.toContain('ya29.secret');
  });
});
