import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { Network } from '#domain/network.ts';
import { allowanceOf } from '#domain/pool.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { NetworkBudget, CallSummary } from '#networks/contract/adapter.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { AppShare } from './app-share.ts';
import { Quota } from './quota.ts';
import { BETWEEN_RETURNS_MS, WaitingLine } from './waiting-line.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { endIn, remainingMs, type WaitEnd } from './wait-end.ts';

export interface ThrottleOptions extends Pick<WorldPorts, 'store' | 'clock' | 'ids' | 'reporter'> {
  readonly network: Network;
  readonly budget: NetworkBudget;
  /** Workspaces of which it is the same have one share of our app's allowance; each has its own when left out. */
  readonly accountOf?: (workspaceId: string) => string;
}

/** What holds an attempt back. `reason`: what the attempt fails with if it would wait past its latest start. */
export interface Obstacle {
  readonly forMs: number;
  /**
   * allowance: the quota is used up; circuit: the breaker of the Network or of the account is open; asked: the
   * Network's own answers ask for it.
   */
  readonly why: 'allowance' | 'circuit' | 'asked';
  readonly reason: 'platform_problem' | 'rate_limited';
  readonly detail: string;
}

/** Who asks for a use of an allowance. */
interface UseRequest {
  readonly accountId: string;
  readonly variantId: string;
  readonly workspaceId: string;
}

/** Milliseconds until there may be a use of each allowance; 0: there is one. */
interface UseWaits {
  readonly ofAccount: number;
  readonly ofApp: number;
  /** Of what one Workspace may have of our app's. */
  readonly ofShare: number;
}
const NO_WAIT: UseWaits = { ofAccount: 0, ofApp: 0, ofShare: 0 };

const MAX_ACCOUNTS = 10_000;
/** Added at random, so that attempts of many accounts that are held back together do not return together. */
const SPREAD = 0.2;
/** A return that lies further behind the last one than this and the spread belongs to another wait. */
const MAX_QUEUE_MS = 30_000;

