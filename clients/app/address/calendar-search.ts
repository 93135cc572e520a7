import { choiceOf, listOf, present, textOf, type AddressSearch } from './search.ts';

const CALENDAR_VIEWS = ['month', 'week', 'day', 'list'] as const;
export type CalendarView = (typeof CALENDAR_VIEWS)[number];

/** The address of a view of the calendar: what it shows, and which Posts. */
export interface CalendarSearch {
  readonly view?: CalendarView;
  /** `YYYY-MM-DD` in the Workspace's zone. */
  readonly date?: string;
  /** Ids of Channels. */
  readonly channel?: readonly string[];
  readonly network?: readonly string[];
  readonly status?: readonly string[];
  readonly via?: readonly string[];
  /** IANA name of the zone that times are shown in; absent: that of the Workspace. */
  readonly zone?: string;
  /** The hour or the day whose Posts are listed beside the calendar: `2026-11-24T09` or `2026-11-24`. */
  readonly more?: string;
  /** Id of the Post that is shown beside the calendar. */
  readonly post?: string;
}

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** `b`: the second time that clocks show the hour. */
const GROUP = /^\d{4}-\d{2}-\d{2}(T\d{2}b?)?$/;

/** Takes whatever an address holds; what can not be meant is left out. */
export function calendarSearchOf(search: AddressSearch): CalendarSearch {
  const date = textOf(search, 'date');
  const more = textOf(search, 'more');
  return present({
    view: choiceOf(search, 'view', CALENDAR_VIEWS),
    date: date !== undefined && isDate(date) ? date : undefined,
    channel: listOf(search, 'channel'),
    network: listOf(search, 'network'),
    status: listOf(search, 'status'),
    via: listOf(search, 'via'),
    zone: textOf(search, 'zone'),
    more: more !== undefined && GROUP.test(more) && isDate(more.slice(0, 10)) ? more : undefined,
    post: textOf(search, 'post'),
  });
}

/** Browsers take 2026-02-31 for a day of March. */
function isDate(text: string): boolean {
  const at = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
