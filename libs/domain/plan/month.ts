/** The calendar month (UTC) of an instant, e.g. `2026-11`. */
export function monthOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 7);
}

/** From the month's first instant up to, not including, the next month's. */
export function periodOf(month: string): { readonly from: number; readonly to: number } {
  const year = Number(month.slice(0, 4));
  const index = Number(month.slice(5, 7)) - 1;
  return { from: Date.UTC(year, index, 1), to: Date.UTC(year, index + 1, 1) };
}

export interface Usage {
  readonly month: string;
  readonly posts: number;
  readonly previousPosts: number;
}

/**
 * The count as it stands once `instant` has come: a new month starts from nothing. Never goes back to an earlier month.
 */
function usageAt(usage: Usage, instant: number): Usage {
  const month = monthOf(instant);
  if (month <= usage.month) return usage;
  const follows = periodOf(usage.month).to === periodOf(month).from;
  return { month, posts: 0, previousPosts: follows ? usage.posts : 0 };
}

/** Posts counted in the month of `instant`. */
export function postsIn(usage: Usage, instant: number): number {
  const month = monthOf(instant);
  if (month === usage.month) return usage.posts;
  return periodOf(month).to === periodOf(usage.month).from ? usage.previousPosts : 0;
}

/** Counts a Post in the month of `instant`, the command's `issuedAt`: that month may just have ended. */
export function countPost(usage: Usage, instant: number): Usage {
  const current = usageAt(usage, instant);
  if (monthOf(instant) === current.month) return { ...current, posts: current.posts + 1 };
  return { ...current, previousPosts: current.previousPosts + 1 };
}
