import type { FaultPlan } from '../faults.ts';
import type { Part } from '../roles.ts';
import type { ActionShares } from '../actions.ts';

/** One place of the source where the bug differs from what is right. */
export interface SourceEdit {
  /** From the project's root. */
  readonly file: string;
  /** Stands exactly once in the file; the length and kind of white space do not count. */
  readonly find: string;
  readonly replace: string;
}

/**
 * A believable mistake in the code of the project, to see whether the tests notice it. `name` is a sentence of what the
 * planted code does.
 */
export type PlantedBug = PlantedInWorlds | PlantedInSuite;

export interface PlantedInWorlds {
  readonly name: string;
  readonly edits: readonly SourceEdit[];
  /** Replaces faults that the seed draws, so that those happen which make the bug do harm. */
  readonly faults?: Partial<FaultPlan>;
  /** What the worlds run beside the roles of every world; left out: as each seed draws. */
  readonly parts?: readonly Part[];
  /** Replaces what clients do, so that they do what the bug does harm to. */
  readonly actions?: ActionShares;
}

/** A bug in what no world has. */
export interface PlantedInSuite {
  readonly name: string;
  readonly edits: readonly SourceEdit[];
  /** The file of tests that has to go red, from the project's root. */
  readonly suite: string;
}

export interface BugsOfRoom {
  readonly room: string;
  /** Who chose them, and how, where that was not who wrote the checks of the room. A sentence for the page. */
  readonly chosenBy?: string;
  readonly bugs: readonly PlantedBug[];
}
