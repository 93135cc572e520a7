import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BARE_ENVIRONMENT, GIVING_WAY, killGroup } from '../child-process/process-group.ts';
import type { PictureAnswer, PictureJob } from './picture-job.ts';

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));
/**
 * In KiB; a limit that can't be set is higher than the one in force. When memory runs out, the decoder fails or the
 * process ends.
 */
const SCRIPT = `ulimit -d "$1" 2>/dev/null || :; ulimit -c 0; shift; exec ${GIVING_WAY} "$@"`;

export type WorkerAnswer =
  | PictureAnswer
  /** The process ended by a fault of its own while it worked: the file caused it. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'late' }
  /** Another process killed it, or it could not be started. */
  | { readonly kind: 'killed'; readonly by: string };

const OWN_FAULTS: ReadonlySet<string> = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGTRAP', 'SIGFPE']);

/**
 * One process that works on pictures, in a process group of its own, without our environment, in bounded memory.
 *
 * Modes: idle, at work, gone. `run` leads from idle to at work, the answer back to idle; a signal, a deadline, its own
 * end or `end` lead to gone, which is final. It takes one job at a time. While idle it does not keep the event loop
 * alive.
 */
export class WorkerProcess {
  #mode: 'idle' | 'at work' | 'gone' = 'idle';
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(memoryBytes: number) {
    const node = [process.execPath, '--disable-warning=ExperimentalWarning', WORKER];
    const limit = String(Math.floor(memoryBytes / 1024));
    this.#child = spawn('/bin/sh', ['-c', SCRIPT, 'limited', limit, ...node], {
      detached: true,
      env: BARE_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.once('error', () => resolve());
    });
    void this.#ended.then(() => {
      this.#mode = 'gone';
    });
    this.#rest();
  }

  get isIdle(): boolean {
    return this.#mode === 'idle';
  }

  /** Rejects with the signal's reason when aborted; the process is then gone. */
  async run(job: PictureJob, timeMs: number, signal?: AbortSignal): Promise<WorkerAnswer> {
    if (this.#mode !== 'idle') throw new Error(`a worker that is ${this.#mode} was given a job`);
    signal?.throwIfAborted();
    this.#mode = 'at work';
    this.#child.ref();
    this.#child.channel?.ref();
    const answer = await this.#answerTo(job, timeMs, signal);
    if (answer.kind === 'late') await this.end();
    if (signal?.aborted === true) {
      await this.end();
      signal.throwIfAborted();
    }
    if (this.#mode === 'at work') {
      this.#mode = 'idle';
      this.#rest();
    }
    return answer;
  }

  /** Resolves when no process of the group is left. */
  async end(): Promise<void> {
    this.#mode = 'gone';
    // The idle process did not keep the event loop alive; its end is awaited, so it has to.
    this.#child.ref();
    killGroup(this.#child);
    if (this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined)
      await this.#ended;
  }

  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #answerTo(job: PictureJob, timeMs: number, signal: AbortSignal | undefined): Promise<WorkerAnswer> {
    return new Promise((resolve) => {
      const child = this.#child;
      const late = setTimeout(() => settle({ kind: 'late' }), timeMs);
      const onAbort = () => settle({ kind: 'late' });
      const onError = (error: Error) => settle({ kind: 'killed', by: error.message });
      const onExit = (code: number | null, by: NodeJS.Signals | null) => settle(endOf(code, by));
      const settle = (answer: WorkerAnswer): void => {
        clearTimeout(late);
        signal?.removeEventListener('abort', onAbort);
        child
          .off('message', settle as () => void)
          .off('error', onError)
          .off('exit', onExit);
        resolve(answer);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      child
        .once('message', settle as () => void)
        .once('error', onError)
        .once('exit', onExit);
      child.send(job, (error) => {
        if (error !== null) settle({ kind: 'killed', by: error.message });
      });
    });
  }
}

function endOf(code: number | null, by: NodeJS.Signals | null): WorkerAnswer {
  if (by !== null && OWN_FAULTS.has(by)) return { kind: 'broken' };
  return { kind: 'killed', by: by ?? `its own end, ${code}` };
}
