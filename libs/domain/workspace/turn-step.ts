import type { TraceCarrier } from '../traceparent.ts';
import type { Command } from './commands.ts';

/**
 * Of the owner of the Workspace to itself, and never in the log: whoever owns it looks for such Posts again. Removes
 * Posts that ended longer ago than `Rules.postsKeptMs`.
 */
export interface RemovePosts extends TraceCarrier {
  readonly type: 'RemovePosts';
  readonly workspaceId: string;
  readonly postIds: readonly string[];
  /** Days of writing and weeks of being due, since the epoch, that hold no Posts any more: lists skip them. */
  readonly empty: { readonly days: readonly number[]; readonly weeks: readonly number[] };
}

/** What a turn decides on. */
export type TurnStep = Command | RemovePosts;
