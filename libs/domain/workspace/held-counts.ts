import assert from 'node:assert/strict';
import type { Variant } from '../post/post.ts';
import type { HeldCounts, WorkspaceState } from './state.ts';

type Held = WorkspaceState['held'];

const NONE: HeldCounts = { waiting: 0, underWay: 0 };

/** The counts after a Variant changed; `before` null: it was just made. */
export function countHeld(held: Held, before: Variant | null, after: Variant): Held {
  const from = before === null ? null : countedAs(before);
  const to = countedAs(after);
  if (from === to) return held;
  const { [after.channelId]: counts = NONE, ...others } = held ?? {};
  const next = added(added(counts, from, -1), to, 1);
  assert(next.waiting >= 0 && next.underWay >= 0, `channel ${after.channelId} lost count of its held Variants`);
  const isEmpty = next.waiting === 0 && next.underWay === 0;
  if (!isEmpty) return { ...others, [after.channelId]: next };
  return Object.keys(others).length === 0 ? undefined : others;
}

function countedAs({ hold, status }: Variant): keyof HeldCounts | null {
  if (hold === undefined) return null;
  if (hold.waiting) return 'waiting';
  return status === 'publishing' ? 'underWay' : null;
}

function added(counts: HeldCounts, as: keyof HeldCounts | null, by: 1 | -1): HeldCounts {
  return as === null ? counts : { ...counts, [as]: counts[as] + by };
}

/** The state with these counts, and without the field where there are none. */
export function withHeld(state: WorkspaceState, held: Held): WorkspaceState {
  if (held === state.held) return state;
  const { held: _, ...others } = state;
  return held === undefined ? others : { ...others, held };
}
