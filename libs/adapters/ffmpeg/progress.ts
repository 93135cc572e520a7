/**
 * Reads ffmpeg's report of progress, line by line: the share of `durationMs` that is written, from 0 to 1, never
 * decreasing.
 */
export function progressReader(
  durationMs: number,
  onProgress: ((done: number) => void) | undefined,
): (line: string) => void {
  let reported = 0;
  return (line) => {
    const [name, value] = line.split('=');
    // The value is in microseconds, although the older field name says milliseconds.
    if (onProgress === undefined || (name !== 'out_time_us' && name !== 'out_time_ms')) return;
    const done = Math.min(1, Number(value) / 1000 / durationMs);
    if (!(done > reported)) return;
    reported = done;
    onProgress(done);
  };
}
