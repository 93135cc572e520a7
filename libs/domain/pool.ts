import { NETWORKS, type Network } from './network.ts';
import type { PlanName } from './plan/plan.ts';

/** Capacity of one process that all Workspaces share, by what it is for. */
export const POOLS = [
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
  ...NETWORKS.map(publishingPool),
] as const;
export type PoolName = (typeof POOLS)[number];

/** Attempts at a Network. */
export function publishingPool<N extends Network>(network: N): `publishing-${N}` {
  return `publishing-${network}`;
}

/** What a Plan gives a Workspace of each pool. */
export interface PoolBudget {
  /** Turns in proportion to it, while more is asked for than there is. */
  readonly weight: number;
  /** Of the permits that one Workspace may have, above 0 and at most 1. */
  readonly part: number;
}

export const POOL_BUDGETS: Readonly<Record<PlanName, PoolBudget>> = {
  free: { weight: 1, part: 0.5 },
  pro: { weight: 2, part: 1 },
  agency: { weight: 4, part: 1 },
};
