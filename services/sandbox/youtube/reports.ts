import { json } from '../exchange.ts';
import type { Answer } from '../exchange.ts';
import type { Asked, YoutubeDeps } from './asked.ts';
import { googleError } from './errors.ts';
import { daysOf, totalOf } from './figures.ts';
import type { Figures } from './figures.ts';

const METRICS: readonly (keyof Figures)[] = [
  ...(['views', 'likes', 'comments', 'shares', 'estimatedMinutesWatched'] as const),
  ...(['averageViewDuration', 'averageViewPercentage', 'subscribersGained'] as const),
];
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const refused = (message: string) => googleError(400, 'badRequest', message);

/** GET /v2/reports: of one video, by day or in all. Where nothing is known, there are no rows. */
export function queryReport({ query, account, now }: Asked, { videos }: YoutubeDeps): Answer {
  if (query.get('ids') !== 'channel==MINE') return refused('Unknown identifier given in field parameters.ids.');
  const [from = '', to = ''] = [query.get('startDate') ?? '', query.get('endDate') ?? ''];
  if (!DATE.test(from) || !DATE.test(to) || from > to) return refused('Invalid value for startDate or endDate.');
  const metrics = (query.get('metrics') ?? '').split(',');
  const unknown = metrics.find((metric) => !(METRICS as readonly string[]).includes(metric));
  if (unknown !== undefined) return refused(`Unknown identifier (${unknown.slice(0, 60)}) given in field parameters.metrics.`);
  const byDay = query.get('dimensions') === 'day';
  if (query.has('dimensions') && !byDay) return refused('The query is not supported. Check the documentation for supported queries.');
  const [, videoId] = /^video==(\d{1,20})$/.exec(query.get('filters') ?? '') ?? [];
  if (videoId === undefined) return refused('The query is not supported. Check the documentation for supported queries.');
  const found = videos.get(videoId);
  const days = found?.accountId === account.accountId ? daysOf(found, from, to, now) : [];
  const columnHeaders = [
    ...(byDay ? [{ name: 'day', columnType: 'DIMENSION', dataType: 'STRING' }] : []),
    ...metrics.map((name) => ({ name, columnType: 'METRIC', dataType: name === 'averageViewPercentage' ? 'FLOAT' : 'INTEGER' })),
  ];
  const valuesOf = (figures: Figures) => metrics.map((metric) => figures[metric as keyof Figures]);
  const rows = byDay ? days.map(({ day, figures }) => [day, ...valuesOf(figures)]) : days.length === 0 ? [] : [valuesOf(totalOf(days))];
  return json(200, { kind: 'youtubeAnalytics#resultTable', columnHeaders, ...(rows.length === 0 ? {} : { rows }) });
}
