const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;

/** "3.4 MB": as the systems of phones and computers count them. */
export function bytesWords(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1000 && unit < UNITS.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${UNITS[unit]!}`;
}

/** "1:05" */
export function durationWords(durationMs: number): string {
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