/**
 * When a Network may be called: not while its circuit breaker is open, not before the pause that its headers asked
 * for is over, and within its quota. An attempt that is held back uses up none of its retries.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #breaker = new CircuitBreaker();
  readonly #quota: Quota;
  readonly #share: AppShare;
  /** When the pause ends that the Network asked for, by account; '' for all of our app. */
  readonly #pauses = createBoundedMap<string, WaitEnd>(MAX_ACCOUNTS);
  /** When the attempt returns that was held back last, by cause and account. */
  readonly #lastReturns = createBoundedMap<string, number>(MAX_ACCOUNTS);
  /** Who waits for an allowance, by account. */
  readonly #lines = createBoundedMap<string, WaitingLine>(MAX_ACCOUNTS);

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#quota = new Quota(options);
    this.#share = new AppShare({ ...options, windows: options.budget.app, quota: this.#quota });
  }

  /** To be called right before a call whose result goes to `recordResult`: it may admit the one probe of a breaker. */
  obstacle(accountId: string): Obstacle | null {
    const { network, clock } = this.#options;
    const pausedMs = this.pausedMs(accountId);
    if (pausedMs > 0)
      return this.#inTurn(accountId, {
        forMs: pausedMs,
        why: 'asked',
        reason: 'rate_limited',
        detail: `${network} lets no more calls through for now.`,
      });
    const wait = this.#breaker.admit(accountId, clock.monotonic());
    if (wait === null) return null;
    const what =
      wait.of === 'network'
        ? 'is out of order: its last calls'
        : 'does not work for this account: its last calls for it';
    return this.#inTurn(accountId, {
      forMs: wait.forMs,
      why: 'circuit',
      reason: 'platform_problem',
      detail: `${network} ${what} all failed.`,
    });
  }

  /** The rest of the pause that the Network's headers asked for, in milliseconds; 0: none. */
  pausedMs(accountId: string): number {
    return Math.max(this.#pauseLeft(''), this.#pauseLeft(accountId));
  }

  /**
   * Takes one use of the account's quota and one of our app's for the Variant, unless others of the account wait for
   * theirs before it, or other Workspaces come first. Rejects with `PortError`.
   */
  async take({ accountId, variantId, workspaceId }: UseRequest): Promise<Obstacle | null> {
    const { network } = this.#options;
    const line = this.#lines.get(accountId);
    const behindMs = line?.behindMs(variantId) ?? null;
    const waits = behindMs === null ? await this.#takeAll(accountId, workspaceId) : { ...NO_WAIT, ofAccount: behindMs };
    const { ofAccount, ofApp, ofShare } = waits;
    if (ofApp > 0 || ofShare > 0) this.#reportSpent(workspaceId, ofApp > 0);
    if (ofAccount === 0 && ofApp === 0 && ofShare === 0) {
      line?.leave(variantId);
      return null;
    }
    const forMs = ofAccount > 0 ? ofAccount : Math.ceil(Math.max(ofApp, ofShare) * this.#spread());
    this.#lineOf(accountId).wait(variantId, forMs);
    // Whichever allowance those before it wait for.
    const what = behindMs !== null ? 'for now, and others of this account wait before it' : whatIsUsedUp(waits);
    return { forMs, why: 'allowance', reason: 'rate_limited', detail: `${network} allows no more posts ${what}.` };
  }

  /** The Variant's attempt ended: it waits for no allowance any more, and none of its account waits behind it. */
  leave(accountId: string, variantId: string): void {
    this.#lines.get(accountId)?.leave(variantId);
  }

  /** `failure`: what the call's answer means, where it is a refusal. */
  recordResult(accountId: string, summary: CallSummary, failure: Failure | null): void {
    const { network, clock, reporter } = this.#options;
    const { pause } = summary;
    if (pause !== undefined) this.#pause(pause.scope === 'app' ? '' : accountId, pause.forMs);
    if (summary.isUncalled === true) return;
    const isBroken = failure?.reason === 'platform_problem' || summary.status >= 500;
    if (!isBroken && summary.status === 0) return;
    const changed = this.#breaker.recordResult(accountId, !isBroken, clock.monotonic());
    if (changed === 'opened') reporter.report('circuit-breaker-opened', { network, detail: summary.detail });
    if (changed === 'closed') reporter.report('circuit-breaker-closed', { network, detail: summary.detail });
  }

  isCircuitOpen(accountId: string): boolean {
    return this.#breaker.isOpenFor(accountId);
  }

  /** As operators see it. */
  get isOutOfOrder(): boolean {
    return this.#breaker.isKnownOpen(this.#options.clock.monotonic());
  }

  async #takeAll(accountId: string, workspaceId: string): Promise<UseWaits> {
    const { network, budget } = this.#options;
    const holder = this.#holderOf(workspaceId);
    await this.#share.ask(holder);
    const [account, app] = [`${network} account ${accountId}`, `${network} app`];
    // Those who can not wait ask one after the other, and would use up the quota that has uses left.
    const spent = { ...NO_WAIT, ofAccount: this.#quota.spentMs(account), ofApp: this.#quota.spentMs(app) };
    if (spent.ofAccount > 0 || spent.ofApp > 0) return spent;
    const spentOfShare = await this.#share.spentMs(holder);
    if (spentOfShare > 0) return { ...NO_WAIT, ofShare: spentOfShare };
    // Side by side, as each may cost a write; if one of the two is found to be spent, the use of the other is lost.
    const [ofAccount, ofShare] = await Promise.all([
      this.#quota.take(account, budget.account),
      this.#share.take(holder),
    ]);
    // Of our app's, which is for all Workspaces, none is lost: one that asks for many at once would use up what the
    // others are left.
    const ofApp = ofAccount > 0 || ofShare > 0 ? 0 : await this.#quota.take(app, budget.app);
    return { ofAccount, ofApp, ofShare };
  }

  /** As of a pool: operators see by one metric what Workspaces wait for, and by whose share. */
  #reportSpent(workspaceId: string, isAllSpent: boolean): void {
    const { network, reporter } = this.#options;
    const isAlone = this.#holderOf(workspaceId) === workspaceId;
    const limit = isAllSpent ? 'all' : isAlone ? 'workspace' : 'account';
    reporter.report('pool-saturated', { pool: allowanceOf(network), limit, workspaceId });
  }

  /** In whose name uses of our app's allowance are counted. */
  #holderOf(workspaceId: string): string {
    return this.#options.accountOf?.(workspaceId) ?? workspaceId;
  }

  #pause(key: string, forMs: number): void {
    if (this.#pauseLeft(key) < forMs) this.#pauses.set(key, endIn(forMs, this.#options.clock));
  }

  #pauseLeft(key: string): number {
    return remainingMs(this.#pauses.get(key), this.#options.clock);
  }

  #lineOf(accountId: string): WaitingLine {
    const line = this.#lines.get(accountId) ?? new WaitingLine(this.#options.clock);
    this.#lines.set(accountId, line);
    return line;
  }

  #spread(): number {
    return 1 + SPREAD * this.#options.ids.random();
  }

  /**
   * Attempts of one account return in the order in which they were held back, a moment apart: timers of one instant
   * fire in the order of their ids, which says nothing of when their Variants were due.
   */
  #inTurn(accountId: string, obstacle: Obstacle): Obstacle {
    const now = this.#options.clock.now();
    const freeAt = now + Math.ceil(obstacle.forMs * this.#spread());
    const maxAt = now + obstacle.forMs * (1 + SPREAD) + MAX_QUEUE_MS;
    const queue = `${obstacle.why} ${accountId}`;
    const last = this.#lastReturns.get(queue) ?? 0;
    const returnAt = last < freeAt || last > maxAt ? freeAt : last + BETWEEN_RETURNS_MS;
    this.#lastReturns.set(queue, returnAt);
    return { ...obstacle, forMs: returnAt - now };
  }
}

function whatIsUsedUp({ ofAccount, ofApp }: UseWaits): string {
  if (ofAccount > 0) return 'of this account for now';
  if (ofApp > 0) return 'of this installation for now';
  return 'of this Workspace for now: it had half of those of this installation, and another Workspace wants some, too';
}
