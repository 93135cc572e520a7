import { PLANS, type PlanName } from '#domain/plan/plan.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { PaidSubscription } from '#ports/payments.ts';

/** A change of the Plan that the Workspace has not made yet. `effectiveAt` null: at once. */
export interface PlanStep {
  readonly plan: PlanName;
  readonly effectiveAt: number | null;
}

type PlanOf = Pick<WorkspaceState, 'plan' | 'comingPlan'>;

/**
 * What makes the Workspace's Plan that of its subscription, in order; empty: it is. A subscription that ended, or is
 * not paid, leaves its Plan until the end of its period. One whose first payment is awaited changes nothing.
 */
export function stepsToPlan(workspace: PlanOf, subscription: PaidSubscription): readonly PlanStep[] {
  const { state, endsAt, periodEndsAt } = subscription;
  if (state === 'begun') return [];
  if (state === 'ended') return workspace.plan === 'free' ? [] : stepsToEnd(workspace, periodEndsAt);
  const plan = planNamed(subscription);
  if (plan === null) return [];
  if (endsAt !== null) {
    const now = { plan, comingPlan: workspace.plan === plan ? workspace.comingPlan : null };
    return [...(workspace.plan === plan ? [] : [atOnce(plan)]), ...stepsToEnd(now, endsAt)];
  }
  return workspace.plan === plan && workspace.comingPlan === null ? [] : [atOnce(plan)];
}

/** Which of two subscriptions of one Workspace decides its Plan: one that is paid, then that of the larger Plan. */
export function rulingOf(known: PaidSubscription, told: PaidSubscription): PaidSubscription {
  const rank = (subscription: PaidSubscription): number => {
    if (subscription.state !== 'good') return subscription.state === 'begun' ? -1 : -2;
    const plan = planNamed(subscription);
    return plan === null ? -1 : PLANS.indexOf(plan);
  };
  return rank(told) > rank(known) ? told : known;
}

function planNamed({ plan }: Pick<PaidSubscription, 'plan'>): PlanName | null {
  return PLANS.find((name) => name === plan) ?? null;
}

const atOnce = (plan: PlanName): PlanStep => ({ plan, effectiveAt: null });

function stepsToEnd({ comingPlan }: PlanOf, endsAt: number): readonly PlanStep[] {
  const isKnown = comingPlan?.plan === 'free' && comingPlan.effectiveAt === endsAt;
  return isKnown ? [] : [{ plan: 'free', effectiveAt: endsAt }];
}
