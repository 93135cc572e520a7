import type { Upgrade } from '../workspace/results.ts';
import { PLAN_LIMITS, PLANS, type PlanLimits, type PlanName } from './plan.ts';

export type LimitName = keyof PlanLimits;

const PLAN_LABELS: Readonly<Record<PlanName, string>> = { free: 'Free', pro: 'Pro', agency: 'Agency' };

const LIMIT_LABELS: Readonly<Record<LimitName, string>> = {
  channels: 'Channels',
  postsPerMonth: 'Posts a month',
  storageBytes: 'GiB of storage',
  members: 'Members',
};

const GIB = 1024 ** 3;

function allowance(plan: PlanName, limit: LimitName): string {
  const value = PLAN_LIMITS[plan][limit];
  if (value === null) return `no limit of ${LIMIT_LABELS[limit]}`;
  const count = limit === 'storageBytes' ? value / GIB : value;
  return `${count.toLocaleString('en-US')} ${LIMIT_LABELS[limit]}`;
}

/** Whether a Plan allows `amount` of something in all. */
export function allows(plan: PlanName, limit: LimitName, amount: number): boolean {
  const value = PLAN_LIMITS[plan][limit];
  return value === null || amount <= value;
}

/** The limit of the Plan that refused, for a person. */
export function planAllows(plan: PlanName, limit: LimitName): string {
  return `The ${PLAN_LABELS[plan]} plan has ${allowance(plan, limit)}`;
}

/** A Workspace's Plan, and the one that will take its place. */
export interface PlanState {
  readonly plan: PlanName;
  readonly comingPlan: { readonly plan: PlanName; readonly effectiveAt: number } | null;
}

/** The Plan that something due at `instant` is judged by. */
export function planAt(planned: PlanState, instant: number): PlanName {
  const { plan, comingPlan } = planned;
  return comingPlan && instant >= comingPlan.effectiveAt ? comingPlan.plan : plan;
}

/**
 * The Plan that a refusal by a limit recommends: during a pending Downgrade the present one, else the smallest with
 * room for `amount`. null: no Plan has room.
 */
export function upgradeFor(planned: PlanState, limit: LimitName, amount: number): Upgrade | null {
  const kept = planned.comingPlan ? [planned.plan] : [];
  const plan = [...kept, ...PLANS].find((candidate) => allows(candidate, limit, amount));
  if (plan === undefined) return null;
  return { plan, limit, label: `${PLAN_LABELS[plan]}: ${allowance(plan, limit)}` };
}
