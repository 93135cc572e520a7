import type { Preference } from './preference.ts';

/** 0: Sunday. */
export type WeekStart = '0' | '1' | '6';

export const WEEK_STARTS = [
  { value: '1', name: 'Monday' },
  { value: '0', name: 'Sunday' },
  { value: '6', name: 'Saturday' },
] as const;

/** The day that weeks begin with: what the person chose in this browser, else what their language has. */
export const WEEK_START: Preference<WeekStart> = {
  name: 'week-start',
  choices: ['0', '1', '6'],
  get initial() {
    return ofLanguage();
  },
};

/** Regions whose weeks begin with Sunday, and with Saturday, by the tables that browsers have; all others: Monday. */
const SUNDAY_IN =
  'AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN IS JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW';
const SATURDAY_IN = 'AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY';

/**
 * By the region that the language names: "en-GB". To ask the browser costs 20 ms of the first view, so only a language
 * without a region does. Firefox before 2025 does not tell; most countries begin with Monday.
 */
function ofLanguage(): WeekStart {
  return weekStartOf(navigator.language);
}

export function weekStartOf(language: string): WeekStart {
  const region = /^[a-z]{2,3}-([A-Z]{2})$/.exec(language)?.[1];
  if (region !== undefined) return SUNDAY_IN.includes(region) ? '0' : SATURDAY_IN.includes(region) ? '6' : '1';
  const locale = new Intl.Locale(language) as Intl.Locale & { getWeekInfo?: () => { firstDay: number } };
  const first = locale.getWeekInfo?.().firstDay ?? 1;
  return first === 7 ? '0' : first === 6 ? '6' : '1';
}
