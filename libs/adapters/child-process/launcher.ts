import { fork, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FedEnd, FedFile } from './feed-file.ts';
import type { LaunchReport, LaunchRequest } from './launch-messages.ts';
import type { LimitedProgram, LimitedRun, LimitedRunResult } from './limited-program.ts';
import { BARE_ENVIRONMENT, killGroup, type ProgramEnd } from './process-group.ts';

const PROGRAM = fileURLToPath(new URL('./launcher-program.ts', import.meta.url));
/** It holds little but the output of programs that are at work. */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1'];

/** A program that is fed files, and whose standard output we read. It leads a process group. */
export interface StartedProgram {
  /** Its standard output; null where it could not be started, or ended before that came. */
  readonly stdout: Promise<Socket | null>;
  readonly ended: Promise<ProgramEnd>;
  /**
   * Has the launcher write a file to its standard input, so that no byte of it passes through our event loop. Does not
   * settle where the program ends before. One at a time.
   */
  feed(file: FedFile): Promise<FedEnd>;
  /** Lowers its priority, to `by` below ours. */
  giveWay(by: number): void;
  /** Kills it with all processes that it started. Harmless when they are gone. */
  kill(): void;
  /** Whether it keeps the event loop alive until it ends. At first it does. */
  ref(): void;
  unref(): void;
}

/** Receives the launcher's reports about one program, or why the launcher ended before that program did. */
interface Waiting {
  onReport(report: LaunchReport, stream: Socket | undefined): void;
  onLost(why: string): void;
}

/**
 * Starts the programs that open files of strangers, from a small process that does nothing else. The start of a program
 * copies the page tables of the process that asks for it, and meanwhile none of that one's threads may write to a page:
 * at 500 MB, each start held the event loop of the server for 26 ms (ADR 0074). The launcher is started with
 * the first program, and again where it was lost; the programs of one that is lost end with it.
 *
 * While no program is at work that keeps it, it does not keep the event loop alive.
 */
export class Launcher {
  #process: ChildProcess | null = null;
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();
  readonly #keeping = new Set<number>();

  /** As `startLimited` (limited-program.ts). A program whose launcher was lost counts as killed. */
  run(program: LimitedProgram, onLine?: (line: string) => void): LimitedRun {
    const id = ++this.#lastId;
    const { promise: result, resolve } = Promise.withResolvers<LimitedRunResult>();
    const end = (result: LimitedRunResult): void => {
      this.#forget(id);
      resolve(result);
    };
    this.#waiting.set(id, {
      onReport: (report) => {
        if (report.kind === 'line') onLine?.(report.line);
        if (report.kind === 'result') end(report.result);
      },
      onLost: (by) => end({ kind: 'killed', by }),
    });
    this.#ask({ kind: 'run', id, program, isReadByLine: onLine !== undefined });
    this.#keep(id);
    return { result, kill: () => this.#askIfRunning({ kind: 'kill', id }) };
  }

  /**
   * Starts a program, by its path and what follows it, without our environment and without standard error; its
   * priority is lower than ours by `givesWayBy`.
   */
  start(words: readonly string[], givesWayBy: number): StartedProgram {
    const id = ++this.#lastId;
    const stdout = Promise.withResolvers<Socket | null>();
    const ended = Promise.withResolvers<ProgramEnd>();
    let pid: number | undefined;
    let onFed: ((end: FedEnd) => void) | undefined;
    const end = (end: ProgramEnd): void => {
      this.#forget(id);
      stdout.resolve(null);
      ended.resolve(end);
    };
    this.#waiting.set(id, {
      onReport: (report, stream) => {
        if (report.kind === 'ended') end(report.end);
        if (report.kind === 'fed') onFed?.(report.end);
        if (report.kind !== 'started') return;
        pid = report.pid;
        stdout.resolve(stream ?? null);
      },
      onLost: (by) => {
        killGroup({ pid });
        end({ code: null, by });
      },
    });
    this.#ask({ kind: 'start', id, words, givesWayBy });
    this.#keep(id);
    return {
      stdout: stdout.promise,
      ended: ended.promise,
      feed: (file) => {
        const { promise, resolve } = Promise.withResolvers<FedEnd>();
        onFed = resolve;
        this.#askIfRunning({ kind: 'feed', id, file });
        return promise;
      },
      giveWay: (by) => this.#askIfRunning({ kind: 'give way', id, by }),
      kill: () => this.#askIfRunning({ kind: 'kill', id }),
      ref: () => this.#keep(id),
      unref: () => this.#release(id),
    };
  }

  #ask(request: LaunchRequest): void {
    const launcher = (this.#process ??= this.#begin());
    // A request to a launcher that has ended is dropped: its `exit` event ends every program that waits for a report.
    launcher.send(request, () => undefined);
  }

  #askIfRunning(request: Extract<LaunchRequest, { kind: 'feed' | 'give way' | 'kill' }>): void {
    if (this.#waiting.has(request.id)) this.#ask(request);
  }

  #begin(): ChildProcess {
    const launcher = fork(PROGRAM, [], {
      // A group of its own: the terminal's interrupt asks the server to stop, which lets its programs finish.
      detached: true,
      env: BARE_ENVIRONMENT,
      execArgv: NODE_FLAGS,
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    });
    launcher.on('message', (message, stream) => {
      const report = message as LaunchReport;
      const waiting = this.#waiting.get(report.id);
      if (waiting === undefined) (stream as Socket | undefined)?.destroy();
      else waiting.onReport(report, stream as Socket | undefined);
    });
    const lose = (why: string): void => {
      if (this.#process !== launcher) return;
      this.#process = null;
      for (const waiting of [...this.#waiting.values()]) waiting.onLost(`the process that starts programs ${why}`);
    };
    launcher.once('error', (error) => lose(`failed: ${error.message}`));
    launcher.once('exit', (code, by) => lose(`ended with ${by ?? code}`));
    const stdin = launcher.stdin as Socket | null;
    // Nothing is written to it: its end tells the launcher that we are gone.
    stdin?.on('error', () => undefined);
    stdin?.unref();
    launcher.unref();
    launcher.channel?.unref();
    return launcher;
  }

  #forget(id: number): void {
    this.#release(id);
    this.#waiting.delete(id);
  }

  #keep(id: number): void {
    if (!this.#waiting.has(id)) return;
    this.#keeping.add(id);
    this.#process?.ref();
    this.#process?.channel?.ref();
  }

  #release(id: number): void {
    if (!this.#keeping.delete(id) || this.#keeping.size > 0) return;
    this.#process?.unref();
    this.#process?.channel?.unref();
  }
}

/** Of this process. */
export const launcher = new Launcher();
