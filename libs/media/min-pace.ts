/**
 * The minimum pace of a transfer: a client or an address below it holds what others could use, a permit or memory, and
 * is cut off.
 */
export interface Pace {
  readonly bytesPerSecond: number;
  /** Judged over stretches as long as this: shorter silences are normal. */
  readonly windowMs: number;
}

const KB = 1024;

/**
 * Of clients that send or read a file, or read any other answer: half of what a poor mobile link, 256 kbit/s, carries.
 * The window is long enough for kernels to report what such a reader took: a full buffer is reported only when a third
 * of it is free.
 */
export const MIN_CLIENT_PACE: Pace = { bytesPerSecond: 16 * KB, windowMs: 30_000 };
/** Of addresses that files are fetched from: those are servers. */
export const MIN_ADDRESS_PACE: Pace = { bytesPerSecond: 32 * KB, windowMs: 30_000 };

/** What a transfer at this pace brings in so long. */
export function bytesIn(ms: number, bytesPerSecond: number): number {
  return (bytesPerSecond * ms) / 1000;
}
