import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '#ports/clock.ts';

/** `broken`: the connection ended first, and nobody is left to answer. */
export type Shortcoming = 'too-long' | 'too-short' | 'too-slow' | 'too-late' | 'broken';

/** The request's body is not the file that was announced. */
export class NotTheFile extends Error {
  override readonly name = 'NotTheFile';
  readonly why: Shortcoming;

  constructor(why: Shortcoming) {
    super(`the file came ${why}`);
    this.why = why;
  }
}

export interface Expected {
  readonly bytes: number;
  /** The last instant at which it may still come. */
  readonly until: number;
}

/** A client that sends less than this in each stretch holds a place that others could use. */
export const LEAST_BYTES = 32 * 1024;
export const STRETCH_MS = 30_000;

/**
 * The request's body as a stream that ends when exactly the expected bytes have come, and fails with `NotTheFile` otherwise. Nothing is
 * read ahead of who reads it: what is not taken waits in the client. The request itself is left alone, so that it can still be answered.
 */
export function incomingFile(request: IncomingMessage, expected: Expected, clock: Clock): Readable {
  let bytes = 0;
  let before = 0;
  let waiting = false;
  const file = new Readable({
    read: () => {
      waiting = false;
      request.resume();
    },
    destroy: (error, callback) => {
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      cancel();
      callback(error);
    },
  });
  const fail = (why: Shortcoming): void => void file.destroy(new NotTheFile(why));
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > expected.bytes) return fail('too-long');
    if (!file.push(chunk)) {
      waiting = true;
      request.pause();
    }
  };
  const onEnd = (): void => void (bytes === expected.bytes ? file.push(null) : fail('too-short'));
  const onBroken = (): void => void (request.complete || fail('broken'));
  const look = (): void => {
    if (clock.now() >= expected.until) return fail('too-late');
    if (!waiting && bytes - before < LEAST_BYTES) return fail('too-slow');
    before = bytes;
    arm();
  };
  const arm = (): void => {
    cancel = clock.after(Math.max(0, Math.min(STRETCH_MS, expected.until - clock.now())), look);
  };
  let cancel = (): void => {};
  arm();
  // Whoever stores it may not listen yet when it breaks off, and learns of it when it begins.
  file.on('error', () => {});
  request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  request.pause();
  if (request.destroyed && !request.complete) fail('broken');
  return file;
}
