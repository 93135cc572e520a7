import type { Account } from '../accounts.ts';
import type { Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { Limits } from '../limits.ts';
import type { SimulatorDeps } from '../simulator.ts';
import type { Containers } from './containers.ts';
import type { DayCounts } from './day-counts.ts';

/** Of any 24 hours; can be set otherwise. Containers are limited to so many for each post there may be: 400. */
export const INSTAGRAM_LIMITS = { postsPerDay: 100, containersPerPost: 4 };
export type InstagramLimit = keyof typeof INSTAGRAM_LIMITS;

export interface InstagramDeps extends SimulatorDeps {
  readonly containers: Containers;
  readonly limits: Limits<InstagramLimit>;
  /** What went live. */
  readonly posts: DayCounts;
  /** Containers made, whatever became of them. */
  readonly made: DayCounts;
}

/** A call in the name of an account, admitted. */
export interface ContainerRequest {
  readonly request: Incoming;
  readonly parameters: URLSearchParams;
  readonly account: Account;
  readonly fault: Fault<NetworkFault> | null;
  /** The version in the address: addresses in answers have the same. */
  readonly version: string;
  readonly now: number;
}
