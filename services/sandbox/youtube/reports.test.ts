import { describe, expect, test } from 'vitest';
import { setFault, type SandboxHarness, type SignedIn } from '../sandbox.fixture.ts';
import { addDays, daysBetween, isDay, pacificDay, partOfDay } from './days.ts';
import {
  again,
  DAY_MS,
  HOUR_MS,
  METRICS,
  report,
  signInYoutube,
  uploaded,
  videoOf,
  youtube,
} from './youtube.fixture.ts';

/** The harness begins at noon of 2026-11-20 in Greenwich, when it is that day in California, too. */
const BEGIN = '2026-11-20';

async function rowsOf(
  harness: SandboxHarness,
  who: SignedIn,
  query: Readonly<Record<string, string>>,
): Promise<readonly any[] | undefined> {
  return (await report(harness, await again(harness, who), query)).body.rows;
}

async function statisticsOf(
  harness: SandboxHarness,
  who: SignedIn,
  id: string,
): Promise<Readonly<Record<string, number>>> {
  const { statistics } = await videoOf(harness, await again(harness, who), id, 'statistics');
  for (const value of Object.values(statistics)) expect(value).toMatch(/^\d+$/);
  return Object.fromEntries(Object.entries(statistics).map(([name, value]) => [name, Number(value)]));
}

async function withVideo(): Promise<{
  readonly harness: SandboxHarness;
  readonly who: SignedIn;
  readonly id: string;
  readonly byDay: Readonly<Record<string, string>>;
}> {
  const { harness, who } = await youtube();
  const id = await uploaded(harness, who);
  return { harness, who, id, byDay: { dimensions: 'day', sort: 'day', filters: `video==${id}` } };
}

