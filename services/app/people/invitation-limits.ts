import { accountIdOf } from '#domain/account.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import { RateLimiter } from '#rate-limit/rate-limiter.ts';
import { atWallTime } from '#rate-limit/wall-time.ts';
import type { RequestRows } from '#tables/repositories/requests.ts';

export interface InvitationLimitsOptions {
  readonly requests: RequestRows;
  readonly clock: Clock;
  readonly ids: Ids;
}

const WINDOW_MS = 3_600_000;
/** In an hour, to one address, whoever invites it: as many as links to sign in. */
const MAX_TO_ADDRESS = 10;
/** In an hour, of one Workspace: it sends no mail to strangers in the name of this installation. */
const MAX_OF_WORKSPACE = 100;

/** How many invitations Members may have mailed: each is a letter to somebody who may not know them. */
export class InvitationLimits {
  readonly #ofWorkspace: RateLimiter;
  readonly #toAddress: RateLimiter;
  readonly #newId: () => string;

  constructor({ requests, clock, ids }: InvitationLimitsOptions) {
    const wall = atWallTime(clock);
    const common = { rows: requests, clock: wall, ids, windowMs: WINDOW_MS };
    this.#ofWorkspace = new RateLimiter({ ...common, limit: MAX_OF_WORKSPACE });
    this.#toAddress = new RateLimiter({ ...common, limit: MAX_TO_ADDRESS });
    this.#newId = () => ids.uuid7(wall.now());
  }

  /** Counts an invitation. Null: it may be mailed. Rejects with `PortError`. */
  async take(workspaceId: string, email: string): Promise<ApiProblem | null> {
    const ofWorkspace = await this.#ofWorkspace.admit(`invitations-of-workspace/${workspaceId}`, this.#newId());
    if (!ofWorkspace.admitted)
      return refusal(`A Workspace invites ${MAX_OF_WORKSPACE} times an hour at most.`, ofWorkspace);
    const toAddress = await this.#toAddress.admit(`invitations-to/${accountIdOf(email)}`, this.#newId());
    return toAddress.admitted
      ? null
      : refusal(`One address is invited ${MAX_TO_ADDRESS} times an hour at most.`, toAddress);
  }
}

function refusal(words: string, { resetSeconds }: { readonly resetSeconds: number }): ApiProblem {
  const minutes = Math.ceil(resetSeconds / 60);
  return {
    code: 'rate_limited',
    message: `${words} Nobody was invited: please try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    retryAfterSeconds: resetSeconds,
  };
}
