import type { PoolBudget } from '#domain/pool.ts';
import { IndexedHeap } from './indexed-heap.ts';
import type { Permit } from './permit.ts';

/** One of those that take turns with each other. */
export interface TurnTaker {
  /** Turns in proportion to it. */
  weight: number;
  held: number;
  waiting: number;
  /** The virtual time of its next turn. */
  turn: number;
  /** The number of its last grant, of all grants; a newcomer counts as granted just before the last one. */
  lastGrant: number;
}

/** Of those that take turns with each other: their virtual time, the weight of all, and how many turns there were. */
export interface TurnOrder {
  time: number;
  weights: number;
  grants: number;
}

export interface Holder<K extends string> {
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
export interface Tenant<K extends string> extends Holder<K>, TurnTaker {
  account: PoolAccount<K>;
  readonly byId: Map<string, Line<K>>;
  /** Lines that wait for the tenant's turn and for no other holder, in their order. */
  readonly ready: Set<Line<K>>;
  /** Those of them that another holder woke. */
  readonly woken: Set<Line<K>>;
}

/** Tenants that take turns with all others as one. A tenant that names no account is the only one of its own. */
export interface PoolAccount<K extends string> extends TurnTaker {
  readonly kind: 'account';
  readonly name: string;
  /** As budgets name it; null: of one tenant that is alone. */
  readonly id: string | null;
  /** Those that hold or wait. */
  tenants: number;
  /** Of its tenants. */
  readonly order: TurnOrder;
  /** Those with ready lines that are not blocked. */
  readonly turns: IndexedHeap<Tenant<K>>;
  /** Lines of its tenants that another holder woke. */
  readonly woken: Set<Line<K>>;
}

export interface Ask<K extends string> {
  readonly askedAt: number;
  readonly end: (permit: Permit<K>) => void;
}

/** Those that ask in the name of the same holders, in the order of asking. */
export interface Line<K extends string> {
  readonly id: string;
  readonly tenant: Tenant<K>;
  /** All but the tenant. */
  readonly others: readonly Holder<K>[];
  held: number;
  readonly waiting: Set<Ask<K>>;
  wokenBy: Holder<K> | null;
}

/** Its first turn is as early as that of the others may be. */
function newTurnTaker({ time, grants }: TurnOrder): TurnTaker {
  return { weight: 0, held: 0, waiting: 0, turn: time, lastGrant: grants - 1 };
}

export function newTenant<K extends string>(kind: K, id: string, account: PoolAccount<K>): Tenant<K> {
  return {
    ...{ ...newHolder(kind, id), ...newTurnTaker(account.order) },
    ...{ account, byId: new Map(), ready: new Set(), woken: new Set() },
  };
}

/** What account a tenant is of: that of its budget, or one of its own, which no budget can name. */
export function accountNameOf(tenant: string, { account }: PoolBudget): string {
  return account === undefined ? `alone ${tenant}` : `of ${account}`;
}

export function newAccount<K extends string>(name: string, { account }: PoolBudget, order: TurnOrder): PoolAccount<K> {
  return {
    ...{ ...newTurnTaker(order), kind: 'account', name, id: account ?? null, tenants: 0, woken: new Set() },
    ...{ order: { time: 0, weights: 0, grants: 0 }, turns: new IndexedHeap<Tenant<K>>(isBefore) },
  };
}

export function newHolder<K extends string>(kind: K, id: string): Holder<K> {
  return { kind, id, part: 1, held: 0, lines: 0, parked: new Set(), awake: null };
}

/** Whose turn is first: who has the fewest permits for its weight, then whose virtual time is least. */
export function isBefore(a: TurnTaker, b: TurnTaker): boolean {
  const load = a.held / a.weight - b.held / b.weight;
  return load !== 0 ? load < 0 : a.turn !== b.turn ? a.turn < b.turn : a.lastGrant < b.lastGrant;
}

/** The virtual time of who comes anew to wait is not before that of the order. */
export function comeTo(order: TurnOrder, taker: TurnTaker): void {
  if (taker.waiting === 0) taker.turn = Math.max(taker.turn, order.time);
}

/** A grant moves the time of the order on by one through the weight of all, and that of who got it through its own. */
export function giveTurn(order: TurnOrder, taker: TurnTaker): void {
  if (order.grants > 0) order.time += 1 / order.weights;
  comeTo(order, taker);
  taker.turn += 1 / taker.weight;
  taker.lastGrant = ++order.grants;
}
