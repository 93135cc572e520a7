import { PortError } from '#ports/errors.ts';
import type { RateLimiterOptions, Admission } from './rate-limit-options.ts';
import { CredentialLimiter } from './credential-limiter.ts';

/**
 * Beyond this many, limiters of credentials without recent requests are dropped; the next request of such a credential
 * reads its last window again.
 */
const MAX_LIMITERS = 2_000;

/**
 * Admits at most `limit` requests of a credential in any rolling window, whichever replicas they reach. Each credential
 * has a limiter, which judges the requests that arrived while it was busy together.
 */
export class RateLimiter {
  readonly #options: Required<RateLimiterOptions>;
  readonly #replica: string;
  readonly #limiters = new Map<string, CredentialLimiter>();

  constructor(options: RateLimiterOptions) {
    this.#options = { windowMs: 60_000, ...options };
    this.#replica = options.ids.token(12);
  }

  /**
   * `requestId`: used once, ever. `uses`: how much the request counts for; all of it is admitted, or nothing.
   * Rejects with `PortError` `unavailable` when requests can not be counted; then nothing was admitted.
   */
  async admit(credentialId: string, requestId: string, uses = 1): Promise<Admission> {
    const limiter =
      this.#limiters.get(credentialId) ??
      new CredentialLimiter({ ...this.#options, credentialId, replica: this.#replica });
    this.#limiters.delete(credentialId);
    this.#limiters.set(credentialId, limiter);
    this.#dropOne();
    try {
      return await limiter.admit(requestId, uses);
    } catch (error) {
      if (error instanceof PortError)
        throw new PortError('unavailable', `requests can't be counted: ${error.message}`, { cause: error });
      throw error;
    }
  }

  /** The least lately used that is not at work: one at work has claims that it has not judged. */
  #dropOne(): void {
    if (this.#limiters.size <= MAX_LIMITERS) return;
    for (const [credentialId, limiter] of this.#limiters) {
      if (limiter.busy) continue;
      this.#limiters.delete(credentialId);
      return;
    }
  }
}
