import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { bytesIn, MIN_CLIENT_PACE } from '#media/min-pace.ts';
import type { Clock } from '#ports/clock.ts';

/** `broken`: the connection ended first, and no answer can be sent. */
export type Shortcoming = 'too-long' | 'too-short' | 'too-slow' | 'too-late' | 'broken';

/** The request's body is not the file that was announced. */
export class FileMismatch extends Error {
  override readonly name = 'FileMismatch';
  readonly why: Shortcoming;

  constructor(why: Shortcoming) {
    super(`the file came ${why}`);
    this.why = why;
  }
}

export interface ExpectedFile {
  readonly bytes: number;
  /** The last instant at which it may still come. */
  readonly until: number;
}

/**
 * A client is also too slow if it has sent less than this part of what an even pace to the end of its upload window
 * would have brought by now.
 */
const MIN_OF_EVEN_PACE = 0.5;

/**
 * The request's body as a stream that ends when exactly the expected bytes have come, and fails with `FileMismatch`
 * otherwise. Nothing is read ahead of the reader: what it does not take waits in the client. The request itself is not
 * destroyed, so that it can still be answered.
 */
export function incomingFile(request: IncomingMessage, expected: ExpectedFile, clock: Clock): Readable {
  const pace = new UploadPace(expected, clock);
  let bytes = 0;
  const file = new Readable({
    read: () => {
      pace.open();
      request.resume();
    },
    destroy: (error, callback) => {
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      cancel();
      callback(error);
    },
  });
  const fail = (why: Shortcoming): void => void file.destroy(new FileMismatch(why));
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > expected.bytes) return fail('too-long');
    if (!file.push(chunk)) {
      pace.close();
      request.pause();
    }
  };
  const onEnd = (): void => void (bytes === expected.bytes ? file.push(null) : fail('too-short'));
  const onBroken = (): void => void (request.complete || fail('broken'));
  const look = (): void => {
    if (clock.now() >= expected.until) return fail('too-late');
    if (pace.isTooSlow(bytes)) return fail('too-slow');
    arm();
  };
  const arm = (): void => {
    cancel = clock.after(Math.max(0, Math.min(MIN_CLIENT_PACE.windowMs, expected.until - clock.now())), look);
  };
  let cancel = (): void => {};
  arm();
  // The store may not listen yet when it breaks off, and learns of the failure when it begins to read.
  file.on('error', () => {});
  request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  request.pause();
  if (request.destroyed && !request.complete) fail('broken');
  return file;
}

/** How fast a file comes, counting only the time in which the store takes it. */
class UploadPace {
  readonly #evenBytesPerMs: number;
  readonly #clock: Clock;
  #openMs = 0;
  #openSince: number | null = null;
  #openMsBefore = 0;
  #bytesBefore = 0;

  constructor({ bytes, until }: ExpectedFile, clock: Clock) {
    this.#evenBytesPerMs = bytes / Math.max(1, until - clock.now());
    this.#clock = clock;
  }

  /** From now on the store takes what comes. */
  open(): void {
    this.#openSince ??= this.#clock.monotonic();
  }

  /** From now on the store takes nothing. */
  close(): void {
    this.#openMs = this.#openNow();
    this.#openSince = null;
  }

  /** Judges the stretch since the last call, and all that has come. `bytes`: how many have come in all. */
  isTooSlow(bytes: number): boolean {
    const openMs = this.#openNow();
    const least = bytesIn(openMs - this.#openMsBefore, MIN_CLIENT_PACE.bytesPerSecond);
    const isTooSlow = bytes - this.#bytesBefore < least || bytes < MIN_OF_EVEN_PACE * this.#evenBytesPerMs * openMs;
    this.#openMsBefore = openMs;
    this.#bytesBefore = bytes;
    return isTooSlow;
  }

  #openNow(): number {
    return this.#openMs + (this.#openSince === null ? 0 : this.#clock.monotonic() - this.#openSince);
  }
}
