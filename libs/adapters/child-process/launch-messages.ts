import type { LimitedProgram, LimitedRunResult } from './limited-program.ts';
import type { ProgramEnd } from './process-group.ts';

/** What a server asks of its launcher, and what that one reports, each about one program by its number. */
export type LaunchRequest =
  /** Run a program within limits to its end. */
  | { readonly kind: 'run'; readonly id: number; readonly program: LimitedProgram; readonly isReadByLine: boolean }
  /**
   * Start a program to whose standard input the server writes, and whose standard output it reads. It gives way by so
   * much, by its words and as a session.
   */
  | { readonly kind: 'start'; readonly id: number; readonly words: readonly string[]; readonly givesWayBy: number }
  /** Kill a program of either kind with all processes that it started. */
  | { readonly kind: 'kill'; readonly id: number };

export type LaunchReport =
  | { readonly kind: 'line'; readonly id: number; readonly line: string }
  | { readonly kind: 'result'; readonly id: number; readonly result: LimitedRunResult }
  /** Comes with the stream itself. */
  | { readonly kind: 'stream'; readonly id: number; readonly pid: number; readonly name: 'stdin' | 'stdout' }
  | { readonly kind: 'ended'; readonly id: number; readonly end: ProgramEnd };
