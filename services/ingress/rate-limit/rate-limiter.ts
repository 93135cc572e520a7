import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { Claim, ClaimRow } from '#tables/requests.ts';
import { CredentialDesk } from './credential-desk.ts';

/** The rows of `libs/tables/requests.ts`, as the limiter uses them. All reject with `PortError`. */
export interface RequestRows {
  insert(credentialId: string, claims: readonly Claim[]): Promise<void>;
  refuse(credentialId: string, claims: readonly Claim[]): Promise<void>;
  read(credentialId: string, from: number): Promise<readonly ClaimRow[]>;
}

export interface Allowance {
  readonly admitted: boolean;
  readonly limit: number;
  /** How many more would be admitted now. */
  readonly remaining: number;
  /** Whole seconds, at least 1, until one more is free; when refused, until there is room for as much as was asked for. */
  readonly resetSeconds: number;
}

export interface RateLimiterOptions {
  readonly rows: RequestRows;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Uses in any rolling minute, of which a request is one. */
  readonly limit: number;
}

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
