import { createBoundedMap } from '#concurrency/bounded-map.ts';

/** Failures in a row that open a breaker. */
const TRIP_AFTER = 8;
/** Failures of one account count so often at most towards those that open the Network's breaker: two have to fail. */
const MAX_OF_ACCOUNT = TRIP_AFTER / 2;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;
/** A probe without a result for this long, as when its attempt failed before the call, no longer holds back others. */
const PROBE_LASTS_MS = 30_000;
/** An attempt that waits returns within two minutes, and is the probe. */
const UNPROBED_MS = 300_000;
const MAX_ACCOUNTS = 10_000;

/** Why an attempt is held back, and for how long. */
export interface BreakerWait {
  readonly of: 'network' | 'account';
  readonly forMs: number;
}

/**
 * Whether one Network works, as this process sees it, and whether it works for each account: what is wrong with one
 * account, or with what it publishes, holds back no other. Instants are of the monotonic clock.
 *
 * - closed: every attempt goes out. `TRIP_AFTER` failures in a row open the Network's breaker, if they are of several
 *   accounts, and as many of one account the breaker of that account.
 * - open: no attempt goes out until the pause is over.
 * - half open: the pause is over. One attempt goes out as a probe, and the others wait for its result. A success closes
 *   the breaker; a failure opens it again for twice as long.
 *
 * The account that failed last at a Network probes beside the others and not for them: by its own attempts alone the
 * pause of the Network would begin anew whenever it ends.
 *
 * An attempt that is held back uses up none of its retries.
 */
export class CircuitBreaker {
  readonly #network = new Breaker();
  /** Failures in a row by account, over all of the Network, while its breaker is closed. */
  readonly #failures = new Map<string, number>();
  #lastFailed: string | null = null;
  /** Until when the account that failed last probes the Network. */
  #lastFailedProbesUntil = 0;
  readonly #accounts = createBoundedMap<string, AccountBreaker>(MAX_ACCOUNTS);

  /** null: the attempt goes out, as the probe of each breaker that is half open. */
  admit(accountId: string, now: number): BreakerWait | null {
    const account = this.#accounts.get(accountId)?.breaker;
    const ofAccountMs = account?.waitMs(now) ?? 0;
    // Both are asked before either has its probe: one that the other holds back would never have a result.
    if (ofAccountMs > 0) return { of: 'account', forMs: ofAccountMs };
    const ofNetworkMs = this.#networkWaitMs(accountId, now);
    if (ofNetworkMs > 0) return { of: 'network', forMs: ofNetworkMs };
    account?.probe(now);
    if (accountId === this.#lastFailed) this.#lastFailedProbesUntil = now + PROBE_LASTS_MS;
    else this.#network.probe(now);
    return null;
  }

  /**
   * `isAnswered`: false for no answer, and for one that reports a failure of the Network. Returns what it changed for
   * all accounts.
   */
  recordResult(accountId: string, isAnswered: boolean, now: number): 'opened' | 'closed' | null {
    if (isAnswered) {
      this.#accounts.delete(accountId);
      this.#failures.clear();
      this.#lastFailed = null;
      return this.#network.close() ? 'closed' : null;
    }
    this.#countOf(accountId, now);
    const failedAgain = accountId === this.#lastFailed;
    this.#lastFailed = accountId;
    if (this.#network.isOpen) {
      if (!failedAgain && this.#network.prolong(now)) this.#lastFailedProbesUntil = 0;
      return null;
    }
    this.#failures.set(accountId, Math.min(MAX_OF_ACCOUNT, (this.#failures.get(accountId) ?? 0) + 1));
    if ([...this.#failures.values()].reduce((sum, count) => sum + count, 0) < TRIP_AFTER) return null;
    this.#failures.clear();
    this.#lastFailedProbesUntil = 0;
    this.#network.open(now);
    return 'opened';
  }

  /** Whether it is open for all accounts. */
  get isOpen(): boolean {
    return this.#network.isOpen;
  }

  isOpenFor(accountId: string): boolean {
    return this.isOpen || this.#accounts.get(accountId)?.breaker.isOpen === true;
  }

  /**
   * Whether it is open by what was seen lately. Where no attempt waits any more, as the partitions went to another
   * process or the Network is held, none probes: the breaker is open for good, and says nothing of the Network.
   */
  isKnownOpen(now: number): boolean {
    return this.isOpen && now <= Math.max(this.#network.lastKnownAt, this.#lastFailedProbesUntil) + UNPROBED_MS;
  }

  #networkWaitMs(accountId: string, now: number): number {
    if (!this.#network.isHalfOpen(now) || accountId !== this.#lastFailed) return this.#network.waitMs(now);
    return Math.max(0, this.#lastFailedProbesUntil - now);
  }

  #countOf(accountId: string, now: number): void {
    const account = this.#accounts.get(accountId) ?? { failures: 0, breaker: new Breaker() };
    account.failures += 1;
    if (account.breaker.isOpen) account.breaker.prolong(now);
    else if (account.failures >= TRIP_AFTER) account.breaker.open(now);
    this.#accounts.set(accountId, account);
  }
}

interface AccountBreaker {
  failures: number;
  readonly breaker: Breaker;
}

/** The states of one breaker; who counts failures opens it. */
class Breaker {
  #openUntil: number | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #probeUntil = 0;

  get isOpen(): boolean {
    return this.#openUntil !== null;
  }

  /** Of one that is open: until when what was seen of the Network counts as known. */
  get lastKnownAt(): number {
    return Math.max(this.#openUntil ?? 0, this.#probeUntil);
  }

  isHalfOpen(now: number): boolean {
    return this.#openUntil !== null && now >= this.#openUntil;
  }

  /** Milliseconds to hold an attempt back; 0: it may go out. */
  waitMs(now: number): number {
    if (this.#openUntil === null) return 0;
    if (now < this.#openUntil) return this.#openUntil - now;
    return now < this.#probeUntil ? this.#pauseMs : 0;
  }

  /** An attempt goes out, and is the probe if it is half open. */
  probe(now: number): void {
    if (this.#openUntil !== null) this.#probeUntil = now + PROBE_LASTS_MS;
  }

  open(now: number): void {
    this.#openUntil = now + this.#pauseMs;
  }

  /** After a failure: false for results of calls that were under way when it opened. */
  prolong(now: number): boolean {
    if (!this.isHalfOpen(now)) return false;
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2);
    this.#openUntil = now + this.#pauseMs;
    this.#probeUntil = 0;
    return true;
  }

  /** Whether it was open. */
  close(): boolean {
    const wasOpen = this.isOpen;
    this.#openUntil = null;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#probeUntil = 0;
    return wasOpen;
  }
}
