const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** "1.5 GiB". */
export function bytesWords(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return `${numberWords(Number(value.toFixed(value < 10 && unit > 0 ? 1 : 0)))} ${UNITS[unit]}`;
}

/** "2,000". */
export function numberWords(value: number): string {
  return value.toLocaleString('en-GB');
}
