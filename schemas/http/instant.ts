// Seconds may be left out, as ISO 8601 allows; the zone may not.
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:([Zz])|([+-])(\d\d):(\d\d))$/;

/** 9999-12-31T23:59:59.999Z, the last instant that four digits of a year can name in UTC. */
const LAST = 253_402_300_799_999;

/**
 * Milliseconds since the epoch of an ISO 8601 date-time with a zone; null for anything else: no zone, dates that no
 * calendar has, leap seconds (a POSIX clock can't hold them), years outside 1970..9999. Finer than milliseconds is cut
 * off.
 */
export function parseInstant(text: string): number | null {
  const parts = INSTANT.exec(text);
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((i) => Number(parts[i] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offsetHour = Number(parts[10] ?? 0);
  const offsetMinute = Number(parts[11] ?? 0);
  if (
    month < 1 ||
    month > 12 ||
    day < 1 ||
    hour > 23 ||
    minute > 59 ||
    second > 59 ||
    offsetHour > 23 ||
    offsetMinute > 59
  )
    return null;
  const milliseconds = Number((parts[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const local = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
  // Date.UTC rolls 30 February over to March instead of refusing it.
  if (new Date(local).getUTCDate() !== day) return null;
  const sign = parts[9] === '-' ? 1 : -1;
  const instant = local + sign * (offsetHour * 60 + offsetMinute) * 60_000;
  return year >= 1970 && instant >= 0 && instant <= LAST ? instant : null;
}
