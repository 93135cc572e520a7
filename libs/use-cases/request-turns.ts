import type { FairPool } from '#concurrency/fair-pool.ts';
import type { Pools } from '#concurrency/pools.ts';
import type { Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { ApiCall } from './caller.ts';
import { UNAVAILABLE, type UseCaseResult } from './outcome.ts';

export interface RequestTurnsOptions {
  readonly pools: Pools;
  readonly clock: Pick<Clock, 'after'>;
  /** Left out: refusals are not reported. */
  readonly reporter?: Pick<Reporter, 'report'> | undefined;
}

interface Kind {
  /** How many one process works on at once. */
  readonly permits: number;
  /** How many of one Workspace; default: three quarters of them, as long as no other asks. */
  readonly mine?: number;
  /** Default: WAITS_MS. */
  readonly waitsMs?: number;
  /** Of a refusal, in front of "at once". */
  readonly words: string;
}

/** Uploads that one process looks into at once. */
export const JUDGED_AT_ONCE = 4;

/**
 * Work of requests that costs much more than a request usually does. Posts of a list and of a bulk are in memory
 * meanwhile; judging starts a process that may take a gigabyte; a validation may ask other hosts for seconds; a body is
 * read for as long as its client takes to send it.
 *
 * Lists and bulks are the work of one event loop: beside each other those of a Workspace end no sooner, and what they
 * hold in memory makes collecting garbage longer for all.
 */
const KINDS = {
  lists: { permits: 16, mine: 4, words: 'too many lists are being read' },
  bulks: { permits: 8, mine: 3, words: 'too many bulks are being worked on' },
  bodies: { permits: 32, mine: 8, words: 'too many large requests are being received' },
  validations: { permits: 32, words: 'too many Posts are being validated' },
  'tool-calls': { permits: 64, words: 'too many tools are being called' },
  // Files that were sent together are completed together, and each takes a part of a second.
  judging: { permits: JUDGED_AT_ONCE, waitsMs: 8_000, words: 'too many uploads are being completed' },
} as const satisfies Readonly<Record<string, Kind>>;
export type TurnKind = keyof typeof KINDS;

/** A Workspace may hold this many times the permits that are free: alone, it gets three quarters of the pool. */
const TIMES_FREE = 3;
const MAX_WAITING = 1_000;
/** The rest of the ten seconds that a client waits is for the work. */
const WAITS_MS = 4_000;

const WHOSE = { workspace: 'Of your Workspace ', account: 'Of the Workspaces of your owner ', all: 'Here ' } as const;

/** Has costly work of requests wait for its Workspace's turn, and refuses what waits for too long. */
export class RequestTurns {
  readonly #options: RequestTurnsOptions;
  readonly #pools: Readonly<Record<TurnKind, FairPool<'workspace'>>>;

  constructor(options: RequestTurnsOptions) {
    this.#options = options;
    const open = (kind: TurnKind): FairPool<'workspace'> => {
      const { permits, mine = permits }: Kind = KINDS[kind];
      return options.pools.open(kind, {
        ...{ permits, maxOf: { workspace: mine }, timesFree: TIMES_FREE, maxWaiting: MAX_WAITING },
      });
    };
    this.#pools = {
      lists: open('lists'),
      bulks: open('bulks'),
      validations: open('validations'),
      'tool-calls': open('tool-calls'),
      judging: open('judging'),
      bodies: open('bodies'),
    };
  }

  /**
   * The outcome of `work`, or a refusal with the time to come again: then nothing was done. No work begins once its
   * client no longer waits.
   */
  async run<T>(
    kind: TurnKind,
    { workspaceId, signal }: Pick<ApiCall, 'workspaceId' | 'signal'>,
    work: () => Promise<UseCaseResult<T>>,
  ): Promise<UseCaseResult<T>> {
    const pool = this.#pools[kind];
    const quick = pool.tryAcquire({ workspace: workspaceId });
    const permit = quick.granted ? quick : await this.#wait(kind, workspaceId, signal);
    if (!permit.granted) {
      this.#options.reporter?.report('pool-saturated', { pool: kind, limit: permit.by, workspaceId });
      const whose = WHOSE[permit.by];
      const retryAfterSeconds = Math.ceil(permit.retryAfterMs / 1_000);
      const message = `${whose}${KINDS[kind].words} at once, and nothing was done. Please try again in ${retryAfterSeconds} s.`;
      return { ok: false, problem: { ...UNAVAILABLE, message, retryAfterSeconds } };
    }
    try {
      return await work();
    } finally {
      permit.release();
    }
  }

  async #wait(kind: TurnKind, workspace: string, signal: AbortSignal) {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const { waitsMs = WAITS_MS }: Kind = KINDS[kind];
    const cancel = this.#options.clock.after(waitsMs, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      return await this.#pools[kind].acquire({ workspace }, ending.signal);
    } finally {
      cancel();
      signal.removeEventListener('abort', end);
    }
  }
}
