/** How many Posts are read in one go at first. */
export const FIRST_POSTS = 8;
const MOST_POSTS = 512;

export interface PostsSoFar {
  /** How many were asked for in one go the last time. */
  readonly asked: number;
  readonly count: number;
  /** What they take together, in the unit of the bound. */
  readonly size: number;
}

/**
 * How many Posts to read in one go so that they take about `mostSize`, by the sizes so far. A Post may have a hundred
 * thousand characters, and short ones may come before long ones: so at most twice as many as the last time.
 */
export function postsAtOnce({ asked, count, size }: PostsSoFar, mostSize: number): number {
  if (count === 0) return FIRST_POSTS;
  return Math.max(1, Math.min(2 * asked, MOST_POSTS, Math.floor((mostSize * count) / size)));
}
