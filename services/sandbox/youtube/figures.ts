import { createHash } from 'node:crypto';
import { addDays, daysBetween, pacificDay, partOfDay } from './days.ts';
import type { YoutubeVideo } from './videos.ts';

/** The newest days have no figures yet, and those before them are still being counted. */
const LAG_DAYS = 3;
const COUNTED_DAYS = LAG_DAYS + 3;
const COUNTED_SO_FAR = 0.96;

export interface SimulatedFigures {
  readonly views: number;
  readonly likes: number;
  readonly comments: number;
  readonly shares: number;
  readonly estimatedMinutesWatched: number;
  readonly averageViewDuration: number;
  readonly averageViewPercentage: number;
  readonly subscribersGained: number;
}

const seedOf = (videoId: string): number => createHash('sha256').update(videoId).digest().readUInt32BE();

function figuresFor(views: number, percentage: number, durationMs: number): SimulatedFigures {
  const seconds = Math.max(1, Math.round((durationMs / 1_000) * (percentage / 100)));
  return {
    views,
    likes: Math.round(views / 20),
    comments: Math.round(views / 90),
    shares: Math.round(views / 60),
    estimatedMinutesWatched: Math.round((views * seconds) / 60),
    averageViewDuration: seconds,
    averageViewPercentage: percentage,
    subscribersGained: Math.round(views / 150),
  };
}

/** Always the same for a video and a day: a strong first day, then ever less, some days better than others. */
function figuresOf({ videoId, file }: YoutubeVideo, age: number, counted: number): SimulatedFigures {
  const seed = seedOf(videoId);
  const mood = 0.8 + 0.1 * ((seed >>> (age % 28)) & 3);
  const views = Math.floor(Math.max(1, ((200 + (seed % 1_800)) / (1 + 0.6 * age)) * mood) * counted);
  const percentage = 35 + ((seed + 7 * age) % 4_000) / 100;
  return figuresFor(views, percentage, file.durationMs);
}

export interface SimulatedDay {
  readonly videoId: string;
  /** `YYYY-MM-DD` in California. */
  readonly day: string;
  readonly figures: SimulatedFigures;
}

/** The days from `from` to `to` that have figures, oldest first. */
export function daysOf(video: YoutubeVideo, from: string, to: string, now: number): readonly SimulatedDay[] {
  const today = pacificDay(now);
  const first = pacificDay(video.uploadedAt);
  const last = [to, addDays(today, -LAG_DAYS - 1)].sort()[0]!;
  const start = from > first ? from : first;
  return Array.from({ length: Math.max(0, daysBetween(start, last) + 1) }, (_, index) => {
    const day = addDays(start, index);
    const counted = daysBetween(day, today) <= COUNTED_DAYS ? COUNTED_SO_FAR : 1;
    return { videoId: video.videoId, day, figures: figuresOf(video, daysBetween(first, day), counted) };
  });
}

/** Sums, and means weighted by views. */
export function totalOf(days: readonly Pick<SimulatedDay, 'figures'>[]): SimulatedFigures {
  const sum = (name: keyof SimulatedFigures) => days.reduce((total, { figures }) => total + figures[name], 0);
  const views = sum('views');
  const mean = (name: keyof SimulatedFigures) =>
    views === 0 ? 0 : days.reduce((total, { figures }) => total + figures[name] * figures.views, 0) / views;
  return {
    ...{
      views,
      likes: sum('likes'),
      comments: sum('comments'),
      shares: sum('shares'),
      estimatedMinutesWatched: sum('estimatedMinutesWatched'),
    },
    averageViewDuration: Math.round(mean('averageViewDuration')),
    averageViewPercentage: Math.round(mean('averageViewPercentage') * 100) / 100,
    subscribersGained: sum('subscribersGained'),
  };
}

/** The figures on the video's own page, without lag: they grow with every minute of the day. */
export function countsOf(video: YoutubeVideo, now: number): SimulatedFigures {
  const age = daysBetween(pacificDay(video.uploadedAt), pacificDay(now));
  const begunAt = age === 0 ? partOfDay(video.uploadedAt) : 0;
  const share = begunAt >= 1 ? 1 : Math.max(0, partOfDay(now) - begunAt) / (1 - begunAt);
  return totalOf(
    Array.from({ length: age + 1 }, (_, each) => ({ figures: figuresOf(video, each, each === age ? share : 1) })),
  );
}
