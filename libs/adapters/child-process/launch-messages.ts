import type { FedEnd, FedFile } from './feed-file.ts';
import type { LimitedProgram, LimitedRunResult } from './limited-program.ts';
import type { ProgramEnd } from './process-group.ts';

/** What a server asks of its launcher, and what that one reports, each about one program by its number. */
export type LaunchRequest =
  /** Run a program within limits to its end. */
  | { readonly kind: 'run'; readonly id: number; readonly program: LimitedProgram; readonly isReadByLine: boolean }
  /**
   * Start a program that is fed files, and whose standard output the server reads. It gives way by so much
   * (`spawnGroup`).
   */
  | { readonly kind: 'start'; readonly id: number; readonly words: readonly string[]; readonly givesWayBy: number }
  /** Write a file to the standard input of a program that was started. */
  | { readonly kind: 'feed'; readonly id: number; readonly file: FedFile }
  /** Lower the priority of a program that was started (`giveWayFurther`). */
  | { readonly kind: 'give way'; readonly id: number; readonly by: number }
  /** Kill a program of either kind with all processes that it started. */
  | { readonly kind: 'kill'; readonly id: number };

export type LaunchReport =
  | { readonly kind: 'line'; readonly id: number; readonly line: string }
  | { readonly kind: 'result'; readonly id: number; readonly result: LimitedRunResult }
  /** Comes with the standard output of a program that was started. */
  | { readonly kind: 'started'; readonly id: number; readonly pid: number }
  | { readonly kind: 'fed'; readonly id: number; readonly end: FedEnd }
  | { readonly kind: 'ended'; readonly id: number; readonly end: ProgramEnd };
