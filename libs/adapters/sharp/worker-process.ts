import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PortError } from '#ports/errors.ts';
import { codeIn, confinedTo } from '../child-process/confinement.ts';
import type { FedEnd } from '../child-process/feed-file.ts';
import { launcher, type StartedProgram } from '../child-process/launcher.ts';
import { GIVING_WAY, GIVING_WAY_TO_OTHERS, type ProgramEnd } from '../child-process/process-group.ts';
import { AnswerReader, type ReadAnswer } from './answer-reader.ts';
import type { PictureJob } from './picture-job.ts';

const WORKER = fileURLToPath(new URL('./picture-worker.ts', import.meta.url));
/** The folder of packages in which sharp lies, and what it needs beside it. */
const PACKAGES = fileURLToPath(import.meta.resolve('sharp')).replace(/(?<=\/node_modules\/)sharp\/.*$/, '');
/** The code of the worker. It gets the bytes of its picture, and can open no file of ours. */
const REACH = { reads: [...codeIn(new URL('.', import.meta.url)), PACKAGES], writes: [] };
/**
 * In KiB, and in seconds of the processor; a limit that can't be set is higher than the one in force. When memory runs
 * out, the decoder fails or the process ends.
 */
const SCRIPT = `ulimit -d "$1" 2>/dev/null || :; ulimit -t "$2" 2>/dev/null || :; ulimit -c 0; ulimit -f 0; shift 2; exec "$@"`;
/** A decoder works in one thread, beside those of Node. */
const THREADS = 2;
/** A worker that has worked for so long takes no further picture: its limit of processor time counts all of them. */
const MAX_WORK_MS = 60_000;
/**
 * Most pictures take less time. The worker of one that takes longer lowers its priority, so that a short picture of
 * another Workspace does not share the processors with it as an equal.
 */
const LONG_MS = 50;
/** The report that a worker was given all of its picture takes another way than its answer, and may come behind it. */
const REPORTED_WITHIN_MS = 1_000;

export type WorkerAnswer =
  | ReadAnswer
  /** The process ended by a fault of its own while it worked, or wrote what no answer is: the file caused it. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'late' }
  /** Another process killed it, or it could not be started. */
  | { readonly kind: 'killed'; readonly by: string };

const OWN_FAULTS: ReadonlySet<string> = new Set([
  'SIGABRT',
  'SIGSEGV',
  'SIGBUS',
  'SIGILL',
  'SIGTRAP',
  'SIGFPE',
  'SIGSYS',
]);

export interface WorkerLimits {
  readonly memoryBytes: number;
  readonly timeMs: number;
  /** It is for a Workspace that has a picture in work already, and gives way to workers of others. Default: false. */
  readonly isFurther?: boolean;
  /** Of a picture that takes longer, the worker lowers its priority. Default: 100. */
  readonly longMs?: number | undefined;
  /** The program of the process; a test gives one that does what a file might make a decoder do. */
  readonly program?: string;
}

/**
 * One process that works on the pictures of one Workspace, one after the other, in a process group of its own, without
 * our environment, confined by the kernel, in bounded memory. One that a picture takes over meets no picture of another
 * Workspace.
 *
 * Modes: idle, at work, gone. `run` leads from idle to at work. Its end leads back to idle when the process did as it
 * was asked and has time left, else to gone, which is final; so do `end` and the end of the process. While idle it does
 * not keep the event loop alive.
 */
export class WorkerProcess {
  #mode: 'idle' | 'at work' | 'gone' = 'idle';
  #workspaceId: string | null = null;
  #workedMs = 0;
  /** Takes what the process writes while it is at work. */
  #onOutput: ((chunk: Buffer) => void) | null = null;
  readonly #timeMs: number;
  readonly #longMs: number;
  readonly #started: StartedProgram;
  /** Null where the process ended before it came. */
  readonly #stdout: Promise<Socket | null>;
  readonly #ended: Promise<WorkerAnswer>;

