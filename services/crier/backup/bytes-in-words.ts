const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** For people: "2.1 GB". */
export function bytesInWords(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${unit === 0 ? bytes : (bytes / 1000 ** unit).toFixed(1)} ${UNITS[unit]}`;
}
