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
 * The count as it stands once `instant` has come: a new month starts from nothing. It goes back by a month for a
 * command that was issued in the last one. Further back it begins anew: it was counted by a clock that led, and no Plan
 * would bound the months until then.
 */
function usageAt(usage: Usage, instant: number): Usage {
  const month = monthOf(instant);
  if (month === usage.month || follows(month, usage.month)) return usage;
  return { month, posts: 0, previousPosts: follows(usage.month, month) ? usage.posts : 0 };
}

function follows(month: string, next: string): boolean {
  return periodOf(month).to === periodOf(next).from;
}

/** Posts counted in the month of `instant`. */
export function postsIn(usage: Usage, instant: number): number {
  const month = monthOf(instant);
  if (month === usage.month) return usage.posts;
  return follows(month, usage.month) ? usage.previousPosts : 0;
}

/** Counts a Post in the month of `instant`, the command's `issuedAt`: that month may just have ended. */
export function countPost(usage: Usage, instant: number): Usage {
  const current = usageAt(usage, instant);
  if (monthOf(instant) === current.month) return { ...current, posts: current.posts + 1 };
  return { ...current, previousPosts: current.previousPosts + 1 };
}
