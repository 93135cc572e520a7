import type { ApiProblem } from '#http-server/api-problem.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import { RateLimiter } from '#rate-limit/rate-limiter.ts';
import { atWallTime } from '#rate-limit/wall-time.ts';
import type { RequestRows } from '#tables/repositories/requests.ts';

export interface SignUpLimitsOptions {
  readonly requests: RequestRows;
  readonly clock: Clock;
  readonly ids: Ids;
}

const WINDOW_MS = 3_600_000;
/** In an hour, by account. */
const MAX_WORKSPACES = 10;

/** How many Workspaces a person may make: each has a Plan of its own, and a row that all of their pages read. */
export class SignUpLimits {
  readonly #byAccount: RateLimiter;
  readonly #newId: () => string;

  constructor({ requests, clock, ids }: SignUpLimitsOptions) {
    const wall = atWallTime(clock);
    this.#byAccount = new RateLimiter({
      ...{ rows: requests, clock: wall, ids },
      ...{ limit: MAX_WORKSPACES, windowMs: WINDOW_MS },
    });
    this.#newId = () => ids.uuid7(wall.now());
  }

  /** Counts a Workspace that the account asks for. Null: it may be made. Rejects with `PortError`. */
  async take(accountId: string): Promise<ApiProblem | null> {
    const { admitted, resetSeconds } = await this.#byAccount.admit(`workspaces-of-account/${accountId}`, this.#newId());
    if (admitted) return null;
    const minutes = Math.ceil(resetSeconds / 60);
    return {
      code: 'rate_limited',
      message: `You may make ${MAX_WORKSPACES} Workspaces an hour. Please try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
      retryAfterSeconds: resetSeconds,
    };
  }
}
