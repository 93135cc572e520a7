import { factsOf, type Network } from '../network.ts';

export interface Figures {
  readonly views: number;
  readonly likes: number;
  readonly comments: number;
  readonly shares: number;
  readonly minutesWatched: number;
  /** Seconds. */
  readonly averageViewDuration: number;
  /** Of the video's length, in percent. */
  readonly averageViewPercentage: number;
  readonly subscribersGained: number;
}

export interface DayFigures extends Figures {
  /** YYYY-MM-DD, in the Network's own time zone. */
  readonly day: string;
}

/**
 * How a published Variant does with its public: in all, and by day, oldest first. A day for which the Network has no
 * figures is left out.
 */
export interface VariantMetrics extends Figures {
  readonly days: readonly DayFigures[];
}

/** What is to be read, and when it was to be read. Instants are milliseconds since the epoch. */
export interface MetricsReading {
  readonly workspaceId: string;
  readonly variantId: string;
  readonly network: Network;
  readonly channelId: string;
  readonly remoteId: string;
  readonly publishedAt: number;
  readonly dueAt: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_APART_MS = 14 * DAY_MS;
/** After two years, figures are not read any more. */
const READ_FOR_MS = 730 * DAY_MS;

/** Whether figures of the Network's Variants are read. */
export const hasMetrics = (network: Network): boolean => factsOf(network).hasMetrics;

/**
 * When figures are read next: an hour after the publication, and then at growing distances, an eighth of the age later,
 * so that a reading is never older than an eighth of the publication's age. Null: no more readings follow. It is
 * computed from the instant at which the last one was due, so that every process computes the same; instants up to
 * `now` are left out.
 */
export function nextReadingAt(publishedAt: number, dueAt: number, now: number): number | null {
  let at = dueAt;
  do at += Math.min(Math.max(Math.floor((at - publishedAt) / 8), HOUR_MS), MAX_APART_MS);
  while (at <= now);
  return at - publishedAt > READ_FOR_MS ? null : at;
}

/** Days that were read again replace their known figures; other days stay. */
export function mergeDays(known: readonly DayFigures[], read: readonly DayFigures[]): readonly DayFigures[] {
  const days = new Map([...known, ...read].map((figures) => [figures.day, figures]));
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}
