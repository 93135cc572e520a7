import type { PlacedCard } from '../cards/placed-card.ts';
import type { ZoneClock } from '../time/zone-clock.ts';
import type { GridCell } from './grid-model.ts';

const FIVE_MINUTES_MS = 300_000;

/**
 * When a Post that is dropped on the cell is to be published: the same time of day on another date, the same minute of
 * another hour. Null: nothing can be there any more, or the Post is there already.
 */
export function droppedAt(cell: GridCell, { at, wall }: PlacedCard, clock: ZoneClock, now: number): number | null {
  if (cell.time === null) return null;
  const { from, to } = cell.time;
  const wanted =
    cell.hour === null
      ? clock.onDate(at, cell.date)
      : clock.instantOf({
          date: cell.date,
          minutes: cell.hour.hour * 60 + (wall.minutes % 60),
          isSecond: cell.hour.isSecond,
        });
  // A day or an hour that is cut short by a change of the clocks may lack that minute.
  const instant = wanted >= from && wanted < to ? wanted : from;
  return instant <= now || instant === at ? null : instant;
}

/** When a new Post in that cell is to be published; null: the cell is over. */
export function composedAt(cell: GridCell, clock: ZoneClock, now: number): number | null {
  if (cell.time === null || cell.time.to <= now + FIVE_MINUTES_MS) return null;
  const first =
    cell.hour === null ? clock.instantOf({ date: cell.date, minutes: 540, isSecond: false }) : cell.time.from;
  // The rest of this hour, or of today, begins at the next five minutes.
  return first > now ? first : Math.ceil((now + 1) / FIVE_MINUTES_MS) * FIVE_MINUTES_MS;
}

/** Whether no Post can be scheduled in the cell any more. */
export function isOver({ time }: GridCell, now: number): boolean {
  return time === null || time.to <= now;
}
