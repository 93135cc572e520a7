import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { RequestRows } from '#tables/repositories/requests.ts';

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
  /** Uses in any rolling window, of which a request is one. */
  readonly limit: number;
  /** The length of the window, 60,000 when left out; an hour at most. */
  readonly windowMs?: number;
}
