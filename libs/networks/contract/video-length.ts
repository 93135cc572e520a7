/** Milliseconds, both included. */
export type DurationRange = readonly [least: number, most: number];

interface MaybeVideo {
  readonly kind: 'image' | 'video' | null;
  readonly durationMs?: number | null;
}

const MINUTE_MS = 60_000;
/** Limits from here on are written in minutes. */
const LONG_MS = 20 * MINUTE_MS;

/**
 * What is wrong with how long videos are, in words for a person; lengths that are not known yet are no problem. Nothing
 * is ever cut. `under`: what the limit hangs on, '' for nothing.
 */
export function lengthProblems(
  network: string,
  files: readonly MaybeVideo[],
  [least, most]: DurationRange,
  under = '',
): readonly string[] {
  const lengths = files.flatMap(({ kind, durationMs }) =>
    kind === 'image' || durationMs === null || durationMs === undefined ? [] : [durationMs],
  );
  const what = files.length > 1 ? 'A video' : 'The video';
  const on = under === '' ? '' : ` ${under}`;
  const longest = Math.max(0, ...lengths);
  const shortest = Math.min(Infinity, ...lengths);
  return [
    ...(longest > most ? [`${what} is too long for ${network}: ${describe(longest, most)}${on}.`] : []),
    ...(shortest < least
      ? [
          `${what} is too short for ${network}: ${Math.floor(shortest / 100) / 10} of at least ${least / 1000} seconds${on}.`,
        ]
      : []),
  ];
}

function describe(durationMs: number, most: number): string {
  const [unitMs, unit] = most >= LONG_MS ? [MINUTE_MS, 'minutes'] : [1000, 'seconds'];
  return `${Math.ceil(durationMs / unitMs)} of at most ${most / unitMs} ${unit}`;
}
