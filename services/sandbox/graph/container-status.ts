/** The facts that decide a container's state, at instagram and at threads. */
export interface ContainerDates {
  readonly createdAt: number;
  /** When processing ends; null: never, or it has not begun. */
  readonly readyAt: number | null;
  /** Why processing fails; null: it succeeds. */
  readonly failure: string | null;
  /** The published item's id; null while it was not published. */
  readonly mediaId: string | null;
}

export type ContainerStatus = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';

const LIFE_MS = 24 * 3_600_000;

/** IN_PROGRESS -> FINISHED -> PUBLISHED; or ERROR at the end of processing; or EXPIRED a day after it was made. */
export function statusOf(container: ContainerDates, now: number): ContainerStatus {
  if (container.mediaId !== null) return 'PUBLISHED';
  if (now - container.createdAt >= LIFE_MS) return 'EXPIRED';
  if (container.readyAt === null || now < container.readyAt) return 'IN_PROGRESS';
  return container.failure === null ? 'FINISHED' : 'ERROR';
}
