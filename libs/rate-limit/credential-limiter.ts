import assert from 'node:assert/strict';
import { PortError } from '#ports/errors.ts';
import type { Claim } from '#tables/repositories/requests.ts';
import { Claims, fitting, SKEW_MS } from './claims.ts';
import type { Admission, RateLimiterOptions } from './rate-limit-options.ts';

/**
 * A claim that is not stored this soon after it was stamped is taken back: other replicas would not read so far back.
 */
const LATENESS_MS = 5_000;
/**
 * How far before its last read a limiter reads again: a claim that was stamped before that was stored before the last
 * read. Twice the skew, for the clock of the stamp may be behind, and that of this process may just have stepped back.
 */
const OVERLAP_MS = LATENESS_MS + 2 * SKEW_MS;
/** A limiter whose limit is used up refuses by the claims that it knows for this long before it reads again. */
const FRESH_MS = 500;
/** Looks at a race with another replica, 2, 4, 8, 16, 32 and 64 ms apart, before the rest of a batch is refused. */
const RACE_LOOKS = 6;

interface Waiting {
  readonly requestId: string;
  readonly uses: number;
  readonly resolve: (admission: Admission) => void;
  readonly reject: (error: unknown) => void;
}

export interface CredentialLimiterOptions extends Required<RateLimiterOptions> {
  readonly credentialId: string;
  readonly replica: string;
}

/**
 * Judges the requests of one credential at one replica. Idle -> judging (a batch is with the store; what comes
 * meanwhile waits for the next batch) -> idle.
 *
 * Every request claims first and looks afterwards: a row is stored, then the window is read. It is admitted only if all
 * the claims that stand in its window, its own among them, are within the limit. So of any limit + 1 claims, the one
 * that was stored last sees all the others and is not admitted, however the replicas' steps interleave. Where two
 * replicas race for the last places, both see too many: then those beyond the first `limit` by (stamp, id) take their
 * claims back and the others look again, for a bounded time.
 */
export class CredentialLimiter {
  readonly #options: CredentialLimiterOptions;
  readonly #claims: Claims;
  #waiting: Waiting[] = [];
  #judging = false;
  /** When the last read began; null: none was made. */
  #readAt: number | null = null;
  #readAtMonotonic = 0;
  #latest = 0;

  constructor(options: CredentialLimiterOptions) {
    this.#options = options;
    this.#claims = new Claims(options.replica, options.windowMs);
  }

  get busy(): boolean {
    return this.#judging;
  }