describe('figures by day', () => {
  test('are there for every day except the newest, with a description of each column', async () => {
    const { harness, who, byDay } = await withVideo();
    await harness.clock.advance(10 * DAY_MS);
    const { status, body } = await report(harness, await again(harness, who), byDay);
    expect([status, body.kind]).toEqual([200, 'youtubeAnalytics#resultTable']);
    expect(body.columnHeaders).toEqual(
      ['day', ...METRICS.split(',')].map((name) => ({
        name,
        columnType: name === 'day' ? 'DIMENSION' : 'METRIC',
        dataType: name === 'day' ? 'STRING' : name === 'averageViewPercentage' ? 'FLOAT' : 'INTEGER',
      })),
    );
    expect(body.rows.map(([day]: [string]) => day)).toEqual(
      Array.from({ length: 7 }, (_, each) => addDays(BEGIN, each)),
    );
    for (const [, views, likes, comments, shares, minutes, seconds, percentage, gained] of body.rows) {
      expect(views).toBeGreaterThan(0);
      for (const count of [likes, comments, shares, minutes, seconds, gained])
        expect(Number.isInteger(count) && count >= 0).toBe(true);
      expect([percentage > 0, percentage < 100, seconds <= 4, minutes <= views]).toEqual([true, true, true, true]);
    }
  });

  test("are missing at first, and for missing or another's videos", async () => {
    const { harness, who, id, byDay } = await withVideo();
    for (let day = 0; day < 4; day++) {
      expect(await rowsOf(harness, who, byDay)).toBeUndefined();
      await harness.clock.advance(DAY_MS);
    }
    expect((await rowsOf(harness, who, byDay))?.length).toBe(1);
    expect(await rowsOf(harness, await signInYoutube(harness), byDay)).toBeUndefined();
    expect(await rowsOf(harness, who, { ...byDay, filters: 'video==nowhere0000' })).toBeUndefined();
    expect(await rowsOf(harness, who, { ...byDay, endDate: '2026-11-19' })).toBeUndefined();
    expect((await rowsOf(harness, who, { ...byDay, filters: `video==nowhere0000,${id}` }))?.length).toBe(1);
  });

  test('are the same on every read, once they are counted; before, a little less', async () => {
    const { harness, who, byDay } = await withVideo();
    const seen: (readonly any[])[] = [];
    for (let day = 0; day < 12; day++) {
      await harness.clock.advance(DAY_MS);
      seen.push((await rowsOf(harness, who, byDay)) ?? []);
    }
    const views = seen.map((rows) => rows.find(([day]) => day === BEGIN)?.[1]);
    const final = views.at(-1);
    expect(views.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(new Set(views.slice(3, 6)).size).toBe(1);
    expect(views[3]).toBeLessThan(final);
    expect(views[3]).toBeGreaterThan(final * 0.9);
    expect(new Set(views.slice(6))).toEqual(new Set([final]));
  });

  test('fall with the age of a video, and differ from one to another', async () => {
    const { harness, who, byDay } = await withVideo();
    const other = await uploaded(harness, who, 'reel');
    await harness.clock.advance(60 * DAY_MS);
    const views = (await rowsOf(harness, who, { ...byDay, metrics: 'views' }))!.map(([, count]) => count);
    const sum = (from: number, to: number) => views.slice(from, to).reduce((total, count) => total + count, 0);
    expect(sum(0, 7)).toBeGreaterThan(sum(7, 14));
    expect(sum(7, 14)).toBeGreaterThan(sum(40, 47));
    expect(
      (await rowsOf(harness, who, { ...byDay, metrics: 'views', filters: `video==${other}` }))!.map(
        ([, count]) => count,
      ),
    ).not.toEqual(views);
  });

  test('begin and end at the requested dates, in the requested order', async () => {
    const { harness, who, byDay } = await withVideo();
    await harness.clock.advance(20 * DAY_MS);
    const days = async (query: object) =>
      (await rowsOf(harness, who, { ...byDay, metrics: 'views', ...query }))!.map(([day]) => day);
    expect(await days({ startDate: '2026-11-22', endDate: '2026-11-24', sort: '-day' })).toEqual([
      '2026-11-24',
      '2026-11-23',
      '2026-11-22',
    ]);
    expect((await days({ sort: '-views' }))[0]).toBe(BEGIN);
    expect((await days({ sort: '' }))[0]).toBe(BEGIN);
  });
});

describe('figures in all', () => {
  test('sum up the days, and weight means by views', async () => {
    const { harness, who, id, byDay } = await withVideo();
    await harness.clock.advance(30 * DAY_MS);
    const days = (await rowsOf(harness, who, byDay))!;
    const [total] = (await rowsOf(harness, who, { filters: `video==${id}` }))!;
    for (const column of [0, 1, 2, 3, 4, 7])
      expect(total[column]).toBe(days.reduce((sum, row) => sum + row[column + 1], 0));
    const mean = days.reduce((sum, row) => sum + row[7] * row[1], 0) / total[0];
    expect(total[6]).toBeCloseTo(mean, 1);
    const counts = await statisticsOf(harness, who, id);
    expect(counts['viewCount']).toBeGreaterThan(total[0]);
  });

  test('of the channel are those of its videos, by video and day when videos are named', async () => {
    const { harness, who, id } = await withVideo();
    const other = await uploaded(harness, who, 'reel');
    await uploaded(harness, await signInYoutube(harness));
    await harness.clock.advance(10 * DAY_MS);
    const views = async (query: Readonly<Record<string, string>>) =>
      (await rowsOf(harness, who, { metrics: 'views', ...query }))!;
    const [first] = await views({ filters: `video==${id}` });
    const [second] = await views({ filters: `video==${other}` });
    expect(await views({})).toEqual([[first![0] + second![0]]]);
    expect((await views({ dimensions: 'day', sort: 'day' })).length).toBe(7);
    const rows = await views({ dimensions: 'video,day', filters: `video==${id},${other}`, sort: 'video,day' });
    expect(rows.map(([video, day]) => [video, day])).toEqual(
      [id, other].sort().flatMap((video) => Array.from({ length: 7 }, (_, each) => [video, addDays(BEGIN, each)])),
    );
  });
});

describe('a report is refused', () => {
  test.each([
    [{ ids: '' }, 400, 'missingRequiredParameter', 'ids'],
    [
      { ids: 'contentOwner==x' },
      400,
      'badRequest',
      'Unknown identifier (contentOwner==x) given in field parameters.ids.',
    ],
    [{ ids: 'channel==5' }, 403, 'forbidden', 'Forbidden'],
    [{ startDate: '' }, 400, 'missingRequiredParameter', 'startDate'],
    [{ startDate: '1.11.2026' }, 400, 'badRequest', 'date'],
    [{ startDate: '2026-02-30' }, 400, 'badRequest', 'date'],
    [{ startDate: '2028-01-01' }, 400, 'badRequest', 'start date'],
    [{ metrics: '' }, 400, 'missingRequiredParameter', 'metrics'],
    [{ metrics: 'views,fame' }, 400, 'badRequest', 'Unknown identifier (fame) given in field parameters.metrics.'],
    [{ dimensions: 'mood' }, 400, 'badRequest', 'Unknown identifier (mood) given in field parameters.dimensions.'],
    [{ dimensions: 'video', filters: 'video==x' }, 400, 'badRequest', 'The query is not supported'],
    [{ dimensions: 'video,day' }, 400, 'badRequest', 'The query is not supported'],
    [{ filters: 'country==DE' }, 400, 'badRequest', 'The query is not supported'],
    [{ sort: 'fame' }, 400, 'badRequest', 'Unknown identifier (fame) given in field parameters.sort.'],
  ])('for %j', async (query, status, reason, message) => {
    const { harness, who } = await youtube();
    expect(await report(harness, who, query)).toMatchObject({
      status,
      body: { error: { code: status, message: expect.stringContaining(message), errors: [{ reason }] } },
    });
  });

  test('when the API is not enabled, or the token is dead', async () => {
    const { harness, who } = await youtube();
    await setFault(harness, {
      network: 'youtube',
      fault: 'account_restricted',
      call: 'reports.query',
      reason: 'not_enabled',
    });
    expect(await report(harness, who, {})).toMatchObject({
      status: 403,
      body: {
        error: {
          message: expect.stringContaining('has not been used in project'),
          errors: [{ reason: 'accessNotConfigured' }],
        },
      },
    });
    expect((await report(harness, { token: 'dead' }, {})).status).toBe(401);
  });
});

test('the figures on the video’s page grow with every hour', async () => {
  const { harness, who, id } = await withVideo();
  const views: number[] = [];
  for (let hour = 0; hour < 72; hour++) {
    const counts = await statisticsOf(harness, who, id);
    views.push(counts['viewCount']!);
    expect([counts['likeCount']! <= counts['viewCount']!, counts['favoriteCount']]).toEqual([true, 0]);
    await harness.clock.advance(HOUR_MS);
  }
  expect(views).toEqual([...views].sort((one, other) => one - other));
  expect([views[0], views[1]! > 0, views[71]! > views[24]!]).toEqual([0, true, true]);
});

describe('days are California’s', () => {
  test.each([
    ['2026-11-20T07:59:59.999Z', '2026-11-19', 1],
    ['2026-11-20T08:00:00.000Z', '2026-11-20', 0],
    ['2026-07-01T06:59:59.999Z', '2026-06-30', 1],
    ['2026-07-01T07:00:00.000Z', '2026-07-01', 0],
    ['2026-07-01T19:00:00.000Z', '2026-07-01', 0.5],
    ['2026-11-01T07:00:00.000Z', '2026-11-01', 0],
    ['2026-03-08T08:00:00.000Z', '2026-03-08', 0],
  ])('at %s it is %s', (instant, day, part) => {
    expect(pacificDay(Date.parse(instant))).toBe(day);
    expect(partOfDay(Date.parse(instant))).toBeCloseTo(part, 5);
  });

  test('and are counted by the calendar', () => {
    expect([addDays('2026-12-31', 1), addDays('2028-03-01', -1), daysBetween('2026-03-01', '2026-04-01')]).toEqual([
      '2027-01-01',
      '2028-02-29',
      31,
    ]);
    expect(['2026-11-20', '2026-02-30', '2026-1-1', '', '2026-11-20T00:00:00Z'].map(isDay)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
