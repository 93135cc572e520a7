import type { Command } from '#domain/workspace/commands.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Decide } from '#domain/workspace/decision.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { LoadsOf } from '#domain/workspace/loads.ts';
import type { EncodedRow } from '#outbox/relay.ts';
import type { RowWrite, TableStore } from '#ports/table-store.ts';
import type { PendingEffects } from '#tables/rows/pending-effects.ts';
import type { PostCache } from './post-cache.ts';
import { TurnView } from './view.ts';

export interface TurnInput {
  readonly workspaceId: string;
  readonly state: WorkspaceState | null;
  readonly mark: object;
  /** Commands, each small enough for a turn. */
  readonly steps: readonly Command[];
  /** Directory rows known to be written, by key. */
  readonly knownDays: ReadonlySet<string>;
  readonly now: number;
  /** Its rows and timers are written with its compare-and-set: the head promises only what is not. */
  readonly whole: boolean;
  readonly limit: TurnLimit;
  /** Awaited between two steps: one turn may judge a hundred Posts, and nobody else is served while it does. */
  readonly between: () => Promise<void> | void;
  readonly store: TableStore;
  readonly posts: PostCache;
  readonly decide: Decide;
  readonly needsOf: LoadsOf;
  readonly rules: Rules;
}

/** What is known from the turns before. */
export interface TurnLimit {
  /** Most steps: many more than fit would be decided in vain. */
  readonly steps: number;
  /** Set when the store refuses the first step even alone: why. */
  readonly refused: string | null;
}

export interface DecidedTurn {
  /** False: nothing to write, not even a result. */
  readonly changed: boolean;
  readonly state: WorkspaceState | null;
  /** All it brings about beside the head. */
  readonly pending: PendingEffects;
  /** What of it the head promises, as the head holds it. */
  readonly owed: PendingEffects;
  /** The head's body, and what of that is `owed`; no bytes when nothing is `changed`. */
  readonly head: Uint8Array;
  readonly owedBytes: number;
  readonly encodedRows: readonly EncodedRow[];
  /** Rows for the head's own atom: results, Idempotency-Keys, large events. */
  readonly rows: readonly Omit<RowWrite, 'partition'>[];
  readonly answers: readonly { readonly replyTo: string; readonly answer: CommandAnswer }[];
  /** What the turn did not get to. */
  readonly rest: readonly Command[];
  readonly handled: number;
  /** It would have had more steps, but they did not fit. */
  readonly cut: boolean;
  /**
   * A report of our own services that can't be carried out, however alone, and that nobody waits for; nothing of it is
   * in the turn.
   */
  readonly unfit: { readonly step: Command; readonly why: string } | null;
  readonly view: TurnView;
  readonly touched: ReadonlySet<string>;
  /** Keys of the directory rows it writes. */
  readonly days: readonly string[];
}
