import type { PlanLimits, PlanName } from '#domain/plan/plan.ts';
import type { Network } from '#domain/network.ts';

export interface PlanChoice {
  readonly name: PlanName;
  readonly limits: PlanLimits;
  /** The Channels of now that it has no room for. */
  readonly disconnects: readonly { readonly id: string; readonly name: string; readonly network: Network }[];
}

/** As the server tells it. */
export interface ShownPlan {
  readonly plan: PlanName;
  readonly coming: { readonly plan: PlanName; readonly effectiveAt: string } | null;
  /** Ascending. */
  readonly plans: readonly PlanChoice[];
  readonly billing: 'self-service' | 'operator' | 'stripe';
  /** How many credits can be bought at once; empty: any number. */
  readonly creditPacks: readonly number[];
}

export const PLAN_NAMES: Readonly<Record<PlanName, string>> = { free: 'Free', pro: 'Pro', agency: 'Agency' };
