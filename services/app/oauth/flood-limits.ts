import type { Request } from 'express';
import { clientHolderOf } from '#http-server/client-holder.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import { RateLimiter } from '#rate-limit/rate-limiter.ts';
import type { Admission } from '#rate-limit/rate-limit-options.ts';
import { atWallTime } from '#rate-limit/wall-time.ts';
import type { RequestRows } from '#tables/repositories/requests.ts';

const WINDOW_MS = 600_000;
/** In ten minutes, by the caller's address. */
const MAX_REGISTRATIONS = 60;
/** In ten minutes, by the caller's address. */
const MAX_DOCUMENTS_FOR_CALLER = 60;
/**
 * In ten minutes, by the host that serves them: one a second floods nobody. It is far above what one caller may have
 * fetched, since who uses it up keeps the apps of that host from being connected.
 */
const MAX_DOCUMENTS_AT_HOST = 600;

export interface FloodLimitsOptions {
  readonly requests: RequestRows;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** How often callers who have no credential may make us work. All methods reject with `PortError`. */
export class FloodLimits {
  readonly #registrations: RateLimiter;
  readonly #byCaller: RateLimiter;
  readonly #byHost: RateLimiter;
  readonly #newId: () => string;

  constructor({ requests, clock, ids }: FloodLimitsOptions) {
    const wall = atWallTime(clock);
    const common = { rows: requests, clock: wall, ids, windowMs: WINDOW_MS };
    this.#registrations = new RateLimiter({ ...common, limit: MAX_REGISTRATIONS });
    this.#byCaller = new RateLimiter({ ...common, limit: MAX_DOCUMENTS_FOR_CALLER });
    this.#byHost = new RateLimiter({ ...common, limit: MAX_DOCUMENTS_AT_HOST });
    this.#newId = () => ids.uuid7(wall.now());
  }

  registration(request: Pick<Request, 'ip'>): Promise<Admission> {
    return this.#registrations.admit(`registrations ${callerOf(request)}`, this.#newId());
  }

  /** `caller`: null where no request of a client is behind it. */
  async mayFetchDocument(caller: string | null, address: string): Promise<boolean> {
    const isAdmitted = async (limiter: RateLimiter, holder: string): Promise<boolean> =>
      (await limiter.admit(holder, this.#newId())).admitted;
    if (caller !== null && !(await isAdmitted(this.#byCaller, `documents for ${caller}`))) return false;
    return isAdmitted(this.#byHost, `documents at ${new URL(address).host.slice(0, 255)}`);
  }
}

export function callerOf({ ip }: Pick<Request, 'ip'>): string {
  return clientHolderOf(ip);
}
