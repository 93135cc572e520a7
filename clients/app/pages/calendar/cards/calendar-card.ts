import type { AppServer } from '../../../server/router-type.ts';

/** A Post as the server shows it to calendars. */
export type ShownCard = Awaited<ReturnType<AppServer['posts']['cards']['query']>>[number];

/** Those of a range. */
export interface CardsOfRange {
  readonly cards: readonly ShownCard[];
  /** There are more than one answer holds. */
  readonly isCut: boolean;
}
