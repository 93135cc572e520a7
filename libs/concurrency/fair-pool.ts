import assert from 'node:assert/strict';
import type { PoolBudget } from '#domain/pool.ts';
import type { Clock } from '#ports/clock.ts';
import {
  accountNameOf,
  comeTo,
  giveTurn,
  isBefore,
  newAccount,
  newHolder,
  newTenant,
  type PoolAccount,
  type Ask,
  type Holder,
  type Line,
  type TurnOrder,
  type Tenant,
} from './fair-pool-holders.ts';
import { IndexedHeap } from './indexed-heap.ts';
import { retryAfterMs, type Permit } from './permit.ts';

export interface FairPoolOptions<K extends string> {
  /** How much goes on at once, for all holders together. */
  readonly permits: number;
  /** By kind of holder: how many permits one holder of the kind may have at once. The first kind takes turns. */
  readonly maxOf: Readonly<Record<K, number>>;
  /** A holder is refused while it has this many times the permits that are free; 1 when left out. */
  readonly timesFree?: number;
  /** So many of the permits are for holders that have none; 0 when left out. */
  readonly spare?: number;
  /** How many may wait for a permit; any number when left out. 0: none waits. */
  readonly maxWaiting?: number;
  /** Of a holder of the first kind; the same for all when left out. */
  readonly budgetOf?: (holder: string) => PoolBudget;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Called for each ask that waited and got its permit. */
  readonly onWaited?: (waitedMs: number) => void;
}

/** What a holder of the first kind has of a pool. */
export interface TenantLoad {
  readonly id: string;
  /** With whom it takes its turns as one; null: it is alone. */
  readonly account: string | null;
  readonly held: number;
  readonly waiting: number;
}

type Holders<K extends string> = Readonly<Record<K, string>>;

/** How long permits are taken to be held before any was released. */
const FIRST_MEAN_MS = 5_000;
/** Of the mean time for which permits are held, the part of the newest. */
const NEWEST_PART = 0.1;
const EVEN: PoolBudget = { weight: 1, part: 1 };

/**
 * Bounds how much of one thing goes on at once, in all and for each holder: a Workspace, a client, a host. Each permit
 * is held in the name of one holder of every kind; holders of the first kind are the tenants. Tenants whose budgets
 * name one account are one beside the others, so that who has many tenants has no more of a pool than who has one.
 *
 * Shares. A holder never has more permits than `maxOf` says, nor gets one while it has `timesFree` times as many as are
 * free. With 1, each further holder that takes all it gets leaves half of the rest, so that a newcomer finds a permit
 * until many have come; with 3, a holder that is alone gets three quarters of all. `spare` permits stay free for who
 * has none, where few permits are held for long. What must be free is asked of an account too. Room to wait is shared
 * alike: an account may not have more waiting than room is left.
 *
 * Turns. Of the accounts with tenants that wait, the one with the fewest permits for its weight is next, then the one
 * whose virtual time is least (weighted fair queueing): a grant moves an account's time on by one through its weight,
 * and the pool's time by one through the weight of all. A newcomer begins at the pool's time, so that no number of
 * newcomers starves those that wait. The tenants of an account take turns by the same rule, with a virtual time that
 * the account keeps. The lines of a tenant take turns in order, and in a line the first that asked is next.
 *
 * Nothing is searched, so a step costs the logarithm of the number of holders. A line that waits is ready (its tenant's
 * turn may bring it a permit) -> parked (at that turn another holder had its share) -> ready (that holder woke it: one
 * line at a time, and when that line had its turn, with or without a permit, the next) -> gone (nothing in it waits). A
 * tenant that has its share at its turn is blocked with all of its lines until it releases a permit or enough are free,
 * and so is an account with all of its tenants. While a permit is free, all that waits is parked or blocked.
 */
