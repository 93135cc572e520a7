import type { RateLimiterOptions } from './rate-limit-options.ts';
import type { Admission } from './rate-limit-options.ts';
import { PortError } from '#ports/errors.ts';
import { CredentialLimiter } from './credential-limiter.ts';

/**
 * Desks of credentials nobody has asked for in a while are let go of beyond this many; their next request reads a
 * minute again.
 */
const MAX_LIMITERS = 2_000;

/**
 * Lets at most `limit` requests of a credential through in any rolling minute, whichever replicas they reach. Each
 * credential has a desk, which judges what came while it was busy together.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #replica: string;
  readonly #limiters = new Map<string, CredentialLimiter>();

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#replica = options.ids.token(12);
  }

  /**
   * `requestId`: used once, ever. `uses`: how much it counts for; all of that is let in, or nothing.
   * Rejects with `PortError` `unavailable` when it can't be told; then nothing was admitted.
   */
  async admit(credentialId: string, requestId: string, uses = 1): Promise<Admission> {
    const limiter =
      this.#limiters.get(credentialId) ??
      new CredentialLimiter({ ...this.#options, credentialId, replica: this.#replica });
    this.#limiters.delete(credentialId);
    this.#limiters.set(credentialId, limiter);
    this.#letGo();
    try {
      return await limiter.admit(requestId, uses);
    } catch (error) {
      if (error instanceof PortError)
        throw new PortError('unavailable', `requests can't be counted: ${error.message}`, { cause: error });
      throw error;
    }
  }

  #letGo(): void {
    if (this.#limiters.size <= MAX_LIMITERS) return;
    for (const [credentialId, limiter] of this.#limiters) {
      if (limiter.busy) continue;
      this.#limiters.delete(credentialId);
      return;
    }
  }
}
