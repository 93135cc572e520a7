import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { Network } from '#domain/network.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { NetworkBudget, CallSummary } from '#networks/contract/adapter.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { TableStore } from '#ports/table-store.ts';
import { Quota } from './quota.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

export interface ThrottleOptions {
  readonly network: Network;
  readonly budget: NetworkBudget;
  readonly store: TableStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
}

/** What stands in the way of an attempt right now. `reason`: what it fails with, should it wait past its time. */
export interface Obstacle {
  readonly forMs: number;
  readonly reason: 'platform_problem' | 'rate_limited';
  readonly detail: string;
}

const MAX_HOLDS = 10_000;
/** Those that are held together do not come back together. */
const SPREAD = 0.2;

/**
 * When a Network may be called: not while it is out of order, not before what its headers asked to wait for is over,
 * and within the uses it allows. Holding back costs an attempt nothing.
 */
export class Throttle {
  readonly #parts: ThrottleOptions;
  readonly #breaker = new CircuitBreaker();
  readonly #quota: Quota;
  /** Until when calls are held, by account; '' for all of our app. */
  readonly #holds = createBoundedMap<string, number>(MAX_HOLDS);

  constructor(parts: ThrottleOptions) {
    this.#parts = parts;
    this.#quota = new Quota(parts);
  }

  /** To be asked right before a call that `heard` will be told of. */
  obstacle(accountId: string): Obstacle | null {
    const { network, clock } = this.#parts;
    const held = this.heldMs(accountId);
    if (held > 0)
      return this.#spread({
        forMs: held,
        reason: 'rate_limited',
        detail: `${network} lets no more calls through for now.`,
      });
    const forMs = this.#breaker.admit(clock.now());
    if (forMs === 0) return null;
    return this.#spread({
      forMs,
      reason: 'platform_problem',
      detail: `${network} is out of order: its last calls all failed.`,
    });
  }

  /** What the Network's headers asked to wait for; 0: nothing. */
  heldMs(accountId: string): number {
    return Math.max(0, Math.max(this.#holds.get('') ?? 0, this.#holds.get(accountId) ?? 0) - this.#parts.clock.now());
  }

  /** Takes one use of the account's and of our app's. Rejects with `PortError`. */
  async take(accountId: string): Promise<Obstacle | null> {
    const { network, budget } = this.#parts;
    // Side by side, as each may cost a write; where one is spent, a use of the other is lost with it.
    const [ofAccount, ofApp] = await Promise.all([
      this.#quota.take(`${network} account ${accountId}`, budget.account),
      this.#quota.take(`${network} app`, budget.app),
    ]);
    if (ofAccount > 0)
      return {
        forMs: ofAccount,
        reason: 'rate_limited',
        detail: `${network} allows no more posts of this account for now.`,
      };
    return ofApp > 0
      ? this.#spread({
          forMs: ofApp,
          reason: 'rate_limited',
          detail: `${network} allows no more posts of this installation for now.`,
        })
      : null;
  }

  /** What a call came to. `failure`: how its answer was understood; null: not as one. */
  recordResult(accountId: string, summary: CallSummary, failure: Failure | null): void {
    const { network, clock, reporter } = this.#parts;
    const now = clock.now();
    if (summary.hold !== undefined) this.#hold(summary.hold.scope === 'app' ? '' : accountId, now + summary.hold.forMs);
    const broken = failure?.reason === 'platform_problem' || summary.status >= 500;
    if (!broken && summary.status === 0) return;
    const changed = this.#breaker.recordResult(!broken, now);
    if (changed === 'opened') reporter.report('network-out-of-order', { network, detail: summary.detail });
    if (changed === 'closed') reporter.report('network-in-order', { network, detail: summary.detail });
  }

  get outOfOrder(): boolean {
    return this.#breaker.isOpen;
  }

  #hold(key: string, until: number): void {
    if ((this.#holds.get(key) ?? 0) < until) this.#holds.set(key, until);
  }

  #spread(obstacle: Obstacle): Obstacle {
    return { ...obstacle, forMs: Math.ceil(obstacle.forMs * (1 + SPREAD * this.#parts.ids.random())) };
  }
}
