import type { RateLimiterOptions } from './rate-limit-options.ts';
import type { Allowance } from './rate-limit-options.ts';
import { PortError } from '#ports/errors.ts';
import { CredentialDesk } from './credential-limiter.ts';

/** Desks of credentials nobody has asked for in a while are let go of beyond this many; their next request reads a minute again. */
const MAX_DESKS = 2_000;

/**
 * Lets at most `limit` requests of a credential through in any rolling minute, whichever replicas they reach. Each
 * credential has a desk, which judges what came while it was busy together.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #replica: string;
  readonly #desks = new Map<string, CredentialDesk>();

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#replica = options.ids.token(12);
  }

  /**
   * `requestId`: used once, ever. `uses`: how much it counts for; all of that is let in, or nothing.
   * Rejects with `PortError` `unavailable` when it can't be told; then nothing was admitted.
   */
  async admit(credentialId: string, requestId: string, uses = 1): Promise<Allowance> {
    const desk = this.#desks.get(credentialId) ?? new CredentialDesk({ ...this.#options, credentialId, replica: this.#replica });
    this.#desks.delete(credentialId);
    this.#desks.set(credentialId, desk);
    this.#letGo();
    try {
      return await desk.admit(requestId, uses);
    } catch (error) {
      if (error instanceof PortError) throw new PortError('unavailable', `requests can't be counted: ${error.message}`, { cause: error });
      throw error;
    }
  }

  #letGo(): void {
    if (this.#desks.size <= MAX_DESKS) return;
    for (const [credentialId, desk] of this.#desks) {
      if (desk.busy) continue;
      this.#desks.delete(credentialId);
      return;
    }
  }
}
