import type { ServerResponse } from 'node:http';
import { bytesIn, MIN_CLIENT_PACE } from '#media/min-pace.ts';
import type { Cancel, Clock } from '#ports/clock.ts';

const { bytesPerSecond, windowMs } = MIN_CLIENT_PACE;

/**
 * Ends the response to a reader below the minimum pace, and calls `onCutOff`. A response that waits for the file, and
 * not for its reader, goes on.
 */
export function enforceReaderPace(response: ServerResponse, clock: Clock, onCutOff: () => void): Cancel {
  const taken = (): number => response.socket?.bytesWritten ?? 0;
  let before = taken();
  let cancel: Cancel = () => {};
  const arm = (): void => void (cancel = clock.after(windowMs, look));
  const look = (): void => {
    if (response.destroyed) return;
    if (response.writableNeedDrain && taken() - before < bytesIn(windowMs, bytesPerSecond)) {
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
