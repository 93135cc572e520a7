import { spawn, type ChildProcess } from 'node:child_process';
import { BARE_ENVIRONMENT, GIVING_WAY, killGroup } from './process-group.ts';

export interface LimitedCommand {
  /** A name looked for where programs are, or a path. */
  readonly program: string;
  readonly args: readonly string[];
  /** Of all it allocates. What asks for more is told no, and ends. */
  readonly memoryBytes: number;
  readonly timeMs: number;
  /** Processor seconds for every second of `timeMs`, for the case that nobody is left to keep time. */
  readonly threads: number;
  /** Of any file it writes. */
  readonly fileBytes: number;
  /** Characters of standard output that are kept until it ends, or until a line does; 4 million unless told. */
  readonly outputBytes?: number;
  readonly signal?: AbortSignal;
  /** Each whole line of standard output; without it the output is collected. */
  readonly onLine?: (line: string) => void;
}

export type LimitedRunResult =
  | { readonly kind: 'ended'; readonly code: number; readonly output: string; readonly errors: string }
  | { readonly kind: 'over'; readonly limit: 'time' | 'file' | 'output' }
  /** There is no such program. */
  | { readonly kind: 'missing' }
  /** By somebody else, or it could not be started for want of something that others hold. */
  | { readonly kind: 'killed'; readonly by: string };

/**
 * A file limit is in blocks of 512 bytes, a data limit in KiB; one that can't be set is higher than what holds already.
 * Standard input is a pipe that nobody writes to: it ends when we do, be it by kill -9, and then the group kills
 * itself, rather than working on for nobody.
 */
const SCRIPT = `
exec 3<&0 </dev/null
${GIVING_WAY}
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

const MAX_OUTPUT_BYTES = 4_000_000;
const KEPT_ERRORS = 4_000;
const NOT_FOUND = 127;
/** The shell adds the signal's number to it. */
const BY_SIGNAL = 128;
const SIGXFSZ = 25;
/** Signals by which a program ends itself: abort, trap, bus error, segmentation fault, bad system call. */
const OWN_FAULTS: ReadonlySet<number> = new Set([4, 5, 6, 7, 8, 11, 31]);
const NO_SUCH_PROGRAM = /: (not found|No such file or directory|Permission denied)\s*$/m;

/**
 * Runs a program on what strangers sent: in a process group of its own that is killed whole, within limits, without our
 * environment, without standard input. When it resolves or rejects, the program has ended and all that it started was
 * killed. Rejects with the signal's reason when aborted.
 */
export async function runLimited(command: LimitedCommand): Promise<LimitedRunResult> {
  const { program, args, memoryBytes, timeMs, threads, fileBytes, signal } = command;
  signal?.throwIfAborted();
  const limits = [
    Math.floor(memoryBytes / 1024),
    Math.floor(fileBytes / 512),
    Math.ceil((timeMs / 1000) * threads) + 10,
  ].map(String);
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'limited', ...limits, program, ...args], {
    detached: true,
    env: BARE_ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let over: 'time' | 'output' | null = null;
  const stop = (why: typeof over): void => {
    over ??= why;
    killGroup(child);
  };
  const output = collect(child, command, () => stop('output'));
  const onAbort = () => stop(null);
  signal?.addEventListener('abort', onAbort, { once: true });
  const deadline = setTimeout(() => stop('time'), timeMs);
  try {
    const ended = await end(child);
    signal?.throwIfAborted();
    if (over !== null) return { kind: 'over', limit: over };
    return outcomeOf(ended, output);
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', onAbort);
  }
}

interface Ended {
  readonly code: number | null;
  readonly by: string | null;
}

/** Resolves when the child has ended, whatever it started was killed, and all it wrote is here. */
function end(child: ChildProcess): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, by: error.message }));
    // Not at 'close': that waits for whoever still holds the pipes.
    child.once('exit', () => killGroup(child));
    child.once('close', (code, signal) => resolve({ code, by: signal }));
  });
}

interface Collected {
  output: string;
  errors: string;
}

function collect(
  { stdin, stdout, stderr }: ChildProcess,
  { onLine, outputBytes = MAX_OUTPUT_BYTES }: LimitedCommand,
  tooMuch: () => void,
): Collected {
  const collected: Collected = { output: '', errors: '' };
  // It is never written to; that its other end is gone is told by the end of the process.
  stdin?.on('error', () => undefined);
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    collected.output += text;
    if (collected.output.length > outputBytes) {
      // What still comes until it is dead is not worth a look.
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

function outcomeOf({ code, by }: Ended, { output, errors }: Collected): LimitedRunResult {
  if (code === null) return { kind: 'killed', by: by ?? 'nobody knows whom' };
  if (code === NOT_FOUND || (code === NOT_FOUND - 1 && NO_SUCH_PROGRAM.test(errors))) return { kind: 'missing' };
  const signal = code - BY_SIGNAL;
  if (signal === SIGXFSZ) return { kind: 'over', limit: 'file' };
  if (signal > 0 && signal < 32 && !OWN_FAULTS.has(signal)) return { kind: 'killed', by: `signal ${signal}` };
  return { kind: 'ended', code, output, errors };
}
