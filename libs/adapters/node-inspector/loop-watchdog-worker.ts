import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import { LOOK, QUIET, type BlockedLoop, type LookAtLoop, type WatchedLoop } from './watched-loop.ts';

// The thread of the watchdog. A look: connected -> the loop answers, in the midst of what it is at -> disconnected.

type Culprit = Omit<BlockedLoop, 'blockedMs'>;

const UNKNOWN: Culprit = { work: 'unknown', workspaceId: null, key: null, stack: null };
const MAX_FRAMES = 12;
/** A loop that is in native code answers only when that ends. */
const MAX_LOOK_MS = 5_000;
/** Before a process is ended, it is looked at once more, so that its last line names what blocks it. */
const LAST_LOOK_MS = 2 * MAX_LOOK_MS;
const STDERR = 2;
/** Machines pause a process for less. */
const WAITS_MS = 100;
const ASK = `globalThis[Symbol.for(${JSON.stringify(LOOK)})]?.() ?? null`;

const { beats, beatMs, blockedMs, betweenLooksMs, endAfterMs, origin } = workerData as WatchedLoop;
const processorMs = openProcessor();
let wokenAt = now();
let lookedAt = wokenAt - betweenLooksMs;
/** The last beat that was seen, and how long the loop's thread had a processor until then, in ms. */
let seenBeat = 0;
let hadProcessorMs = 0;
let blockedSince: number | null = null;
/** For how long this thread has seen the loop blocked: not while the machine, or the whole process, stood still. */
let seenBlockedMs = 0;
let culprit: Culprit = UNKNOWN;
let endLook: (() => void) | null = null;

setInterval(watch, beatMs);

function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

function lastBeat(): number {
  return Number(Atomics.load(beats, 0)) / 1e6;
}

function watch(): void {
  const at = now();
  if (Atomics.load(beats, 0) === QUIET && blockedSince === null) {
    // The thread sleeps until the first beat.
    Atomics.wait(beats, 0, QUIET);
    wokenAt = now();
    return;
  }
  // Of a machine that was paused, or is far too busy, this thread is late as well.
  const isLate = at - wokenAt > beatMs + blockedMs;
  const passedMs = isLate ? 0 : at - wokenAt;
  wokenAt = at;
  const beat = lastBeat();
  if (blockedSince === null) {
    if (!isBlocked(at, beat, isLate)) return;
    blockedSince = beat;
    seenBlockedMs = 0;
    culprit = UNKNOWN;
    if (at - lookedAt >= betweenLooksMs) look();
  } else if (beat !== blockedSince) {
    endLook?.();
    const blocked: BlockedLoop = { ...culprit, blockedMs: Math.round(beat - blockedSince - beatMs) };
    blockedSince = null;
    parentPort!.postMessage(blocked);
  } else {
    seenBlockedMs += passedMs;
    if (culprit.stack === null && endLook === null && endAfterMs - seenBlockedMs < LAST_LOOK_MS) look();
    if (seenBlockedMs >= endAfterMs) endProcess(Math.round(at - beat));
  }
}

/**
 * Soon, where the loop's thread had a processor since the beat: a busy machine takes it away for as long as any work
 * takes. Later without that, as a loop may wait for a disk, and as some systems do not tell.
 */
function isBlocked(at: number, beat: number, isLate: boolean): boolean {
  const hadMs = processorMs?.() ?? null;
  if (beat !== seenBeat) {
    seenBeat = beat;
    hadProcessorMs = hadMs ?? 0;
    return false;
  }
  if (!isLate && at - beat >= beatMs + WAITS_MS) return true;
  return hadMs !== null && at - beat >= beatMs + blockedMs && hadMs - hadProcessorMs >= blockedMs;
}

/** In the form of the log: the reporter of the process lives in the blocked thread. */
const lastLine = {
  report: (event: string, facts: BlockedLoop): void => {
    const line = { level: 'error', time: new Date().toISOString(), ...origin, ...facts, event };
    writeSync(STDERR, `${JSON.stringify(line)}\n`);
  },
};

/**
 * Ends a process whose event loop is blocked for good: it answers no request and publishes nothing, but keeps its
 * partitions and connections. SIGTERM is no use, as its handler runs on the blocked loop; SIGKILL and not SIGABRT, as
 * a core dump would hold the secrets of the process.
 */
function endProcess(forMs: number): void {
  try {
    lastLine.report('event-loop-stuck', { ...culprit, blockedMs: forMs });
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** Asks the loop what it is at. The question interrupts it for about a millisecond, and finds it within its work. */
function look(): void {
  lookedAt = now();
  const session = new Session();
  const late = setTimeout(end, MAX_LOOK_MS);
  endLook = end;
  function end(): void {
    clearTimeout(late);
    endLook = null;
    session.disconnect();
  }
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: ASK, silent: true }, (error, answer) => {
    if (endLook !== end) return;
    if (error === null && typeof answer.result.value === 'string') culprit = culpritOf(answer.result.value);
    end();
  });
}

/** `UNKNOWN` of a loop that had turned again when it answered, or is in files of Node alone. */
function culpritOf(text: string): Culprit {
  const { beat, about, stack } = JSON.parse(text) as LookAtLoop;
  const frames = framesOf(stack);
  const own = frames.findIndex(({ file }) => !file.startsWith('node:'));
  if (own === -1 || beat !== blockedSince || frames[own]!.name === 'beatOfLoop') return UNKNOWN;
  const { work = 'unknown', workspaceId = null, key = null } = about ?? {};
  const texts = frames.slice(own, own + MAX_FRAMES).map(({ name, file, line }) => `${name} (${file}:${line})`);
  return { work, workspaceId, key, stack: texts.join(' < ') };
}

interface Frame {
  readonly name: string;
  /** With two folders above it. */
  readonly file: string;
  readonly line: string;
}

/** Those behind the question itself, the innermost first. */
function framesOf(stack: string): readonly Frame[] {
  const frames = stack.split('\n').flatMap((text): Frame[] => {
    const [, name = '(anonymous)', file, line] = /^ +at (?:(.+) \()?(.+?):(\d+):\d+\)?$/.exec(text) ?? [];
    return file === undefined ? [] : [{ name, file: file.split('/').slice(-3).join('/'), line: line! }];
  });
  return frames.slice(frames.findIndex(({ file }) => file === '<anonymous>') + 1);
}

/** How long the main thread had a processor so far, in ms; null: the system does not tell. */
function openProcessor(): (() => number) | null {
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const bytes = Buffer.alloc(64);
    const hadMs = (): number => {
      const text = bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0));
      return Number(text.split(' ')[0]) / 1e6;
    };
    if (hadMs() > 0) return hadMs;
    closeSync(file);
    return null;
  } catch {
    return null;
  }
}