  admit(requestId: string, uses: number): Promise<Admission> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ requestId, uses, resolve, reject });
      if (!this.#judging) void this.#work();
    });
  }

  async #work(): Promise<void> {
    assert(!this.#judging, 'one batch at a time');
    this.#judging = true;
    // Requests that were read off the network in one go form one batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#judge(batch);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.#judging = false;
  }

  async #judge(batch: readonly Waiting[]): Promise<void> {
    const { clock, limit, credentialId, rows, replica, windowMs } = this.#options;
    this.#claims.forget(this.#now());
    const stale = this.#readAt === null || clock.monotonic() - this.#readAtMonotonic > FRESH_MS;
    if (this.#claims.uses + usesOf(batch) > limit && stale) await this.#read(this.#now());
    const claimants = fitting(batch, limit - this.#claims.uses);
    const isClaimant = new Set(claimants);
    this.#answer(
      batch.filter((one) => !isClaimant.has(one)),
      false,
      usesOf(claimants),
    );
    if (claimants.length === 0) return;

    const at = this.#now();
    const begun = clock.monotonic();
    const claims = claimants.map(({ requestId, uses }): Claim => ({ at, requestId, uses, replica }));
    await rows.insert(credentialId, claims, windowMs);
    if (clock.monotonic() - begun > LATENESS_MS) {
      this.#takeBack(claims);
      throw new PortError('unavailable', 'a claim took too long to be stored');
    }
    this.#claims.add(
      claims.map((claim) => ({ ...claim, kind: 'claim' })),
      at,
      at,
    );
    await this.#settle(claimants, claims, at);
  }

  /**
   * Resolves every claimant, the claims being stored. They are judged by the minute up to their stamp `at`, however
   * long it takes.
   */
  async #settle(claimants: readonly Waiting[], claims: readonly Claim[], at: number): Promise<void> {
    const { clock, limit } = this.#options;
    const open = new Map(claimants.map((waiting, index) => [waiting, claims[index]!]));
    const leave = (waiting: readonly Waiting[], admitted: boolean) => {
      if (!admitted) this.#takeBack(waiting.map((one) => open.get(one)!));
      for (const one of waiting) open.delete(one);
      this.#answer(waiting, admitted, admitted ? usesOf([...open.keys()]) : 0);
    };
    for (let look = 1; ; look++) {
      try {
        await this.#read(at);
        // A wall clock that stepped back took them away with everything else.
        if (![...open.values()].every((claim) => this.#claims.has(claim.requestId)))
          throw new PortError('unavailable', 'the clock stepped back');
      } catch (error) {
        this.#takeBack([...open.values()]);
        throw error;
      }
      const first = this.#claims.uses > limit ? this.#claims.first(limit) : null;
      if (first !== null)
        leave(
          [...open.keys()].filter((one) => !first.has(one.requestId)),
          false,
        );
      // What stands beside the open claims leaves this many places; those that don't fit stay claimed and look again.
      const places = limit - (this.#claims.uses - usesOf([...open.keys()]));
      leave(fitting([...open.keys()], places), true);
      if (open.size === 0) return;
      if (look === RACE_LOOKS) return leave([...open.keys()], false);
      await clock.sleep(2 ** look);
    }
  }

  /** Learns what is new. Keeps what lies in the minute up to `windowEnd`. */
  async #read(windowEnd: number): Promise<void> {
    const { clock, rows, credentialId, windowMs } = this.#options;
    const now = this.#now();
    const monotonic = clock.monotonic();
    const whole = windowEnd - windowMs - SKEW_MS;
    const from = this.#readAt === null ? whole : Math.max(whole, this.#readAt - OVERLAP_MS);
    const read = await rows.read(credentialId, from);
    this.#readAt = now;
    this.#readAtMonotonic = monotonic;
    this.#claims.add(read, windowEnd, Math.max(now, windowEnd));
    this.#claims.forget(windowEnd);
  }

  /**
   * Wall time, held where it steps back a little: a stamp must not precede what was forgotten already. Where it steps
   * back far, what is remembered is of no use, and waiting for time to catch up would lock everybody out.
   */
  #now(): number {
    const now = this.#options.clock.now();
    if (now < this.#latest - SKEW_MS) {
      this.#claims.clear();
      this.#readAt = null;
      this.#latest = now;
    }
    this.#latest = Math.max(this.#latest, now);
    return this.#latest;
  }

  /**
   * Not waited for: until it is stored the others count too many, never too few. A failure leaves it so, for a minute.
   */
  #takeBack(claims: readonly Claim[]): void {
    if (claims.length === 0) return;
    const { rows, credentialId, windowMs } = this.#options;
    for (const claim of claims) this.#claims.refuse(claim);
    rows.refuse(credentialId, claims, windowMs).catch(() => undefined);
  }

  /** `reserved`: uses that stand but are not decided yet; of a refusal, those that are claimed only after it. */
  #answer(batch: readonly Waiting[], admitted: boolean, reserved = 0): void {
    if (batch.length === 0) return;
    const { clock, limit, windowMs } = this.#options;
    const now = clock.now();
    let remaining = Math.max(0, limit - this.#claims.uses + reserved) + usesOf(batch);
    for (const { uses, resolve } of batch) {
      remaining -= uses;
      const freeAt =
        (admitted ? null : this.#claims.atMostAt(limit - reserved - uses)) ??
        this.#claims.nextFreeAt() ??
        now + windowMs;
      const resetSeconds = Math.max(1, Math.ceil((freeAt - now) / 1000));
      resolve({ admitted, limit, remaining: admitted ? remaining : 0, resetSeconds });
    }
  }
}

function usesOf(some: readonly { readonly uses: number }[]): number {
  return some.reduce((sum, { uses }) => sum + uses, 0);
}
