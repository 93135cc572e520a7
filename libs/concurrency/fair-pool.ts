import assert from 'node:assert/strict';
import type { PoolBudget } from '#domain/pool.ts';
import type { Clock } from '#ports/clock.ts';
import { IndexedHeap } from './indexed-heap.ts';

/**
 * A permit, or why there is none: `by` names the kind of holder that has its share already; `all`: every permit is
 * held. `retryAfterMs`: when a permit is likely to be free for the holder, by how long permits were held lately.
 */
export type Permit<K extends string> =
  | { readonly granted: true; readonly release: () => void }
  | { readonly granted: false; readonly by: K | 'all'; readonly retryAfterMs: number };

export interface FairPoolOptions<K extends string> {
  /** How much goes on at once, for all holders together. */
  readonly permits: number;
  /** By kind of holder: how many permits one holder of the kind may have at once. The first kind takes turns. */
  readonly maxOf: Readonly<Record<K, number>>;
  /** A holder is refused while it has this many times the permits that are free; 1 when left out. */
  readonly timesFree?: number;
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
  readonly held: number;
  readonly waiting: number;
}

type Holders<K extends string> = Readonly<Record<K, string>>;

interface Ask<K extends string> {
  readonly askedAt: number;
  readonly end: (permit: Permit<K>) => void;
}

interface Holder<K extends string> {
  readonly kind: K;
  readonly id: string;
  /** Of `maxOf`. */
  part: number;
  held: number;
  /** Lines in its name. */
  lines: number;
  /** Lines that wait until this holder, not a tenant, may have a further permit. */
  readonly parked: Set<Line<K>>;
  /** The one of them that was woken and has not had its turn. */
  awake: Line<K> | null;
}

/** A holder of the first kind. */
interface Tenant<K extends string> extends Holder<K> {
  weight: number;
  readonly byId: Map<string, Line<K>>;
  /** Lines that wait for the tenant's turn and for no other holder, in their order. */
  readonly ready: Set<Line<K>>;
  /** Those of them that another holder woke. */
  readonly woken: Set<Line<K>>;
  waiting: number;
  /** The virtual time of its next turn. */
  turn: number;
  /** The number of its last grant, of all grants; a newcomer counts as granted just before the last one. */
  lastGrant: number;
}

/** Those that ask in the name of the same holders, in the order of asking. */
interface Line<K extends string> {
  readonly id: string;
  readonly tenant: Tenant<K>;
  /** All but the tenant. */
  readonly others: readonly Holder<K>[];
  held: number;
  readonly waiting: Set<Ask<K>>;
  wokenBy: Holder<K> | null;
}

const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** How long permits are taken to be held before any was released. */
const FIRST_MEAN_MS = 5_000;
/** Of the mean time for which permits are held, the part of the newest. */
const NEWEST_PART = 0.1;
const EVEN: PoolBudget = { weight: 1, part: 1 };

/**
 * Bounds how much of one thing goes on at once, in all and for each holder: a Workspace, a client, a host. Each permit
 * is held in the name of one holder of every kind; holders of the first kind are the tenants.
 *
 * Shares. A holder never has more permits than `maxOf` says, nor gets one while it has `timesFree` times as many as are
 * free. With 1, each further holder that takes all it gets leaves half of the rest, so that a newcomer finds a permit
 * until many have come; with 3, a holder that is alone gets three quarters of all. Room to wait is shared alike: a
 * tenant may not have more waiting than room is left.
 *
 * Turns. Of the tenants that wait, the one with the fewest permits for its weight is next, then the one whose virtual
 * time is least (weighted fair queueing): a grant moves a tenant's time on by one through its weight, and the pool's
 * time by one through the weight of all. A newcomer begins at the pool's time, so that newcomers without end starve no
 * tenant. Within a tenant its lines take turns, and in a line the first that asked is next.
 *
 * Nothing is searched, so a step costs the logarithm of the number of holders. A line that waits is ready (its tenant's
 * turn may bring it a permit) -> parked (at that turn another holder had its share) -> ready (that holder woke it: one
 * line at a time, and when that line had its turn, with or without a permit, the next) -> gone (nothing in it waits). A
 * tenant that has its share at its turn is blocked with all of its lines until it releases a permit or enough are free.
 * While a permit is free, all that waits is parked or blocked.
 */
