import { liveChannels } from '../channel/live.ts';
import { isoOf } from '../post/render.ts';
import type { WorkspaceState } from '../workspace/state.ts';
import { monthOf, periodOf, postsIn } from './month.ts';
import { PLAN_LIMITS, type PlanLimits, type PlanName } from './plan.ts';

/** What GET /api/usage shows. */
export interface UsageBody {
  readonly plan: PlanName;
  /** The calendar month (UTC): `to` is the next one's first instant. */
  readonly period: { readonly from: string; readonly to: string };
  readonly limits: PlanLimits;
  readonly used: {
    readonly channels: number;
    readonly postsPerMonth: number;
    readonly storageBytes: number;
    readonly members: number;
  };
  readonly xCredits: { readonly available: number; readonly reserved: number };
}

export function renderUsage(state: WorkspaceState, now: number): UsageBody {
  const period = periodOf(monthOf(now));
  return {
    plan: state.plan,
    period: { from: isoOf(period.from), to: isoOf(period.to) },
    limits: PLAN_LIMITS[state.plan],
    used: {
      channels: liveChannels(state.channels).length,
      postsPerMonth: postsIn(state.usage, now),
      storageBytes: state.storage.bytes,
      members: Object.values(state.members).filter((member) => !member.removed).length,
    },
    xCredits: { available: state.xCredits.available, reserved: state.xCredits.reserved },
  };
}
