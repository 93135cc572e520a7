import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Claim, ClaimRow } from '#tables/repositories/requests.ts';

/** The rows of `libs/tables/repositories/requests.ts`, as the limiter uses them. All reject with `PortError`. */
export interface RequestRows {
  insert(credentialId: string, claims: readonly Claim[]): Promise<void>;
  refuse(credentialId: string, claims: readonly Claim[]): Promise<void>;
  read(credentialId: string, from: number): Promise<readonly ClaimRow[]>;
}

export interface Admission {
  readonly admitted: boolean;
  readonly limit: number;
  /** How many more would be admitted now. */
  readonly remaining: number;
  /**
   * Whole seconds, at least 1, until one more is free; when refused, until there is room for as much as was asked for.
   */
  readonly resetSeconds: number;
}

export interface RateLimiterOptions {
  readonly rows: RequestRows;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Uses in any rolling minute, of which a request is one. */
  readonly limit: number;
}
