import type { Video } from './videos.ts';

const DAY_MS = 86_400_000;
/** Days are those of California; daylight saving is left out. */
const PACIFIC_MS = 8 * 3_600_000;
/** The newest days are not told of yet. */
const LAG_DAYS = 3;

export interface Figures {
  readonly views: number;
  readonly likes: number;
  readonly comments: number;
  readonly shares: number;
  readonly estimatedMinutesWatched: number;
  readonly averageViewDuration: number;
  readonly averageViewPercentage: number;
  readonly subscribersGained: number;
}

export const pacificDay = (instant: number): string => new Date(instant - PACIFIC_MS).toISOString().slice(0, 10);

/** Always the same for a video and a day: a lively first day, and ever less. */
function figuresOf({ videoId, file }: Video, age: number): Figures {
  const seed = Number(BigInt(videoId) % 997n);
  const views = Math.max(1, Math.round((200 + seed) / (1 + age)));
  const percentage = 35 + ((seed + age) % 40) + 0.25;
  const duration = Math.max(1, Math.round((file.durationMs / 1000) * (percentage / 100)));
  return {
    views,
    likes: Math.round(views / 20),
    comments: Math.round(views / 90),
    shares: Math.round(views / 60),
    estimatedMinutesWatched: Math.round((views * duration) / 60),
    averageViewDuration: duration,
    averageViewPercentage: percentage,
    subscribersGained: Math.round(views / 150),
  };
}

/** The days from `from` to `to` that are told of, oldest first. */
export function daysOf(video: Video, from: string, to: string, now: number): readonly { readonly day: string; readonly figures: Figures }[] {
  const last = pacificDay(now - LAG_DAYS * DAY_MS);
  const days: { readonly day: string; readonly figures: Figures }[] = [];
  for (let age = 0; ; age++) {
    const day = pacificDay(video.uploadedAt + age * DAY_MS);
    if (day > last || day > to) return days;
    if (day >= from) days.push({ day, figures: figuresOf(video, age) });
  }
}

/** Sums, and means weighted by views. */
export function totalOf(days: readonly { readonly figures: Figures }[]): Figures {
  const sum = (name: keyof Figures) => days.reduce((total, { figures }) => total + figures[name], 0);
  const views = sum('views');
  const mean = (name: keyof Figures) => (views === 0 ? 0 : days.reduce((total, { figures }) => total + figures[name] * figures.views, 0) / views);
  return {
    ...{ views, likes: sum('likes'), comments: sum('comments'), shares: sum('shares'), estimatedMinutesWatched: sum('estimatedMinutesWatched') },
    ...{ averageViewDuration: Math.round(mean('averageViewDuration')), averageViewPercentage: mean('averageViewPercentage'), subscribersGained: sum('subscribersGained') },
  };
}

/** What the video's own page counts, without lag. */
export function viewsInAll(video: Video, now: number): Pick<Figures, 'views' | 'likes' | 'comments'> {
  const ages = Array.from({ length: Math.max(0, Math.floor((now - video.uploadedAt) / DAY_MS)) + 1 }, (_, age) => ({ figures: figuresOf(video, age) }));
  return now < video.uploadedAt + 60_000 ? { views: 0, likes: 0, comments: 0 } : totalOf(ages);
}
