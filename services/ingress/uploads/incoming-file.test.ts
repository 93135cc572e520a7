import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { MIN_CLIENT_PACE } from '#media/min-pace.ts';
import { incomingFile, FileMismatch } from './incoming-file.ts';

const WINDOW_MS = 900_000;
const SECOND = 1_000;
const PIECE = Buffer.alloc(64 * 1024);

interface Sending {
  readonly bytes: number;
  /** Bytes that come in the second `n`. */
  readonly bytesIn: (n: number) => number;
  readonly windowMs?: number;
  /** Whether the store takes what comes in the second `n`. */
  readonly isTaken?: (n: number) => boolean;
}

/** How a file ends that comes as said, and in which second. */
async function send({
  bytes,
  bytesIn,
  windowMs = WINDOW_MS,
  isTaken = () => true,
}: Sending): Promise<{ readonly end: string; readonly second: number }> {
  const clock = createMemoryClock();
  const request = Object.assign(new PassThrough({ highWaterMark: 4 * 1024 * 1024 }), { complete: false });
  const file = incomingFile(request as unknown as IncomingMessage, { bytes, until: clock.now() + windowMs }, clock);
  let end: string | null = null;
  file
    .on('error', (error) => (end = error instanceof FileMismatch ? error.why : String(error)))
    .on('end', () => (end = 'whole'));
  let left = bytes;
  for (let second = 0; second * SECOND <= windowMs; second++) {
    for (let now = Math.min(left, Math.round(bytesIn(second))); now > 0; now -= PIECE.length) {
      const piece = PIECE.subarray(0, Math.min(now, PIECE.length));
      left -= piece.length;
      request.write(piece);
      await taken(file, isTaken(second));
    }
    request.complete = left === 0;
    if (left === 0) request.end();
    await taken(file, isTaken(second));
    if (end !== null) return { end, second };
    await clock.advance(SECOND);
    if (end !== null) return { end, second: second + 1 };
  }
  return { end: end ?? 'still coming', second: windowMs / SECOND };
}

/** What has come goes to the store, or waits where it is. */
async function taken(file: Readable, isTaken: boolean): Promise<void> {
  for (let turns = 0; turns < 3; turns++) {
    if (isTaken) while (file.read() !== null);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const KBIT = 1_000 / 8;
const even = (bytesPerSecond: number) => () => bytesPerSecond;

test.each<[what: string, sending: Sending, end: string]>([
  [
    'a mobile uplink of 256 kbit/s with as much as fits its window',
    { bytes: 28_000_000, bytesIn: even(256 * KBIT) },
    'whole',
  ],
  [
    'one of 256 kbit/s that is silent for twelve seconds of every thirty',
    { bytes: 10_000_000, bytesIn: (n) => (n % 30 < 12 ? 0 : 256 * KBIT) },
    'whole',
  ],
  ['500 MB at 5 Mbit/s', { bytes: 500_000_000, bytesIn: even(5_000 * KBIT) }, 'whole'],
  [
    '100 MB that come slowly at first, and then as fast as must be',
    { bytes: 100_000_000, bytesIn: (n) => (n < 300 ? 60_000 : 150_000) },
    'whole',
  ],
  ['a few bytes at once', { bytes: 27, bytesIn: even(27) }, 'whole'],
  [
    'a file that its store takes only after two minutes',
    { bytes: 500_000, bytesIn: (n) => (n === 0 ? 500_000 : 0), isTaken: (n) => n >= 120 },
    'whole',
  ],
])('%s comes in', async (_what, sending, end) => {
  expect((await send(sending)).end).toBe(end);
});

test.each<[what: string, sending: Sending, second: number]>([
  [
    'sends 33 KB in each stretch of half a minute',
    { bytes: 1_000_000, bytesIn: (n) => (n % 30 === 0 ? 33_000 : 0) },
    30,
  ],
  ['sends a few bytes and stops', { bytes: 27, bytesIn: (n) => (n === 0 ? 5 : 0) }, 30],
  [
    'sends nearly all at once, then next to nothing',
    { bytes: 14_000_000, bytesIn: (n) => (n === 0 ? 13_900_000 : 100) },
    60,
  ],
  ['has 2 GB to send, and does so at 2 Mbit/s', { bytes: 2_147_483_648, bytesIn: even(2_000 * KBIT) }, 30],
  [
    'begins so late that it can not be whole in time',
    { bytes: 28_000_000, bytesIn: even(256 * KBIT), windowMs: 300_000 },
    30,
  ],
])('a client that %s is cut off', async (_what, sending, second) => {
  expect(await send(sending)).toEqual({ end: 'too-slow', second });
  expect(second * SECOND).toBeLessThanOrEqual(2 * MIN_CLIENT_PACE.windowMs);
});

test.each<[what: string, isComplete: boolean, end: string]>([
  ['whose request ends before all of it has come', true, 'too-short'],
  ['whose connection ends before all of it has come', false, 'broken'],
])('a file %s is not whole', async (_what, isComplete, end) => {
  const clock = createMemoryClock();
  const request = Object.assign(new PassThrough(), { complete: isComplete });
  const expected = { bytes: 27, until: clock.now() + WINDOW_MS };
  const file = incomingFile(request as unknown as IncomingMessage, expected, clock);
  const ended = new Promise((resolve) => {
    file.on('error', (error) => resolve(error instanceof FileMismatch ? error.why : error));
    file.on('end', () => resolve('whole'));
  });
  request.write(Buffer.alloc(26));
  await taken(file, true);
  if (isComplete) request.end();
  else request.destroy();
  await taken(file, true);
  expect(await ended).toBe(end);
});
