import type { Figures } from '#domain/variant/metrics.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { MetricsAnswer, MetricsRequest, NetworkEndpoints, NetworkMetrics } from '../contract/adapter.ts';
import { at, summaryOf, type CallResult } from '../http/call.ts';
import { googleGet, hostOf, youtubeFailure } from './calls.ts';
import { pacificDay } from './pacific-time.ts';
import { METRICS, numberOf, rowsOf, type ReportRow } from './report.ts';

/** A video this young may not be listed yet. */
const NEW_MS = 24 * 3_600_000;
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

const NOTHING: Figures = {
  views: 0,
  likes: 0,
  comments: 0,
  shares: 0,
  minutesWatched: 0,
  averageViewDuration: 0,
  averageViewPercentage: 0,
  subscribersGained: 0,
};

type Counted = Partial<Pick<Figures, 'views' | 'likes' | 'comments'>>;

/**
 * Views and the like are read as they are now, everything else as YouTube Analytics has it: days of California, the
 * newest three or so missing, not zero, and restated for some days. All days are read each time, so whatever a reading
 * missed the next one brings.
 */
export function createYouTubeMetrics(endpoints: NetworkEndpoints): NetworkMetrics {
  const report = (
    http: HttpClient,
    { accessToken, remoteId, publishedAt, now }: MetricsRequest,
    more: Readonly<Record<string, string>>,
  ): Promise<CallResult> =>
    googleGet(http, accessToken, `${hostOf(endpoints, 'analytics')}/reports`, {
      ids: 'channel==MINE',
      startDate: pacificDay(publishedAt),
      endDate: pacificDay(now),
      metrics: METRICS,
      filters: `video==${remoteId}`,
      ...more,
    });
  return {
    network: 'youtube',
    read: async (http, request) => {
      const statistics = await googleGet(http, request.accessToken, `${endpoints.api}/videos`, {
        part: 'statistics',
        id: request.remoteId,
      });
      if (isMissing(statistics)) return missing(statistics, request);
      if (statistics.kind === 'answered' && statistics.status === 401) return unread(statistics, request);
      const inAll = await report(http, request, {});
      const totals = reportIn(inAll);
      if (totals === null) return unread(inAll, request);
      const byDay = await report(http, request, { dimensions: 'day', sort: 'day' });
      const rows = reportIn(byDay);
      if (rows === null) return unread(byDay, request);
      const days = rows.filter(({ day }) => DAY.test(day)).map(({ day, figures }) => ({ day, ...figures }));
      return {
        kind: 'ok',
        totals: { ...NOTHING, ...totals[0]?.figures, ...countedIn(statistics) },
        days,
        summary: summaryOf(byDay, `figures of ${days.length} days`),
      };
    },
  };
}

/** null: no report. */
function reportIn(called: CallResult): readonly ReportRow[] | null {
  return called.kind === 'answered' && called.status === 200 ? rowsOf(called.json) : null;
}

/** A count that the channel hides is left out; and without any of them the report has to do. */
function countedIn(called: CallResult): Counted {
  if (called.kind === 'lost' || called.status !== 200) return {};
  const statistics = at(called.json, 'items', 0, 'statistics');
  const [views, likes, comments] = (['viewCount', 'likeCount', 'commentCount'] as const).map((name) =>
    numberOf(at(statistics, name)),
  );
  return {
    ...(views == null ? {} : { views }),
    ...(likes == null ? {} : { likes }),
    ...(comments == null ? {} : { comments }),
  };
}

function isMissing(called: CallResult): boolean {
  if (called.kind === 'lost') return false;
  const items = at(called.json, 'items');
  return called.status === 404 || (called.status === 200 && Array.isArray(items) && items.length === 0);
}

function missing(called: CallResult, { remoteId, publishedAt, now }: MetricsRequest): MetricsAnswer {
  const summary = summaryOf(called, `video ${remoteId} is not to be seen`);
  return now - publishedAt < NEW_MS ? { kind: 'unavailable', summary } : { kind: 'gone', summary };
}

/** An answer that asking again soon won't better is a refusal, even one of a shape that is new to us. */
function unread(called: CallResult, { accessToken, now }: MetricsRequest): MetricsAnswer {
  const { failure, summary } = youtubeFailure(called, now, [accessToken]);
  const mayPass = failure.retry === 'later' && (called.kind === 'lost' || called.status !== 200);
  return { kind: mayPass ? 'unavailable' : 'refused', summary };
}