export class FairPool<K extends string> {
  readonly #options: FairPoolOptions<K>;
  readonly #kinds: readonly [K, ...K[]];
  readonly #tenants = new Map<string, Tenant<K>>();
  readonly #others = new Map<string, Holder<K>>();
  /** Tenants with ready lines that are not blocked. */
  readonly #turns = new IndexedHeap<Tenant<K>>(isBefore);
  /** Blocked tenants, and other holders with parked lines none of which is awake. */
  readonly #blocked = new IndexedHeap<Holder<K>>((a, b) => this.#freeNeededBy(a) < this.#freeNeededBy(b));
  #permits: number;
  /** Below 0 while more is held than there is since a `resize`. */
  #free: number;
  #waiting = 0;
  #grants = 0;
  #time = 0;
  #weights = 0;
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

  /** Of all kinds: those that hold or wait. No others are remembered. */
  get holders(): number {
    return this.#tenants.size + this.#others.size;
  }

  /** Permits that the holder has. */
  held(kind: K, holder: string): number {
    return (kind === this.#kinds[0] ? this.#tenants.get(holder) : this.#others.get(`${kind} ${holder}`))?.held ?? 0;
  }

  /** The tenants that hold and wait for most, most first. */
  top(count: number): readonly TenantLoad[] {
    return [...this.#tenants.values()]
      .map(({ id, held, waiting }) => ({ id, held, waiting }))
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
    if (permit.granted || signal?.aborted === true || !this.#mayWait(holders)) return Promise.resolve(permit);
    const line = this.#lineOf(holders);
    return new Promise((resolve) => {
      const end = (given: Permit<K>): void => {
        line.waiting.delete(ask);
        line.tenant.waiting -= 1;
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

  #mayWait(holders: Holders<K>): boolean {
    const room = (this.#options.maxWaiting ?? Infinity) - this.#waiting;
    return (this.#tenants.get(holders[this.#kinds[0]])?.waiting ?? 0) < room;
  }

  #wait(line: Line<K>, ask: Ask<K>): void {
    const { tenant } = line;
    if (tenant.waiting === 0) tenant.turn = Math.max(tenant.turn, this.#time);
    line.waiting.add(ask);
    tenant.waiting += 1;
    this.#waiting += 1;
    if (line.waiting.size > 1) return;
    tenant.ready.add(line);
    if (!this.#blocked.has(tenant)) this.#turns.put(tenant);
    // Where permits are free, this parks the line or blocks its tenant: it was refused just now.
    this.#admit();
  }

  #refusal(by: K | 'all', { tenant, others }: Line<K>): Permit<K> {
    const holder = [tenant, ...others].find(({ kind }) => kind === by);
    const held = holder?.held ?? this.#permits - this.#free;
    // Each permit that is held is as likely as any other to be released next.
    const likelyMs = (this.#meanHeldMs * (1 + (holder === undefined ? this.#waiting : tenant.waiting))) / (held || 1);
    return { granted: false, by, retryAfterMs: Math.min(MAX_RETRY_MS, Math.max(MIN_RETRY_MS, Math.ceil(likelyMs))) };
  }

  #refusedBy({ tenant, others }: Line<K>): K | 'all' | null {
    if (this.#free <= 0) return 'all';
    return [tenant, ...others].find((holder) => this.#hasShare(holder))?.kind ?? null;
  }

  #hasShare(holder: Holder<K>): boolean {
    return this.#freeNeededBy(holder) > this.#free;
  }

  /** How many permits must be free before it may have a further one. */
  #freeNeededBy({ kind, part, held }: Holder<K>): number {
    if (held >= Math.max(1, Math.floor(this.#options.maxOf[kind] * part))) return Infinity;
    return Math.floor(held / (this.#options.timesFree ?? 1)) + 1;
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
    const tenant: Tenant<K> = {
      ...{ ...newHolder(this.#kinds[0], id), weight: 0, byId: new Map(), ready: new Set(), woken: new Set() },
      ...{ waiting: 0, turn: this.#time, lastGrant: this.#grants - 1 },
    };
    this.#tenants.set(id, tenant);
    this.#budget(tenant);
    return tenant;
  }

  /** As it is now: a Workspace may change its Plan while it holds permits. */
  #budget(tenant: Tenant<K>): void {
    const { weight, part } = this.#options.budgetOf?.(tenant.id) ?? EVEN;
    assert(weight > 0 && part > 0 && part <= 1, `no budget: weight ${weight}, part ${part}`);
    this.#weights += weight - tenant.weight;
    tenant.weight = weight;
    tenant.part = part;
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
    this.#weights -= tenant.weight;
    if (this.#tenants.size === 0) this.#time = this.#weights = 0;
  }

  #grant(line: Line<K>): Permit<K> {
    const { tenant } = line;
    if (this.#grants > 0) this.#time += 1 / this.#weights;
    if (tenant.waiting === 0) tenant.turn = Math.max(tenant.turn, this.#time);
    this.#budget(tenant);
    tenant.turn += 1 / tenant.weight;
    tenant.lastGrant = ++this.#grants;
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
    for (const holder of [tenant, ...others]) {
      holder.held += by;
      assert(holder.held >= 0, `${holder.kind} ${holder.id} released more permits than it held`);
      if (this.#blocked.has(holder)) this.#blocked.put(holder);
    }
    if (this.#turns.has(tenant)) this.#turns.put(tenant);
  }

  /** Gives what is free to those whose turn it is. */
  #admit(): void {
    while (this.#free > 0) {
      this.#wakeAll();
      const tenant = this.#turns.peek();
      if (tenant === undefined) return;
      if (this.#hasShare(tenant)) this.#block(tenant);
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
    if (tenant.ready.size > 0) this.#turns.put(tenant);
  }

  #park(line: Line<K>, at: Holder<K>): void {
    at.parked.add(line);
    this.#leaveReady(line);
    if (at.awake === null) this.#blocked.put(at);
  }

  /** Its lines stay ready; holders that woke one of them wake a line of another tenant. */
  #block(tenant: Tenant<K>): void {
    this.#turns.delete(tenant);
    this.#blocked.put(tenant);
    for (const line of tenant.woken) this.#endWake(line);
  }

  #leaveReady(line: Line<K>): void {
    const { tenant } = line;
    tenant.ready.delete(line);
    if (tenant.ready.size === 0) {
      this.#turns.delete(tenant);
      this.#blocked.delete(tenant);
    }
    this.#endWake(line);
  }

  #wakeAll(): void {
    for (let holder = this.#blocked.peek(); holder !== undefined; holder = this.#blocked.peek()) {
      if (this.#hasShare(holder)) return;
      this.#blocked.delete(holder);
      if (holder.kind === this.#kinds[0]) this.#turns.put(holder as Tenant<K>);
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
      tenant.woken.add(line);
      line.wokenBy = holder;
      holder.awake = line;
      return this.#turns.put(tenant);
    }
  }

  /** The line had its turn or waits for nothing: the holder that woke it may wake the next. */
  #endWake(line: Line<K>): void {
    const holder = line.wokenBy;
    if (holder === null) return;
    line.wokenBy = holder.awake = null;
    line.tenant.woken.delete(line);
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

function newHolder<K extends string>(kind: K, id: string): Holder<K> {
  return { kind, id, part: 1, held: 0, lines: 0, parked: new Set(), awake: null };
}

function isBefore<K extends string>(a: Tenant<K>, b: Tenant<K>): boolean {
  const load = a.held / a.weight - b.held / b.weight;
  return load !== 0 ? load < 0 : a.turn !== b.turn ? a.turn < b.turn : a.lastGrant < b.lastGrant;
}

/** Of so many permits one in `parts`, at least one. */
export function shareOf(permits: number, parts: number): number {
  return Math.max(1, Math.floor(permits / parts));
}
