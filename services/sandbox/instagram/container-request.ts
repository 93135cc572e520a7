import type { Account } from '../accounts.ts';
import type { Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { Limits } from '../limits.ts';
import type { SimulatorOptions } from '../simulator.ts';
import type { Containers } from './containers.ts';
import type { DayCounts } from './day-counts.ts';

/** Limits per 24 hours; configurable. The limit of containers is a multiple of that of posts: 400. */
export const INSTAGRAM_LIMITS = { postsPerDay: 100, containersPerPost: 4 };
export type InstagramLimit = keyof typeof INSTAGRAM_LIMITS;

export interface InstagramOptions extends SimulatorOptions {
  readonly containers: Containers;
  readonly limits: Limits<InstagramLimit>;
  /** Published posts. */
  readonly posts: DayCounts;
  /** Containers made, whatever their outcome. */
  readonly made: DayCounts;
}

/** An admitted call in the name of an account. */
export interface ContainerRequest {
  readonly request: Incoming;
  readonly parameters: URLSearchParams;
  readonly account: Account;
  readonly fault: Fault<NetworkFault> | null;
  /** The version in the address: addresses in answers have the same. */
  readonly version: string;
  readonly now: number;
}
