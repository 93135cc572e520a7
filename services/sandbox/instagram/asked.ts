import type { Fault, NetworkFault } from '../faults.ts';
import type { Account } from '../accounts.ts';
import type { Incoming } from '../exchange.ts';
import type { Limits } from '../limits.ts';
import type { SimulatorDeps } from '../simulator.ts';
import type { Containers } from './containers.ts';

/** Of any 24 hours; can be set otherwise. */
export const INSTAGRAM_LIMITS = { postsPerDay: 100 };
export type InstagramLimit = keyof typeof INSTAGRAM_LIMITS;

export interface InstagramDeps extends SimulatorDeps {
  readonly containers: Containers;
  readonly limits: Limits<InstagramLimit>;
}

/** A call in the name of an account, admitted. */
export interface Asked {
  readonly request: Incoming;
  readonly parameters: URLSearchParams;
  readonly account: Account;
  readonly fault: Fault<NetworkFault> | null;
  readonly now: number;
}

const DAY_MS = 24 * 3_600_000;

/** What went live within a day. */
export function postsOfDay({ account, now }: Asked, { items, limits }: InstagramDeps): number {
  return items.ofAccount('instagram', account.accountId, { descending: true, limit: limits.get('postsPerDay') }).filter(({ publishedAt }) => publishedAt > now - DAY_MS).length;
}
