import type { PlacedCard } from '../cards/placed-card.ts';

/** An hour of a day, or a day of a month. */
export interface GridCell {
  /** Unique within the grid; that of its group of cards. */
  readonly key: string;
  /** For readers: "Tue 24 Nov, 09:00". */
  readonly label: string;
  readonly date: string;
  /** Unix ms, `to` exclusive; null: the day has no such hour, and the cell can hold nothing. */
  readonly time: { readonly from: number; readonly to: number } | null;
  /** Null: a whole day. */
  readonly hour: { readonly hour: number; readonly isSecond: boolean } | null;
  readonly cards: readonly PlacedCard[];
  /** Shown in its corner: the day of the month, or what is unusual about the hour. */
  readonly note: string | null;
  /** Of a neighbouring month. */
  readonly isOutside: boolean;
}

export interface GridRow {
  readonly key: string;
  /** By the zone of the calendar: "09:00"; empty: the row needs no name. */
  readonly label: string;
  /** The same by the viewer's zone. */
  readonly viewerLabel: string | null;
  readonly note: string | null;
  readonly cells: readonly GridCell[];
}

export interface GridColumn {
  readonly key: string;
  readonly label: string;
  /** "23 hours" where clocks change. */
  readonly note: string | null;
  readonly isToday: boolean;
}

export interface GridModel {
  readonly columns: readonly GridColumn[];
  readonly rows: readonly GridRow[];
  /** By what the column of row names is headed: "GMT+1". */
  readonly axis: string;
  readonly viewerAxis: string | null;
}

export interface GridModelOptions {
  readonly groups: ReadonlyMap<string, readonly PlacedCard[]>;
  /** Today in the zone of the calendar. */
  readonly today: string;
}

export const NO_CARDS: readonly PlacedCard[] = [];
