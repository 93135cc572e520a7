import type { DecideResult } from '../decision-context.ts';

/** Bounds what a turn writes for a Workspace that had no such rows. */
const MAX_MEMBERSHIPS_A_COMMAND = 100;

/**
 * Has the rows written by which the accounts of Members find the Workspace: of new Members at once, and of those from
 * before there were such rows with whatever is decided next.
 */
export function withMemberships(outcome: DecideResult): DecideResult {
  const { state, effects } = outcome;
  if (state === null) return outcome;
  const memberIds = Object.keys(state.members).slice(
    state.membershipsWritten,
    state.membershipsWritten + MAX_MEMBERSHIPS_A_COMMAND,
  );
  if (memberIds.length === 0) return outcome;
  return {
    ...outcome,
    state: { ...state, membershipsWritten: state.membershipsWritten + memberIds.length },
    effects: [...effects, { kind: 'memberships', memberIds }],
  };
}
