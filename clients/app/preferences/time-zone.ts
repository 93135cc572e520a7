import { fromAbsolute } from '@internationalized/date';
import { isTimeZone } from '#schemas/http/time-zone.ts';

/** What of Temporal is used: browsers of 2026 have it. */
interface TemporalZones {
  readonly Now: { timeZoneId(): string };
  readonly Instant: {
    fromEpochMilliseconds(at: number): { toZonedDateTimeISO(timeZone: string): { readonly offsetNanoseconds: number } };
  };
}

/** Null: only `Intl` knows of zones. The first thing that a page asks of that costs 20 to 40 ms of script. */
const temporal = (globalThis as { readonly Temporal?: TemporalZones }).Temporal ?? null;
/** Temporal also takes an instant with a zone for one, and `Z`. */
const ZONE_NAME = /^[A-Za-z+-][\w+:/-]{1,63}$/;

/** Of this computer; IANA name. */
export function ownTimeZone(): string {
  return temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** How far the zone is ahead of UTC at that instant, in ms. Throws RangeError for a zone that this browser has not. */
export function offsetOf(timeZone: string, at: number): number {
  if (temporal === null) return fromAbsolute(at, timeZone).offset;
  if (!ZONE_NAME.test(timeZone)) throw new RangeError(`${timeZone} is no time zone`);
  return temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).offsetNanoseconds / 1_000_000;
}

/** The zone in which times of a Workspace are shown here: its own, else that of this computer. */
export function shownTimeZone(ofWorkspace: string | null): string {
  // A browser may know fewer zones than the server.
  return ofWorkspace !== null && isKnown(ofWorkspace) ? ofWorkspace : ownTimeZone();
}

function isKnown(timeZone: string): boolean {
  if (temporal === null) return isTimeZone(timeZone);
  try {
    offsetOf(timeZone, 0);
    return true;
  } catch {
    return false;
  }
}

/** What a person may choose from, `first` in front. */
export function timeZoneChoices(...first: readonly string[]): readonly string[] {
  return [...new Set([...first, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}
