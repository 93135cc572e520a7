import { writeSync } from 'node:fs';
import { Session, type Debugger } from 'node:inspector';
import { parentPort, workerData } from 'node:worker_threads';
import { QUIET, WORK_IN_HAND, type BlockedLoop, type WatchedLoop } from './watched-loop.ts';

// The thread of the watchdog. A look: connected -> the loop is paused (or turns again) -> resumed -> disconnected. An
// inspector that disconnects resumes the loop, so a loop never stays paused, even if this thread ends.

type Culprit = Omit<BlockedLoop, 'blockedMs'>;

const UNKNOWN: Culprit = { work: 'unknown', workspaceId: null, key: null, stack: null };
const MAX_FRAMES = 12;
/** A loop that is in native code pauses only when that ends. */
const MAX_LOOK_MS = 5_000;
/** Before a process is ended, it is looked at once more, so that its last line names what blocks it. */
const LAST_LOOK_MS = 2 * MAX_LOOK_MS;
const STDERR = 2;
const ASK = `JSON.stringify(globalThis[Symbol.for(${JSON.stringify(WORK_IN_HAND)})]?.() ?? null)`;

const { beats, beatMs, blockedMs, betweenLooksMs, endAfterMs, origin } = workerData as WatchedLoop;
let wokenAt = now();
let lookedAt = wokenAt;
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
    if (isLate || at - beat < beatMs + blockedMs) return;
    blockedSince = beat;
    seenBlockedMs = 0;
    culprit = UNKNOWN;
    if (at - lookedAt >= betweenLooksMs) look(beat);
  } else if (beat !== blockedSince) {
    endLook?.();
    const blocked: BlockedLoop = { ...culprit, blockedMs: Math.round(beat - blockedSince - beatMs) };
    blockedSince = null;
    parentPort!.postMessage(blocked);
  } else {
    seenBlockedMs += passedMs;
    if (culprit.stack === null && endLook === null && endAfterMs - seenBlockedMs < LAST_LOOK_MS) look(beat);
    if (seenBlockedMs >= endAfterMs) endProcess(Math.round(at - beat));
  }
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

/** Pauses the loop for as long as it takes to ask what it is at. */
function look(beat: number): void {
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
  const files = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => void files.set(scriptId, url));
  session.on('Debugger.paused', ({ params: { callFrames } }) => {
    // In files of Node, globals have other names; where there are no others, the loop turns again.
    const own = callFrames.findIndex(({ location }) => files.get(location.scriptId)?.startsWith('node:') === false);
    const frame = callFrames[own];
    if (frame === undefined || frame.functionName === 'beatOfLoop' || lastBeat() !== beat) return end();
    const { callFrameId } = frame;
    session.post('Debugger.evaluateOnCallFrame', { callFrameId, expression: ASK }, (error, answer) => {
      const { work = 'unknown', workspaceId = null, key = null } = aboutOf(error === null ? answer.result.value : null);
      const texts = callFrames.slice(own, own + MAX_FRAMES).map((each) => frameText(each, files));
      culprit = { work, workspaceId, key, stack: texts.join(' < ') };
      end();
    });
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
}

function aboutOf(text: unknown): Partial<Culprit> {
  return typeof text === 'string' ? ((JSON.parse(text) as Partial<Culprit> | null) ?? {}) : {};
}

function frameText({ functionName, location }: Debugger.CallFrame, files: ReadonlyMap<string, string>): string {
  const file = files.get(location.scriptId)?.split('/').slice(-3).join('/') ?? '';
  return `${functionName === '' ? '(anonymous)' : functionName} (${file}:${location.lineNumber + 1})`;
}
