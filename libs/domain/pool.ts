import { NETWORKS, type Network } from './network.ts';
import type { PlanName } from './plan/plan.ts';

/** Capacity of one process that all Workspaces share, by what it is for. */
const POOLS_OF_WORKSPACES = [
  'uploads',
  'media-reads',
  'inspections',
  'media-jobs',
  'fetches',
  'probes',
  'conversions',
  'videos',
  'judging',
  'bodies',
  'lists',
  'bulks',
  'validations',
  'tool-calls',
  'deliveries',
  'letters',
  ...NETWORKS.map(publishingPool),
] as const;
/** What people do before they are known, or are in a Workspace: the addresses that they ask from share these. */
const POOLS_OF_CLIENTS = ['sign-in-mails'] as const;
/** With what Networks allow our app in a day, which is counted as uses and not given back, so that no pool has it. */
export const POOLS = [...POOLS_OF_WORKSPACES, ...POOLS_OF_CLIENTS, ...NETWORKS.map(allowanceOf)] as const;
export type PoolName = (typeof POOLS)[number];
export type PoolOfWorkspaces = (typeof POOLS_OF_WORKSPACES)[number];
export type PoolOfClients = (typeof POOLS_OF_CLIENTS)[number];

/** Attempts at a Network. */
export function publishingPool<N extends Network>(network: N): `publishing-${N}` {
  return `publishing-${network}`;
}

/** Uses of our app's allowance at a Network. */
export function allowanceOf<N extends Network>(network: N): `allowance-${N}` {
  return `allowance-${network}`;
}

/** What a Plan gives a Workspace of each pool. */
export interface PoolBudget {
  /** Turns in proportion to it, while more is asked for than there is. */
  readonly weight: number;
  /** Of the permits that one Workspace may have, above 0 and at most 1. */
  readonly part: number;
  /** Those that name the same take turns, and have room to wait, as one; left out: it is alone. */
  readonly account?: string;
}

const POOL_BUDGETS: Readonly<Record<PlanName, PoolBudget>> = {
  free: { weight: 1, part: 0.5 },
  pro: { weight: 2, part: 1 },
  agency: { weight: 4, part: 1 },
};

/**
 * The budget of a Workspace, by its Plan and the account of its owner (null: it has none, or it is not known yet). Free
 * Workspaces cost nothing to make, so those of one owner take their turns as one; each with a larger Plan has its own.
 */
export function poolBudgetOf(plan: PlanName, owner: string | null): PoolBudget {
  return plan === 'free' && owner !== null ? { ...POOL_BUDGETS.free, account: owner } : POOL_BUDGETS[plan];
}
