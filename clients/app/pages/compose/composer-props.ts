import type { ComposeChannel } from './checks/blockers.ts';
import type { ComposeSession, ComposeState } from './compose-session.ts';

/** What the parts of the composer share. */
export interface ComposerProps {
  readonly session: ComposeSession;
  readonly state: ComposeState;
  /** Those that the Post goes to, in the Workspace's order. */
  readonly chosen: readonly ComposeChannel[];
}
