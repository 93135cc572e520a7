/** A name of the tz database; not an offset, which knows no summer. */
const NAME = /^[A-Za-z][\w+/-]{0,63}$/;

/** Whether times can be shown in this zone. */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
