import type { Figures } from '#domain/variant/metrics.ts';
import { at, listAt, textAt } from '../http/call.ts';

/** What YouTube Analytics calls each figure. */
const NAMES: Readonly<Record<keyof Figures, string>> = {
  views: 'views',
  likes: 'likes',
  comments: 'comments',
  shares: 'shares',
  minutesWatched: 'estimatedMinutesWatched',
  averageViewDuration: 'averageViewDuration',
  averageViewPercentage: 'averageViewPercentage',
  subscribersGained: 'subscribersGained',
};

export const METRICS = Object.values(NAMES).join(',');

export interface ReportRow {
  /** YYYY-MM-DD; '' in a report that is not by day. */
  readonly day: string;
  readonly figures: Figures;
}

/**
 * The rows of a report, by the names of its columns; none where there is nothing to tell. Null: not what was asked for.
 */
export function rowsOf(json: unknown): readonly ReportRow[] | null {
  const columns = listAt(json, 'columnHeaders').map((header) => textAt(header, 'name'));
  if (Object.values(NAMES).some((name) => !columns.includes(name))) return null;
  return listAt(json, 'rows').map((row) => {
    const cell = (name: string): unknown => at(row, columns.indexOf(name));
    const count = (name: string): number => numberOf(cell(name)) ?? 0;
    const day = cell('day');
    return {
      day: typeof day === 'string' ? day : '',
      figures: {
        views: count(NAMES.views),
        likes: count(NAMES.likes),
        comments: count(NAMES.comments),
        shares: count(NAMES.shares),
        minutesWatched: count(NAMES.minutesWatched),
        averageViewDuration: count(NAMES.averageViewDuration),
        averageViewPercentage: count(NAMES.averageViewPercentage),
        subscribersGained: count(NAMES.subscribersGained),
      },
    };
  });
}

/** Counts come as numbers from one API and as texts of their digits from the other. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^[0-9]+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}