export class FairPool<K extends string> {
  readonly #options: FairPoolOptions<K>;
  readonly #kinds: readonly [K, ...K[]];
  readonly #accounts = new Map<string, PoolAccount<K>>();
  readonly #tenants = new Map<string, Tenant<K>>();
  readonly #others = new Map<string, Holder<K>>();
  /** Accounts with tenants in their turns that are not blocked. */
  readonly #turns = new IndexedHeap<PoolAccount<K>>(isBefore);
  /** Blocked accounts and tenants, and other holders with parked lines none of which is awake. */
  readonly #blocked = new IndexedHeap<Holder<K> | PoolAccount<K>>(
    (a, b) => this.#freeNeededBy(a) < this.#freeNeededBy(b),
  );
  readonly #order: TurnOrder = { time: 0, weights: 0, grants: 0 };
  #permits: number;
  /** Below 0 while more is held than there is since a `resize`. */
  #free: number;
  #waiting = 0;
  #meanHeldMs = FIRST_MEAN_MS;

  constructor(options: FairPoolOptions<K>) {
    const { permits, maxOf } = options;
    assert(Number.isInteger(permits) && permits > 0, `a pool can not have ${permits} permits`);
    const [tenants, ...others] = Object.keys(maxOf) as K[];
    assert(tenants !== undefined, 'a pool has holders');
    this.#permits = permits;
    this.#options = options;
    this.#kinds = [tenants, ...others];
    this.#free = permits;
  }

  get permits(): number {
    return this.#permits;
  }

  get free(): number {
    return this.#free;
  }

  /** From now on there are so many. What is held beyond them is not taken away. */
  resize(permits: number): void {
    assert(Number.isInteger(permits) && permits > 0, `a pool can not have ${permits} permits`);
    this.#free += permits - this.#permits;
    this.#permits = permits;
    this.#admit();
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Of all kinds, with accounts: those that hold or wait. No others are remembered. */
  get holders(): number {
    return this.#accounts.size + this.#tenants.size + this.#others.size;
  }

  /** Permits that the holder has. */
  held(kind: K, holder: string): number {
    return (kind === this.#kinds[0] ? this.#tenants.get(holder) : this.#others.get(`${kind} ${holder}`))?.held ?? 0;
  }

  /** The tenants that hold and wait for most, most first. */
  top(count: number): readonly TenantLoad[] {
    return [...this.#tenants.values()]
      .map(({ id, account, held, waiting }) => ({ id, account: account.id, held, waiting }))
      .toSorted((a, b) => b.held + b.waiting - a.held - a.waiting)
      .slice(0, count);
  }

  /** At once or not at all. `release` frees the permit, once however often it is called. */
  tryAcquire(holders: Holders<K>): Permit<K> {
    const line = this.#lineOf(holders);
    const by = this.#refusedBy(line);
    if (by === null) return this.#grant(line);
    this.#forget(line);
    return this.#refusal(by, line);
  }

  /** Waits for a permit until `signal` is aborted; then there is none, for the reason that holds by then. */
  acquire(holders: Holders<K>, signal?: AbortSignal): Promise<Permit<K>> {
    const permit = this.tryAcquire(holders);
    if (permit.granted || signal?.aborted === true || !this.hasRoom(holders)) return Promise.resolve(permit);
    const line = this.#lineOf(holders);
    return new Promise((resolve) => {
      const end = (given: Permit<K>): void => {
        line.waiting.delete(ask);
        line.tenant.waiting -= 1;
        line.tenant.account.waiting -= 1;
        this.#waiting -= 1;
        signal?.removeEventListener('abort', giveUp);
        resolve(given);
      };
      const giveUp = (): void => {
        end(this.#refusal(this.#refusedBy(line) ?? 'all', line));
        if (line.waiting.size === 0) this.#abandon(line);
      };
      const ask: Ask<K> = { askedAt: this.#options.clock.monotonic(), end };
      this.#wait(line, ask);
      signal?.addEventListener('abort', giveUp);
    });
  }

  /**
   * Runs `work` with a permit. Aborted before there is one, it rejects with the signal's reason; afterwards it is for
   * `work` to heed the signal. Not for a pool with `maxWaiting`.
   */
  async run<T>(holders: Holders<K>, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const permit = await this.acquire(holders, signal);
    if (!permit.granted) signal?.throwIfAborted();
    assert(permit.granted, 'only an aborted signal ends the wait for a permit');
    try {
      return await work();
    } finally {
      permit.release();
    }
  }

  /** Whether one more may wait in the name of these holders. */
  hasRoom(holders: Holders<K>): boolean {
    const tenant = holders[this.#kinds[0]];
    const account = this.#accounts.get(accountNameOf(tenant, this.#budgetOf(tenant)));
    return (account?.waiting ?? 0) < (this.#options.maxWaiting ?? Infinity) - this.#waiting;
  }

  #wait(line: Line<K>, ask: Ask<K>): void {
    const { tenant } = line;
    const { account } = tenant;
    comeTo(this.#order, account);
    comeTo(account.order, tenant);
    line.waiting.add(ask);
    tenant.waiting += 1;
    account.waiting += 1;
    this.#waiting += 1;
    if (line.waiting.size > 1) return;
    tenant.ready.add(line);
    if (!this.#blocked.has(tenant)) this.#enterTurns(tenant);
    // Where permits are free, this parks the line or blocks its tenant or account: it was refused just now.
    this.#admit();
  }

  #refusal(by: K | 'account' | 'all', { tenant, others }: Line<K>): Permit<K> {
    const holder = [tenant, ...others, tenant.account].find(({ kind }) => kind === by);
    const held = holder?.held ?? this.#permits - this.#free;
    const waiting = by === 'all' ? this.#waiting : by === 'account' ? tenant.account.waiting : tenant.waiting;
    return { granted: false, by, retryAfterMs: retryAfterMs({ meanHeldMs: this.#meanHeldMs, held, waiting }) };
  }

  #refusedBy({ tenant, others }: Line<K>): K | 'account' | 'all' | null {
    if (this.#free <= 0) return 'all';
    return [tenant, ...others, tenant.account].find((holder) => this.#hasShare(holder))?.kind ?? null;
  }

  #hasShare(holder: Holder<K> | PoolAccount<K>): boolean {
    return this.#freeNeededBy(holder) > this.#free;
  }

  /** How many permits must be free before it may have a further one. */
  #freeNeededBy(holder: Holder<K> | PoolAccount<K>): number {
    const { held } = holder;
    if ('part' in holder && held >= Math.max(1, Math.floor(this.#options.maxOf[holder.kind] * holder.part)))
      return Infinity;
    const { timesFree = 1, spare = 0 } = this.#options;
    return Math.floor(held / timesFree) + 1 + (held === 0 ? 0 : spare);
  }

  #lineOf(holders: Holders<K>): Line<K> {
    const [first, ...rest] = this.#kinds;
    const tenant = this.#tenants.get(holders[first]) ?? this.#newTenant(holders[first]);
    const id = JSON.stringify(rest.map((kind) => holders[kind]));
    const known = tenant.byId.get(id);
    if (known !== undefined) return known;
    const others = rest.map((kind) => this.#otherOf(kind, holders[kind]));
    const line: Line<K> = { id, tenant, others, held: 0, waiting: new Set(), wokenBy: null };
    tenant.byId.set(id, line);
    for (const holder of [tenant, ...others]) holder.lines += 1;
    return line;
  }

  #newTenant(id: string): Tenant<K> {
    const budget = this.#budgetOf(id);
    const tenant = newTenant(this.#kinds[0], id, this.#accountOf(id, budget));
    tenant.account.tenants += 1;
    this.#tenants.set(id, tenant);
    this.#budget(tenant, budget);
    return tenant;
  }

  #budgetOf(tenant: string): PoolBudget {
    const budget = this.#options.budgetOf?.(tenant) ?? EVEN;
    const { weight, part } = budget;
    assert(weight > 0 && part > 0 && part <= 1, `no budget: weight ${weight}, part ${part}`);
    return budget;
  }

  /** As it is now: a Workspace may change its Plan, or whose it is, while it holds permits. */
  #budget(tenant: Tenant<K>, { weight, part }: PoolBudget): void {
    const { account } = tenant;
    account.order.weights += weight - tenant.weight;
    tenant.weight = weight;
    tenant.part = part;
    // The tenants of one account have one weight.
    this.#order.weights += weight - account.weight;
    account.weight = weight;
  }

  #accountOf(tenant: string, budget: PoolBudget): PoolAccount<K> {
    const name = accountNameOf(tenant, budget);
    const account = this.#accounts.get(name) ?? newAccount<K>(name, budget, this.#order);
    this.#accounts.set(name, account);
    return account;
  }

  #move(tenant: Tenant<K>, budget: PoolBudget): void {
    const isInTurns = tenant.account.turns.has(tenant);
    this.#leaveTurns(tenant);
    this.#leaveAccount(tenant);
    const account = this.#accountOf(tenant.id, budget);
    tenant.account = account;
    account.tenants += 1;
    account.held += tenant.held;
    account.waiting += tenant.waiting;
    account.order.weights += tenant.weight;
    tenant.turn = account.order.time;
    for (const line of tenant.woken) account.woken.add(line);
    if (isInTurns) this.#enterTurns(tenant);
    this.#reorder(account);
    if (this.#blocked.has(account)) for (const line of tenant.woken) this.#endWake(line);
  }

  #leaveAccount(tenant: Tenant<K>): void {
    const { account } = tenant;
    account.tenants -= 1;
    account.held -= tenant.held;
    account.waiting -= tenant.waiting;
    account.order.weights -= tenant.weight;
    for (const line of tenant.woken) account.woken.delete(line);
    this.#reorder(account);
    if (account.tenants > 0) return;
    this.#accounts.delete(account.name);
    this.#order.weights -= account.weight;
    if (this.#accounts.size === 0) this.#order.time = this.#order.weights = 0;
  }

  #otherOf(kind: K, id: string): Holder<K> {
    const name = `${kind} ${id}`;
    const holder = this.#others.get(name) ?? newHolder(kind, id);
    this.#others.set(name, holder);
    return holder;
  }

  /** Lines that neither hold nor wait are not remembered, nor holders without a line. */
  #forget(line: Line<K>): void {
    const { id, tenant, others, held, waiting } = line;
    if (held > 0 || waiting.size > 0) return;
    tenant.byId.delete(id);
    for (const holder of [tenant, ...others]) holder.lines -= 1;
    for (const { kind, id: other, lines } of others) if (lines === 0) this.#others.delete(`${kind} ${other}`);
    if (tenant.lines > 0) return;
    this.#tenants.delete(tenant.id);
    this.#leaveAccount(tenant);
  }

  #grant(line: Line<K>): Permit<K> {
    const { tenant } = line;
    const budget = this.#budgetOf(tenant.id);
    if (tenant.account.name !== accountNameOf(tenant.id, budget)) this.#move(tenant, budget);
    this.#budget(tenant, budget);
    giveTurn(this.#order, tenant.account);
    giveTurn(tenant.account.order, tenant);
    this.#count(line, 1);
    const { clock } = this.#options;
    const grantedAt = clock.monotonic();
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#meanHeldMs += NEWEST_PART * (clock.monotonic() - grantedAt - this.#meanHeldMs);
      this.#count(line, -1);
      this.#forget(line);
      this.#admit();
    };
    return { granted: true, release };
  }

  #count(line: Line<K>, by: 1 | -1): void {
    const { tenant, others } = line;
    this.#free -= by;
    line.held += by;
    for (const holder of [tenant, ...others, tenant.account]) {
      holder.held += by;
      assert(holder.held >= 0, `a ${holder.kind} released more permits than it held`);
      if (this.#blocked.has(holder)) this.#blocked.put(holder);
    }
    if (tenant.account.turns.has(tenant)) tenant.account.turns.put(tenant);
    this.#reorder(tenant.account);
  }

  /** After what it has or waits for has changed. */
  #reorder(account: PoolAccount<K>): void {
    for (const heap of [this.#turns, this.#blocked]) if (heap.has(account)) heap.put(account);
  }

  #enterTurns(tenant: Tenant<K>): void {
    const { account } = tenant;
    account.turns.put(tenant);
    if (!this.#blocked.has(account)) this.#turns.put(account);
  }

  #leaveTurns(tenant: Tenant<K>): void {
    const { account } = tenant;
    account.turns.delete(tenant);
    if (account.turns.size > 0) return;
    this.#turns.delete(account);
    this.#blocked.delete(account);
  }

  /** Gives what is free to those whose turn it is. */
  #admit(): void {
    while (this.#free > 0) {
      this.#wakeAll();
      const account = this.#turns.peek();
      const tenant = account?.turns.peek();
      if (account === undefined || tenant === undefined) return;
      if (this.#hasShare(tenant)) this.#block(tenant);
      else if (this.#hasShare(account)) this.#blockAccount(account);
      else this.#turnOf(tenant);
    }
  }

  #turnOf(tenant: Tenant<K>): void {
    const [line] = tenant.ready;
    assert(line !== undefined, 'a tenant for which nothing waits had a turn');
    const taken = line.others.find((holder) => this.#hasShare(holder));
    if (taken !== undefined) return this.#park(line, taken);
    const [ask] = line.waiting;
    assert(ask !== undefined, 'a line in which nothing waits had a turn');
    const permit = this.#grant(line);
    this.#options.onWaited?.(this.#options.clock.monotonic() - ask.askedAt);
    ask.end(permit);
    this.#leaveReady(line);
    if (line.waiting.size > 0) tenant.ready.add(line);
    if (tenant.ready.size > 0) this.#enterTurns(tenant);
  }

  #park(line: Line<K>, at: Holder<K>): void {
    at.parked.add(line);
    this.#leaveReady(line);
    if (at.awake === null) this.#blocked.put(at);
  }

  /** Its lines stay ready; holders that woke one of them wake a line of another tenant. */
  #block(tenant: Tenant<K>): void {
    this.#leaveTurns(tenant);
    this.#blocked.put(tenant);
    for (const line of tenant.woken) this.#endWake(line);
  }

  /** Its tenants stay in its turns. */
  #blockAccount(account: PoolAccount<K>): void {
    this.#turns.delete(account);
    this.#blocked.put(account);
    for (const line of account.woken) this.#endWake(line);
  }

  #leaveReady(line: Line<K>): void {
    const { tenant } = line;
    tenant.ready.delete(line);
    if (tenant.ready.size === 0) {
      this.#leaveTurns(tenant);
      this.#blocked.delete(tenant);
    }
    this.#endWake(line);
  }

  #wakeAll(): void {
    for (let holder = this.#blocked.peek(); holder !== undefined; holder = this.#blocked.peek()) {
      if (this.#hasShare(holder)) return;
      this.#blocked.delete(holder);
      if ('turns' in holder) this.#turns.put(holder);
      else if (holder.kind === this.#kinds[0]) this.#enterTurns(holder as Tenant<K>);
      else this.#wakeOne(holder);
    }
  }

  /** The first whose tenant is not blocked; those of blocked tenants are ready by the time that these are not. */
  #wakeOne(holder: Holder<K>): void {
    for (const line of holder.parked) {
      const { tenant } = line;
      holder.parked.delete(line);
      tenant.ready.add(line);
      if (this.#blocked.has(tenant)) continue;
      this.#enterTurns(tenant);
      if (this.#blocked.has(tenant.account)) continue;
      for (const { woken } of [tenant, tenant.account]) woken.add(line);
      line.wokenBy = holder;
      holder.awake = line;
      return;
    }
  }

  /** The line had its turn or waits for nothing: the holder that woke it may wake the next. */
  #endWake(line: Line<K>): void {
    const holder = line.wokenBy;
    if (holder === null) return;
    line.wokenBy = holder.awake = null;
    for (const { woken } of [line.tenant, line.tenant.account]) woken.delete(line);
    if (holder.parked.size > 0) this.#blocked.put(holder);
  }

  /** The last that waited in the line gave up. */
  #abandon(line: Line<K>): void {
    for (const holder of line.others)
      if (holder.parked.delete(line) && holder.parked.size === 0) this.#blocked.delete(holder);
    this.#leaveReady(line);
    this.#forget(line);
    this.#admit();
  }
}
