/** What the two threads of the watchdog share. */
export interface WatchedLoop {
  /** The instant of the last beat, by the process's monotonic clock in nanoseconds; `QUIET`: the loop beats no more. */
  readonly beats: BigInt64Array<SharedArrayBuffer>;
  readonly beatMs: number;
  /** A loop whose beat is later than this is blocked. */
  readonly blockedMs: number;
  /** The loop is stopped for a look at its stack this often at most. */
  readonly betweenLooksMs: number;
  /** A process whose loop has been blocked for so long is ended; `Infinity`: never. */
  readonly endAfterMs: number;
  /** What the last line of a process that is ended says beside what blocked it: of which process it is. */
  readonly origin: Readonly<Record<string, unknown>>;
}

/** A blocked loop, once it turns again. */
export interface BlockedLoop {
  /** `unknown`: it was not looked at, turned again before, or worked on nothing that has a name. */
  readonly work: string;
  readonly workspaceId: string | null;
  readonly key: string | null;
  readonly blockedMs: number;
  /** The innermost first; null: it was not looked at, or turned again before. */
  readonly stack: string | null;
}

export const QUIET = 0n;

/** The global symbol of the function that answers with the work in hand. */
export const WORK_IN_HAND = 'crier.work-in-hand';
