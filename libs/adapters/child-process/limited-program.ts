import type { ChildProcess } from 'node:child_process';
import { confinedTo, type Reach } from './confinement.ts';
import {
  giveWayFurther,
  GIVING_WAY,
  GIVING_WAY_AT_LENGTH,
  killGroup,
  spawnGroup,
  type ProgramEnd,
} from './process-group.ts';

export interface LimitedProgram {
  /** A path, or a name that is looked up in the usual folders for programs. */
  readonly program: string;
  readonly args: readonly string[];
  /** Files that it may touch. `unconfined`: a program that reads nothing of strangers. */
  readonly reach: Reach | 'unconfined';
  /** All memory that it allocates. An allocation above the limit fails, and the program ends. */
  readonly memoryBytes: number;
  readonly timeMs: number;
  /** After so long, its priority is lowered below that of programs that begin later. Default: ten seconds. */
  readonly longMs?: number;
  /**
   * Processor seconds for every second of `timeMs`. The kernel enforces it, also when this process is gone and its
   * timer with it.
   */
  readonly threads: number;
  /** The largest size of any file that it writes. */
  readonly fileBytes: number;
  /**
   * Characters of standard output that are kept until the program ends, or until a line is complete. Default: 4
   * million.
   */
  readonly outputBytes?: number;
}

export type LimitedRunResult =
  | { readonly kind: 'ended'; readonly code: number; readonly output: string; readonly errors: string }
  | { readonly kind: 'over'; readonly limit: 'time' | 'file' | 'output' }
  /** There is no such program. */
  | { readonly kind: 'missing' }
  /** It was killed by another process, or could not be started because a resource of the machine is exhausted. */
  | { readonly kind: 'killed'; readonly by: string };

/**
 * A file limit is in blocks of 512 bytes, a data limit in KiB; a limit that can't be set is higher than the one in
 * force. Standard input is a pipe that is never written to: it closes when this process ends, even by kill -9, and then
 * the group kills itself instead of working on for a caller that is gone.
 */
const SCRIPT = `
exec 3<&0 </dev/null
ulimit -d "$1" 2>/dev/null || :
ulimit -f "$2" 2>/dev/null || :
ulimit -t "$3" 2>/dev/null || :
ulimit -c 0
shift 3
"$@" 3<&- & work=$!
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 & watch=$!
wait "$work"; code=$?
kill "$watch" 2>/dev/null
exit "$code"
`;

const LONG_MS = 10_000;
const MAX_OUTPUT_BYTES = 4_000_000;
const KEPT_ERRORS = 4_000;
const NOT_FOUND = 127;
/** The exit code of confine.pl where it can not confine the program, which then does not run. */
const UNCONFINED = 125;
/** The shell's exit code for a program that a signal ended is this plus the signal's number. */
const BY_SIGNAL = 128;
const SIGXFSZ = 25;
/** Signals that a program's own fault raises: abort, trap, bus error, segmentation fault, bad system call. */
const OWN_FAULTS: ReadonlySet<number> = new Set([4, 5, 6, 7, 8, 11, 31]);
const NO_SUCH_PROGRAM = /: (not found|No such file or directory|Permission denied)\s*$/m;

export interface LimitedRun {
  /** Resolves when the program has ended, all processes that it started were killed, and its output has arrived. */
  readonly result: Promise<LimitedRunResult>;
  kill(): void;
}

/**
 * Starts a program in a process group of its own that is killed as a whole, within limits, without our environment,
 * without standard input, and held by the kernel to its reach (confinement.ts). `onLine` receives each complete line of
 * its standard output; without it the output is collected.
 */
export function startLimited(program: LimitedProgram, onLine?: (line: string) => void): LimitedRun {
  const { reach, memoryBytes, timeMs, threads, fileBytes, longMs = LONG_MS } = program;
  const limits = [
    Math.floor(memoryBytes / 1024),
    Math.floor(fileBytes / 512),
    Math.ceil((timeMs / 1000) * threads) + 10,
  ].map(String);
  const words = [...(reach === 'unconfined' ? [] : confinedTo(reach)), program.program, ...program.args];
  const shell = ['/bin/sh', '-c', SCRIPT, 'limited', ...limits, ...words];
  const child = spawnGroup(shell, ['pipe', 'pipe', 'pipe'], GIVING_WAY);
  let over: 'time' | 'output' | null = null;
  const stop = (why: typeof over): void => {
    over ??= why;
    killGroup(child);
  };
  const output = collect(child, program, onLine, () => stop('output'));
  const deadline = setTimeout(() => stop('time'), timeMs);
  const atLength = setTimeout(() => void giveWayFurther(child, GIVING_WAY_AT_LENGTH), longMs);
  const result = endOf(child).then((end): LimitedRunResult => {
    clearTimeout(deadline);
    clearTimeout(atLength);
    return over === null ? outcomeOf(end, output) : { kind: 'over', limit: over };
  });
  return { result, kill: () => stop(null) };
}

/** Resolves when the child has ended, all processes that it started were killed, and all its output has arrived. */
function endOf(child: ChildProcess): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, by: error.message }));
    // Not at 'close', which waits for every process that still holds the pipes.
    child.once('exit', () => killGroup(child));
    child.once('close', (code, signal) => resolve({ code, by: signal }));
  });
}

interface ProcessOutput {
  output: string;
  errors: string;
}

function collect(
  { stdin, stdout, stderr }: ChildProcess,
  { outputBytes = MAX_OUTPUT_BYTES }: LimitedProgram,
  onLine: ((line: string) => void) | undefined,
  tooMuch: () => void,
): ProcessOutput {
  const collected: ProcessOutput = { output: '', errors: '' };
  // Standard input is never written to. The error that says its other end is gone is ignored: the process's end reports
  // that.
  stdin?.on('error', () => undefined);
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    collected.output += text;
    if (collected.output.length > outputBytes) {
      // Output that still arrives until the program is dead is discarded.
      collected.output = '';
      return tooMuch();
    }
    if (onLine === undefined) return;
    const lines = collected.output.split('\n');
    collected.output = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    collected.errors = (collected.errors + text).slice(-KEPT_ERRORS);
  });
  return collected;
}

function outcomeOf({ code, by }: ProgramEnd, { output, errors }: ProcessOutput): LimitedRunResult {
  if (code === null) return { kind: 'killed', by: by ?? 'an unknown signal' };
  if (code === NOT_FOUND || (code === NOT_FOUND - 1 && NO_SUCH_PROGRAM.test(errors))) return { kind: 'missing' };
  if (code === UNCONFINED && errors.startsWith('confine.pl: ')) return { kind: 'killed', by: errors.trim() };
  const signal = code - BY_SIGNAL;
  if (signal === SIGXFSZ) return { kind: 'over', limit: 'file' };
  if (signal > 0 && signal < 32 && !OWN_FAULTS.has(signal)) return { kind: 'killed', by: `signal ${signal}` };
  return { kind: 'ended', code, output, errors };
}
