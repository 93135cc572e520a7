import { addDays } from '../time/dates.ts';
import type { ZoneClock } from '../time/zone-clock.ts';

/** What the server is asked for the Posts of a range; ISO 8601, UTC, `to` exclusive. */
export interface CalendarInput {
  readonly workspaceId: string;
  readonly from: string;
  readonly to: string;
}

/** Of a week of a zone. `first`: its first day. */
export function weekInput(workspaceId: string, first: string, clock: ZoneClock): CalendarInput {
  const [from, to] = [first, addDays(first, 7)].map((date) => new Date(clock.startOf(date)).toISOString());
  return { workspaceId, from: from!, to: to! };
}
