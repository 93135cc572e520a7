import { json, type SandboxAnswer } from '../exchange.ts';
import type { UploadRequest, YoutubeOptions } from './upload-request.ts';
import { isDay } from './days.ts';
import { badRequest, googleError, missingParameter } from './errors.ts';
import { daysOf, totalOf, type SimulatedDay, type SimulatedFigures } from './figures.ts';
import { videosOf } from './resources.ts';
import type { YoutubeVideo } from './videos.ts';

const METRICS: readonly string[] = [
  'views',
  'likes',
  'comments',
  'shares',
  'estimatedMinutesWatched',
  'averageViewDuration',
  'averageViewPercentage',
  'subscribersGained',
];
const MAX_VIDEOS = 500;

const unknownIdentifier = (value: string, parameter: string) =>
  badRequest(`Unknown identifier (${value.slice(0, 60)}) given in field parameters.${parameter}.`);
const unsupported = () => badRequest('The query is not supported. Check the documentation for supported queries.');
const namesIn = (query: URLSearchParams, name: string): readonly string[] =>
  (query.get(name) ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

interface Query {
  readonly from: string;
  readonly to: string;
  readonly metrics: readonly string[];
  /** None, the day, or the day and the video. */
  readonly dimensions: readonly string[];
  readonly sort: readonly string[];
  /** null: the whole channel. */
  readonly videoIds: readonly string[] | null;
}

function readQuery({ query, account }: UploadRequest): Query | SandboxAnswer {
  const absent = ['ids', 'startDate', 'endDate', 'metrics'].find((name) => !query.get(name));
  if (absent !== undefined) return missingParameter(absent);
  const [, channel] = /^channel==(\S+)$/.exec(query.get('ids')!) ?? [];
  if (channel === undefined) return unknownIdentifier(query.get('ids')!, 'ids');
  if (channel !== 'MINE' && channel !== account.accountId) return googleError(403, 'forbidden', 'Forbidden');
  const [from, to] = [query.get('startDate')!, query.get('endDate')!];
  const wrong = [from, to].find((day) => !isDay(day));
  if (wrong !== undefined)
    return badRequest(`Invalid value (${wrong.slice(0, 60)}) for a date: it must be YYYY-MM-DD.`);
  if (from > to) return badRequest('The start date must not be behind the end date.');
  const metrics = namesIn(query, 'metrics');
  const dimensions = namesIn(query, 'dimensions');
  const sort = namesIn(query, 'sort');
  const unknownMetric = metrics.find((name) => !METRICS.includes(name));
  if (unknownMetric !== undefined || metrics.length === 0) return unknownIdentifier(unknownMetric ?? '', 'metrics');
  const unknownDimension = dimensions.find((name) => name !== 'day' && name !== 'video');
  if (unknownDimension !== undefined) return unknownIdentifier(unknownDimension, 'dimensions');
  const unsortable = sort.find((name) => ![...metrics, ...dimensions].includes(name.replace(/^-/, '')));
  if (unsortable !== undefined) return unknownIdentifier(unsortable, 'sort');
  const filters = query.get('filters') ?? '';
  const [, videoIds] = /^video==([\w,-]+)$/.exec(filters) ?? [];
  const ids = videoIds?.split(',').filter((id) => id !== '') ?? null;
  if ((filters !== '' && ids === null) || (ids?.length ?? 0) > MAX_VIDEOS) return unsupported();
  // By video is possible only together with the day, and with named videos.
  if (dimensions.includes('video') && (!dimensions.includes('day') || ids === null)) return unsupported();
  return { from, to, metrics, dimensions, sort, videoIds: ids };
}

/** Rows of a day, or of a day and a video; one row in total where there are no dimensions. */
function group(
  days: readonly SimulatedDay[],
  { dimensions }: Query,
): readonly Partial<SimulatedDay & SimulatedFigures>[] {
  const keyOf = ({ day, videoId }: SimulatedDay) =>
    dimensions.includes('video') ? `${day} ${videoId}` : dimensions.includes('day') ? day : '';
  const groups = Map.groupBy(days, keyOf);
  return [...groups.keys()].sort().map((key) => ({ ...groups.get(key)![0]!, ...totalOf(groups.get(key)!) }));
}

type Row = Readonly<Record<string, string | number>>;

function compare(one: Row, other: Row, sort: readonly string[]): number {
  for (const name of sort) {
    const field = name.replace(/^-/, '');
    const order = one[field]! < other[field]! ? -1 : one[field]! > other[field]! ? 1 : 0;
    if (order !== 0) return name.startsWith('-') ? -order : order;
  }
  return 0;
}

const DATA_TYPES: Readonly<Record<string, string>> = { day: 'STRING', video: 'STRING', averageViewPercentage: 'FLOAT' };

/** GET /v2/reports: by day, by day and video, or in total. Without figures there are no rows. */
export function queryReport(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const query = readQuery(call);
  if ('status' in query) return query;
  const { account, now } = call;
  const isOwn = (video: YoutubeVideo | null): video is YoutubeVideo =>
    video !== null && video.accountId === account.accountId;
  const videos =
    query.videoIds === null
      ? videosOf(account.accountId, options)
      : [...new Set(query.videoIds)].map((id) => options.videos.get(id)).filter(isOwn);
  const days = videos.flatMap((video) => daysOf(video, query.from, query.to, now));
  const rows = group(days, query)
    .map(({ day, videoId, figures, ...total }): Row => ({ day: day!, video: videoId!, ...(total as SimulatedFigures) }))
    .sort((one, other) => compare(one, other, query.sort));
  const names = [...query.dimensions, ...query.metrics];
  const columnHeaders = names.map((name) => ({
    name,
    columnType: query.dimensions.includes(name) ? 'DIMENSION' : 'METRIC',
    dataType: DATA_TYPES[name] ?? 'INTEGER',
  }));
  const told = rows.map((row) => names.map((name) => row[name]));
  return json(200, {
    kind: 'youtubeAnalytics#resultTable',
    columnHeaders,
    ...(told.length === 0 ? {} : { rows: told }),
  });
}
