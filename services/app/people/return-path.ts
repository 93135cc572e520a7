const MAX_CHARACTERS = 4_000;
/** Browsers read a backslash as a slash and drop control characters, so neither may stand in a path. */
const MISREAD = /[\p{C}\p{Z}\\]/u;

/**
 * A path on our own address, normalized; null where `given` could lead elsewhere or is none. It is appended to
 * `publicUrl`, which has no slash at the end and may have a path of its own.
 */
export function returnPathOf(given: string | null, publicUrl: string): string | null {
  if (given === null || given.length > MAX_CHARACTERS || !given.startsWith('/') || MISREAD.test(given)) return null;
  const own = new URL(publicUrl);
  const url = URL.parse(publicUrl + given);
  const prefix = own.pathname.replace(/\/$/, '');
  if (url === null || url.origin !== own.origin || !url.pathname.startsWith(`${prefix}/`)) return null;
  // Dots are resolved by now: `/.//evil.example` has become a path that browsers would read as another host.
  const path = url.pathname.slice(prefix.length) + url.search;
  return path.startsWith('//') ? null : path;
}
