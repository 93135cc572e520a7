import type { RowWrite } from '#ports/table.ts';
import type { Atom } from '#ports/table-store.ts';
import type { TurnStep } from '#domain/workspace/turn-step.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Decide } from '#domain/workspace/decision.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { LoadsOf } from '#domain/workspace/loads.ts';
import type { EncodedRow } from '#outbox/relay.ts';
import type { Brake } from '#tables/repositories/publishing-brake.ts';
import type { HeadEncoder } from '#tables/rows/head-encoder.ts';
import type { PendingEffects } from '#tables/rows/pending-effects.ts';
import type { PlacedRows, PlacingInput } from './place-rows.ts';
import type { TurnLimit } from './turn-limit.ts';
import type { TurnView, TurnViewOptions } from './view.ts';

export interface TurnInput extends TurnViewOptions, Omit<PlacingInput, 'store' | 'workspaceId'> {
  readonly state: WorkspaceState | null;
  /** Of this Workspace. */
  readonly heads: HeadEncoder;
  /** Of the head that the turn makes. */
  readonly version: number;
  /** Commands, each small enough for a turn. */
  readonly steps: readonly TurnStep[];
  readonly now: number;
  /** Of the store: what is written or appended with the compare-and-set is not in the outbox. */
  readonly atom: Atom;
  readonly limit: TurnLimit;
  /**
   * Awaited between two steps: one turn may decide on a hundred Posts, and other work of the process runs meanwhile.
   */
  readonly yieldToOthers: () => Promise<void> | void;
  readonly decide: Decide;
  readonly loadsOf: LoadsOf;
  readonly rules: Rules;
  readonly brake: Pick<Brake, 'known'>;
}

export interface DecidedTurn {
  /** False: there is nothing to write, not even a result. */
  readonly isChanged: boolean;
  readonly state: WorkspaceState | null;
  /** All effects beside the head. */
  readonly pending: PendingEffects;
  /** Those of them that the head holds until they are carried out, as it holds them. */
  readonly outbox: PendingEffects;
  /** The head's body; no bytes when nothing is changed. */
  readonly head: Uint8Array;
  /** The size of `outbox` within `head`. */
  readonly outboxBytes: number;
  readonly encodedRows: readonly EncodedRow[];
  /** Rows written with the head in one compare-and-set: results, Idempotency-Keys, large events. */
  readonly rows: readonly Omit<RowWrite, 'partition'>[];
  readonly answers: readonly { readonly replyTo: string; readonly answer: CommandAnswer }[];
  /** Steps for the next turn. */
  readonly remaining: readonly TurnStep[];
  /** Steps in this turn. */
  readonly handled: number;
  /** The turn would have had more steps, but they did not fit. */
  readonly isCut: boolean;
  /** A report of our own services that is too large even alone, and why; none of its effects are in the turn. */
  readonly oversize: { readonly step: TurnStep; readonly reason: string } | null;
  readonly view: TurnView;
  readonly changedPostIds: ReadonlySet<string>;
  /** What the owner knows of periods once the turn is committed. */
  readonly periods: PlacedRows['periods'];
}
