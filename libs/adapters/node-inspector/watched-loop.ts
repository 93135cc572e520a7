/** What the two threads of the watchdog share. */
export interface WatchedLoop {
  /** The instant of the last beat, by the process's monotonic clock in nanoseconds; `QUIET`: the loop beats no more. */
  readonly beats: BigInt64Array<SharedArrayBuffer>;
  readonly beatMs: number;
  /** A loop is blocked whose beat is later than this, and whose thread had a processor for as long. */
  readonly blockedMs: number;
  /** The loop is asked what it is at this often at most. */
  readonly betweenLooksMs: number;
  /** A process whose loop has been blocked for so long is ended; `Infinity`: never. */
  readonly endAfterMs: number;
  /** What the last line of a process that is ended says beside what blocked it: of which process it is. */
  readonly origin: Readonly<Record<string, unknown>>;
}

/** A blocked loop, once it turns again. */
export interface BlockedLoop {
  /** `unknown`: it was not asked, turned again before it answered, or worked on nothing that has a name. */
  readonly work: string;
  readonly workspaceId: string | null;
  readonly key: string | null;
  readonly blockedMs: number;
  /** The innermost first; null: it was not asked, or turned again before it answered. */
  readonly stack: string | null;
}

export const QUIET = 0n;

/** The global symbol of the function that answers a look, with a `LookAtLoop` as JSON. */
export const LOOK = 'crier.look-at-loop';

export interface LookAtLoop {
  /** The last beat, ms. */
  readonly beat: number;
  readonly about: Partial<Pick<BlockedLoop, 'work' | 'workspaceId' | 'key'>> | null;
  /** Of an Error that was made for it: the question interrupts what the loop is at. */
  readonly stack: string;
}