  constructor({ memoryBytes, timeMs, isFurther = false, longMs = LONG_MS, program = WORKER }: WorkerLimits) {
    this.#timeMs = timeMs;
    this.#longMs = longMs;
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', program];
    const seconds = Math.ceil(((timeMs + MAX_WORK_MS) / 1000) * THREADS) + 10;
    const limits = [Math.floor(memoryBytes / 1024), seconds].map(String);
    const words = ['/bin/sh', '-c', SCRIPT, 'limited', ...limits, ...confinedTo(REACH), ...node];
    this.#started = launcher.start(words, isFurther ? GIVING_WAY_TO_OTHERS : GIVING_WAY);
    this.#started.unref();
    this.#stdout = this.#started.stdout.then((stdout) => {
      if (stdout !== null) this.#hear(stdout);
      return stdout;
    });
    this.#ended = this.#started.ended.then((end) => {
      this.#mode = 'gone';
      return answerOf(end);
    });
  }

  get isGone(): boolean {
    return this.#mode === 'gone';
  }

  get isIdle(): boolean {
    return this.#mode === 'idle';
  }

  /** The Workspace whose pictures it has seen; null before the first. */
  get workspaceId(): string | null {
    return this.#workspaceId;
  }

  /**
   * Works on the picture of the Workspace that is in the file at `path`. Rejects with the signal's reason when aborted,
   * and with `PortError` `unavailable` where the file can't be read; then, and when the process did not answer as
   * asked, the process is gone.
   */
  async run(workspaceId: string, job: PictureJob, path: string, signal?: AbortSignal): Promise<WorkerAnswer> {
    if (this.#mode !== 'idle') throw new Error(`a worker that is ${this.#mode} was given a job`);
    if (this.#workspaceId !== null && this.#workspaceId !== workspaceId)
      throw new Error('a worker was given the picture of another Workspace');
    signal?.throwIfAborted();
    this.#mode = 'at work';
    this.#workspaceId = workspaceId;
    this.#started.ref();
    const from = performance.now();
    let isSound = false;
    try {
      const fed = this.#started.feed({ line: `${JSON.stringify(job)}\n`, path, bytes: job.bytes });
      const answer = await this.#answerTo(job, fed, signal);
      signal?.throwIfAborted();
      this.#workedMs += performance.now() - from;
      // One that answered before it had all of its picture would take the rest for the next one.
      isSound = SOUND.has(answer.kind) && this.#workedMs < MAX_WORK_MS && (await isWhole(fed));
      return answer;
    } finally {
      if (isSound) this.#rest();
      else await this.end();
    }
  }

  /** Resolves when no process of the group is left. */
  async end(): Promise<void> {
    this.#mode = 'gone';
    // The idle process did not keep the event loop alive; its end is awaited, so it has to.
    this.#started.ref();
    this.#started.kill();
    await this.#ended;
    (await this.#stdout)?.destroy();
  }

  #hear(stdout: Socket): void {
    stdout.on('error', () => undefined);
    stdout.on('data', (chunk: Buffer) => {
      if (this.#onOutput !== null) return this.#onOutput(chunk);
      // It speaks without being asked: a picture took it over.
      void this.end();
    });
    // Its launcher keeps the event loop alive while the process is at work.
    stdout.unref();
  }

  #rest(): void {
    if (this.#mode !== 'at work') return;
    this.#mode = 'idle';
    this.#started.unref();
  }

  #answerTo(job: PictureJob, fed: Promise<FedEnd>, signal: AbortSignal | undefined): Promise<WorkerAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
    const reader = new AnswerReader(job.kind === 'make' ? job.target.maxBytes : 0);
    const late = setTimeout(() => resolve({ kind: 'late' }), this.#timeMs);
    const long = setTimeout(() => this.#started.giveWay(GIVING_WAY_TO_OTHERS), this.#longMs);
    const onAbort = () => resolve({ kind: 'late' });
    signal?.addEventListener('abort', onAbort, { once: true });
    void this.#ended.then(resolve);
    void fed.then((end) => {
      if (typeof end === 'object') reject(new PortError('unavailable', end.unreadable));
    });
    this.#onOutput = (chunk) => {
      const answer = reader.take(chunk);
      if (answer !== null) resolve(answer === 'broken' ? { kind: 'broken' } : answer);
    };
    return promise.finally(() => {
      for (const timer of [late, long]) clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      this.#onOutput = null;
    });
  }
}

async function isWhole(fed: Promise<FedEnd>): Promise<boolean> {
  return (await Promise.race([fed, sleep(REPORTED_WITHIN_MS, null, { ref: false })])) === 'whole';
}

/** The answers of a worker that did as it was asked. */
const SOUND: ReadonlySet<WorkerAnswer['kind']> = new Set<WorkerAnswer['kind']>(['seen', 'fits', 'made', 'refused']);

function answerOf({ code, by }: ProgramEnd): WorkerAnswer {
  if (by !== null && OWN_FAULTS.has(by)) return { kind: 'broken' };
  return { kind: 'killed', by: by ?? `its own end, ${code}` };
}
