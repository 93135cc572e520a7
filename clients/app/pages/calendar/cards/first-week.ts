import type { PackedCards } from '#services/app/trpc/packed-cards.ts';
import { APP_PATH } from '../../../address/app-path.ts';
import { calendarSearchOf } from '../../../address/calendar-search.ts';
import { parseSearch } from '../../../address/search.ts';
import { readPreference } from '../../../preferences/preference.ts';
import { shownTimeZone } from '../../../preferences/time-zone.ts';
import { WEEK_START } from '../../../preferences/week-start.ts';
import type { AppSession } from '../../../workspace/session.ts';
import { shownRange } from '../time/shown-range.ts';
import { clockOf } from '../time/zone-clock.ts';
import { weekInput, type CalendarInput } from './week-input.ts';

interface BegunWeek {
  readonly key: string;
  /** Null: it failed, and is asked for again as any other week. */
  readonly answer: Promise<PackedCards | null>;
  /** Once it has come. */
  come: PackedCards | null;
}

let begun: BegunWeek | null = null;

/**
 * Asks for the week that the address shows, before the scripts that draw it are there: the server prepares it
 * meanwhile. `own`: the Workspace that is shown. A month is of several weeks, which would keep back the scripts.
 */
export function beginFirstWeek(own: AppSession['workspaces'][number], now: number, search: string): void {
  const { view = 'week', date, zone } = calendarSearchOf(parseSearch(search));
  const clock = clockOf(zone ?? shownTimeZone(own.timeZone));
  const shown = date ?? clock.wallTimeOf(now).date;
  const [first, ...others] = shownRange(view, shown, Number(readPreference(WEEK_START))).weeks;
  if (first === undefined || others.length > 0) return;
  const input = weekInput(own.id, first, clock);
  const week: BegunWeek = { key: JSON.stringify(input), answer: ask(input), come: null };
  begun = week;
  void week.answer.then((answer) => (week.come = answer));
}

/** Resolves when the week has come, or it is no use to wait for it: after `patienceMs`, or where none was begun. */
export function whenFirstWeekCame(patienceMs: number): Promise<unknown> {
  if (begun === null) return Promise.resolve();
  return Promise.race([begun.answer, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
}

/** As `takeFirstWeek`, if the answer has come. */
export function takeCome(input: CalendarInput): PackedCards | null {
  if (begun?.come == null || begun.key !== JSON.stringify(input)) return null;
  const { come } = begun;
  begun = null;
  return come;
}

/** The answer that was begun for exactly this week, once; null: none was, or it failed. */
export async function takeFirstWeek(input: CalendarInput): Promise<PackedCards | null> {
  if (begun?.key !== JSON.stringify(input)) return null;
  const { answer } = begun;
  begun = null;
  return answer;
}

async function ask(input: CalendarInput): Promise<PackedCards | null> {
  try {
    const address = `${APP_PATH}/trpc/posts.calendar?input=${encodeURIComponent(JSON.stringify(input))}`;
    const response = await fetch(address);
    if (!response.ok) return null;
    const { result } = (await response.json()) as { readonly result: { readonly data: PackedCards } };
    return result.data;
  } catch {
    return null;
  }
}
