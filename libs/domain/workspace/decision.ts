import type { Rules } from './rules.ts';
import type { LoadedView } from './loads.ts';
import type { HeldPeriod } from '../publishing-holds.ts';
import type { Post } from '../post/post.ts';
import type { Restoration } from '../restoration.ts';
import type { Command } from './commands.ts';
import type { TurnStep } from './turn-step.ts';
import type { Effect } from './effects.ts';
import type { Result } from './results.ts';
import type { WorkspaceState } from './state.ts';

export interface Decision {
  readonly state: WorkspaceState;
  /** Posts as they are after the command, those it changed only. */
  readonly posts: readonly Post[];
  /** null for reports of our own services. */
  readonly result: Result | null;
  readonly effects: readonly Effect[];
  /** The rest of a command that was too long for one step, to be decided next; else null. */
  readonly rest: Command | null;
}

/** What a command is decided from. */
export interface DecisionInput {
  /** null: the Workspace does not exist yet. */
  readonly state: WorkspaceState | null;
  readonly view: LoadedView;
  /** The owner's wall clock, for what is due and late; what a client asked for is judged by its own `issuedAt`. */
  readonly now: number;
  readonly rules: Rules;
  /** Those of this Workspace, and of all. */
  readonly holds: readonly HeldPeriod[];
  /** Of the installation; null: it was never restored from a backup. */
  readonly restoration: Restoration | null;
}

/** The rules of a Workspace, pure. */
export type Decide = (
  command: TurnStep,
  input: DecisionInput,
) => Omit<Decision, 'state'> & { readonly state: WorkspaceState | null };
