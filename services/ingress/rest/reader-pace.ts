import type { ServerResponse } from 'node:http';
import type { Cancel, Clock } from '#ports/clock.ts';

/**
 * The least that a reader takes in each stretch, or it holds a place that others could use: half of what a poor mobile
 * link, 256 kbit/s, brings.
 */
export const MIN_BYTES_PER_SECOND = 16 * 1024;
/**
 * Long enough for kernels to tell of what such a reader took: a full buffer is told of only when a third of it is free.
 */
export const PACE_WINDOW_MS = 30_000;

/**
 * Ends the response of a reader that is too slow, and tells of it. A response that waits for the file, and not for its
 * reader, goes on.
 */
export function enforceReaderPace(response: ServerResponse, clock: Clock, onCutOff: () => void): Cancel {
  const taken = (): number => response.socket?.bytesWritten ?? 0;
  let before = taken();
  let cancel: Cancel = () => {};
  const arm = (): void => void (cancel = clock.after(PACE_WINDOW_MS, look));
  const look = (): void => {
    if (response.destroyed) return;
    if (response.writableNeedDrain && taken() - before < (MIN_BYTES_PER_SECOND * PACE_WINDOW_MS) / 1000) {
      onCutOff();
      response.destroy();
      return;
    }
    before = taken();
    arm();
  };
  arm();
  return () => cancel();
}
