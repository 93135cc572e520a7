import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { whenWorkBegins, workInHand } from '#concurrency/work-in-hand.ts';
import { LOOK, QUIET, type BlockedLoop, type LookAtLoop, type WatchedLoop } from './watched-loop.ts';

export interface LoopWatchdogOptions extends Partial<Omit<WatchedLoop, 'beats'>> {
  readonly onBlocked: (blocked: BlockedLoop) => void;
  /** The watching thread ended by a defect. */
  readonly onFailed: (error: unknown) => void;
}

const BEAT_MS = 10;
/** After this many beats in which no work began, the loop is quiet: neither thread wakes until work begins. */
const BEATS_UNTIL_QUIET = 200;
/** What no work of a tenant may take. Of a piece of 10 to 30 ms some are seen, as beats are watched every 10 ms. */
const BLOCKED_MS = 10;
/** A look takes the loop a millisecond, and its line a place in the log. */
const BETWEEN_LOOKS_MS = 5_000;
/** Far longer than any work takes, and than a liveness probe waits; without one, nothing else ends such a process. */
const END_AFTER_MS = 120_000;
const MEMORY_MB = 32;

/**
 * Notices when one piece of work keeps the event loop of this thread for long, and reports what it was while it goes
 * on: the stack, the route or job, and the Workspace. A thread of its own watches the beats of the loop, and when they
 * cease it asks the loop by the inspector, which interrupts what runs: after 10 ms in which the loop's thread had a
 * processor, or 100 in any case.
 *
 * new -> `start` -> quiet -> (named work begins) beating -> (none began for two seconds) quiet; `stop` -> ended.
 * While it is quiet neither thread wakes. After the watching thread ended by a defect nothing is watched.
 *
 * A loop that does not turn again for two minutes ends its process, whose last line on stderr, `event-loop-stuck`, says
 * what blocked it. Not where a debugger may stop the loop: in a process that was started with its inspector open.
 */
export class LoopWatchdog {
  readonly #options: LoopWatchdogOptions;
  #worker: Worker | null = null;
  #beating: NodeJS.Timeout | undefined;
  #beatsSinceWork = 0;

  constructor(options: LoopWatchdogOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const {
      onBlocked,
      onFailed,
      beatMs = BEAT_MS,
      blockedMs = BLOCKED_MS,
      betweenLooksMs = BETWEEN_LOOKS_MS,
      endAfterMs = inspectorUrl() === undefined ? END_AFTER_MS : Infinity,
      origin = {},
    } = this.#options;
    const beats = new BigInt64Array(new SharedArrayBuffer(8));
    Reflect.set(globalThis, Symbol.for(LOOK), () => lookAtLoop(beats));
    const store = (beat: bigint): void => void Atomics.store(beats, 0, beat);
    // Its name is looked for on the stack: there, the loop turns again.
    const beatOfLoop = (): void => {
      store(process.hrtime.bigint());
      if (++this.#beatsSinceWork < BEATS_UNTIL_QUIET) return;
      store(QUIET);
      this.#endBeating();
    };
    whenWorkBegins(() => {
      this.#beatsSinceWork = 0;
      if (this.#beating !== undefined || this.#worker === null) return;
      this.#beating = setInterval(beatOfLoop, beatMs).unref();
      store(process.hrtime.bigint());
      Atomics.notify(beats, 0);
    });
    const worker = new Worker(new URL('./loop-watchdog-worker.ts', import.meta.url), {
      workerData: { beats, beatMs, blockedMs, betweenLooksMs, endAfterMs, origin } satisfies WatchedLoop,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    worker.unref();
    worker.on('message', onBlocked);
    worker.on('error', onFailed);
    this.#worker = worker;
  }

  async stop(): Promise<void> {
    this.#endBeating();
    whenWorkBegins(() => {});
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #endBeating(): void {
    clearInterval(this.#beating);
    this.#beating = undefined;
  }
}

const STACK_FRAMES = 40;

/** Called by the watching thread, in the midst of what this one is at. */
function lookAtLoop(beats: WatchedLoop['beats']): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const beat = Number(Atomics.load(beats, 0)) / 1e6;
  return JSON.stringify({ beat, about: workInHand(), stack } satisfies LookAtLoop);
}
