import { isoOf } from '../fields.ts';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** In the two largest units that say something: `2 h 5 min`. */
export function spanWords(milliseconds: number): string {
  let left = Math.max(0, Math.round(milliseconds / 1_000)) * 1_000;
  const words: string[] = [];
  for (const [unit, ms] of UNITS) {
    const count = Math.floor(left / ms);
    left -= count * ms;
    if (count > 0) words.push(`${count} ${unit}`);
  }
  return words.slice(0, 2).join(' ') || '0 s';
}

/** `2026-11-20T12:00:00.000Z, in 5 min` or `..., 5 min ago`. */
export function instantWords(instant: number, now: number): string {
  const span = spanWords(Math.abs(instant - now));
  return `${isoOf(instant)}, ${instant > now ? `in ${span}` : `${span} ago`}`;
}

/** `1 record`, `3 records`. */
export function countWords(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
