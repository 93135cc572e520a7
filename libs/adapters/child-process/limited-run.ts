import { open } from 'node:fs/promises';
import { launcher } from './launcher.ts';
import type { LimitedProgram, LimitedRunResult } from './limited-program.ts';

export interface LimitedCommand extends LimitedProgram {
  readonly signal?: AbortSignal;
  /** Receives each complete line of standard output; without it the output is collected. */
  readonly onLine?: (line: string) => void;
}

/**
 * Runs a program on files that strangers sent: within limits, confined, and killed as a whole (limited-program.ts),
 * started by the launcher. Files that it may write are made first, for us alone. When it resolves or rejects, the
 * program has ended and all processes that it started were killed. Rejects with the signal's reason when aborted.
 */
export async function runLimited({ signal, onLine, ...program }: LimitedCommand): Promise<LimitedRunResult> {
  const { reach } = program;
  signal?.throwIfAborted();
  if (reach !== 'unconfined') for (const path of reach.writes) await (await open(path, 'a', 0o600)).close();
  signal?.throwIfAborted();
  const run = launcher.run(program, onLine);
  signal?.addEventListener('abort', run.kill, { once: true });
  try {
    const result = await run.result;
    signal?.throwIfAborted();
    return result;
  } finally {
    signal?.removeEventListener('abort', run.kill);
  }
}
