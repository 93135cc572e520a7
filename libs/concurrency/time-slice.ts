import type { Clock } from '#ports/clock.ts';
import { IndexedHeap } from './indexed-heap.ts';

/**
 * Short beside what a request takes: a request of another Workspace passes through the event loop several times, and
 * each time it may wait for one slice.
 */
const SLICE_MS = 2;
/** A Workspace that had none of the loop lately gets so much of it before those that did: most requests need less. */
const CREDIT_MS = 40;
/** What a single piece weighs at least: the turn of the loop that it has for itself. */
const MIN_PIECE_MS = 0.1;
/** One of so many slices is granted without regard to credit: those that need little delay the others, and no more. */
const WITHOUT_CREDIT_EVERY = 4;
/** A turn of the loop in which nothing else had so much to do is free for those that have had their share. */
const FREE_TURN_MS = 0.3;
/** They wait for one so many times as long as their last slice took, and no longer: a fifth of the loop is theirs. */
const WAITS_FOR_FREE_TURN = 4;
/** Workspaces are forgotten, those that have had their share last, when so many more are known than wait. */
const KNOWN_BESIDE_WAITING = 100;

/** To be awaited before each piece of a work. */
export type Pause = () => Promise<void> | void;

export interface TimeSlicesOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Of a Workspace; the same for all when left out. */
  readonly weightOf?: (workspaceId: string) => number;
  /** Workspaces of which it is the same have one share of the loop; each has its own when left out. */
  readonly accountOf?: (workspaceId: string) => string;
}

/** A Workspace, or an account of some; null: the work is for none. */
type Owner = string | null;

interface Waiting {
  readonly wake: () => void;
  /** Of its slice, paid for when it begins: the end of a work needs no notice then. */
  readonly advanceMs: number;
}

/** A Workspace that waits, or had time lately; of an account with several, all of them. */
interface Tenant {
  readonly id: Owner;
  /** Its works: by Workspace, in the order of their turns, and of each in the order in which they came to wait. */
  readonly waiting: Map<Owner, Waiting[]>;
  weight: number;
  /** It waits, or has had the slice of this turn of the loop and may want the next. */
  isActive: boolean;
  /** The virtual time of its next slice. */
  turn: number;
  /** Milliseconds of the loop by which its slices are before that. */
  credit: number;
}

/**
 * Shares the one event loop: long work goes on in slices, one slice in each turn of the loop, and between two of them
 * the loop serves whatever else has come. Without it a request of a hundred Posts delays all others until its last
 * piece is done.
 *
 * Whose slice is next goes by weighted fair queueing over the milliseconds for which works kept the loop: a slice moves
 * the virtual time of its Workspace on by its length through the Workspace's weight, that of the loop by its length
 * through the weight of all that want one, and the least is next. So a Workspace with a hundred requests that wait gets
 * no more of the loop than one with a single request, and a piece of 30 ms weighs as much as thirty of 1 ms. One that
 * comes anew begins at the loop's time, with a credit by which its slices are earlier (borrowed virtual time): a small
 * request has all the slices that it needs before those that had more lately. Credit is used up by slices, and comes
 * back while a Workspace wants less than its share.
 * One of four slices is granted without regard to credit, so that small requests without end starve none.
 *
 * Most of what a request takes is in no slice: it is parsed, looked up and answered in several turns of the loop. A
 * Workspace without credit leaves those turns alone: its slice comes in a turn that has nothing else to do, or after a
 * bounded wait.
 *
 * Modes: quiet (nothing had a slice since the loop last turned) -> turning: each turn of the loop grants one slice, or
 * none while one without credit waits for a free turn -> quiet, once a turn finds nothing that waits.
 */
export class TimeSlices {
  readonly #clock: TimeSlicesOptions['clock'];
  readonly #weightOf: (workspaceId: Owner) => number;
  readonly #accountOf: (workspaceId: string) => string;
  readonly #tenants = new Map<Owner, Tenant>();
  readonly #early = new IndexedHeap<Tenant>((a, b) => earlyTurnOf(a) < earlyTurnOf(b));
  readonly #byTurn = new IndexedHeap<Tenant>((a, b) => a.turn < b.turn);
  #isTurning = false;
  /** When this turn of the loop began, by the monotonic clock. */
  #turnFrom = 0;
  /** The last slice of one without credit. */
  #spent = { isNow: false, from: 0, ms: 0 };
  #slices = 0;
  #time = 0;
  /** Of the active. */
  #weights = 0;
  /** Had the slice of this turn. */
  #last: Tenant | null = null;

  constructor({ clock, weightOf = () => 1, accountOf = (workspaceId) => workspaceId }: TimeSlicesOptions) {
    this.#clock = clock;
    this.#accountOf = accountOf;
    this.#weightOf = (workspaceId) => (workspaceId === null ? 1 : weightOf(workspaceId));
  }

  /** Workspaces that wait, or had time lately. */
  get known(): number {
    return this.#tenants.size;
  }

  /**
   * Of a work of many pieces: its first slice begins at once, as most works need no second one. `sliceMs`: for work
   * that loses something by giving way.
   */
  begin(workspaceId: Owner, sliceMs = SLICE_MS): Pause {
    let begun: number | null = null;
    let isPaidFor = false;
    return () => {
      const now = this.#clock.monotonic();
      begun ??= now;
      const tookMs = now - begun;
      if (tookMs < sliceMs) return;
      const tenant = this.#active(workspaceId);
      this.#charge(tenant, isPaidFor ? tookMs - SLICE_MS : tookMs);
      isPaidFor = true;
      return this.#wait(tenant, workspaceId, SLICE_MS).then(() => {
        begun = this.#clock.monotonic();
      });
    };
  }

  /** One piece, which may take longer than a slice: no two of them in one turn of the loop. */
  async run<T>(workspaceId: Owner, piece: () => T): Promise<T> {
    const tenant = this.#active(workspaceId);
    if (this.#isTurning) await this.#wait(tenant, workspaceId, 0);
    else this.#grant(tenant);
    const begun = this.#clock.monotonic();
    try {
      return piece();
    } finally {
      this.#charge(tenant, Math.max(MIN_PIECE_MS, this.#clock.monotonic() - begun));
    }
  }

  #wait(tenant: Tenant, workspaceId: Owner, advanceMs: number): Promise<void> {
    return new Promise((wake) => {
      const own = tenant.waiting.get(workspaceId) ?? [];
      own.push({ wake, advanceMs });
      tenant.waiting.set(workspaceId, own);
      if (tenant.waiting.size === 1 && own.length === 1) this.#queue(tenant);
      if (!this.#isTurning) this.#turnSoon();
    });
  }

  #queue(tenant: Tenant): void {
    for (const heap of [this.#early, this.#byTurn]) heap.put(tenant);
  }

  #turnSoon(): void {
    this.#isTurning = true;
    this.#turnFrom = this.#clock.monotonic();
    void this.#clock.sleep(0).then(() => this.#turn());
  }

  #turn(): void {
    if (this.#last?.waiting.size === 0) this.#rest(this.#last);
    this.#last = null;
    const isBusy = this.#isBusyWithOthers();
    let tenant = (this.#slices % WITHOUT_CREDIT_EVERY === 0 ? this.#byTurn : this.#early).peek();
    if (isBusy && tenant?.credit === 0) tenant = this.#early.peek();
    if (tenant === undefined) {
      this.#isTurning = false;
      // With nobody to compare with, time begins anew.
      this.#tenants.clear();
      this.#time = 0;
      return;
    }
    if (isBusy && tenant.credit === 0) return this.#turnSoon();
    const { wake, advanceMs } = nextOf(tenant);
    this.#grant(tenant);
    this.#charge(tenant, advanceMs);
    if (tenant.waiting.size === 0) for (const heap of [this.#early, this.#byTurn]) heap.delete(tenant);
    wake();
  }

  /** The turn that ends had more to do than nothing, and the last slice of one without credit is not long ago. */
  #isBusyWithOthers(): boolean {
    const now = this.#clock.monotonic();
    const { from, ms } = this.#spent;
    return now - this.#turnFrom > FREE_TURN_MS && now - from < (1 + WAITS_FOR_FREE_TURN) * ms;
  }

  #grant(tenant: Tenant): void {
    this.#last = tenant;
    this.#slices += 1;
    if (tenant.credit === 0) this.#spent = { isNow: true, from: this.#clock.monotonic(), ms: 0 };
    else this.#spent.isNow = false;
    this.#turnSoon();
  }

  #charge(tenant: Tenant, ms: number): void {
    if (ms <= 0) return;
    if (this.#spent.isNow) this.#spent.ms += ms;
    tenant.credit = Math.max(0, tenant.credit - ms);
    tenant.turn += ms / tenant.weight;
    this.#time += ms / this.#weights;
    if (tenant.waiting.size > 0) this.#queue(tenant);
  }

  #active(workspaceId: Owner): Tenant {
    const id = workspaceId === null ? null : this.#accountOf(workspaceId);
    const tenant = this.#tenants.get(id) ?? this.#newTenant(id);
    if (tenant.isActive) return tenant;
    tenant.isActive = true;
    tenant.weight = this.#weightOf(workspaceId);
    tenant.credit = this.#creditOf(tenant);
    tenant.turn = Math.max(tenant.turn, this.#time);
    this.#weights += tenant.weight;
    return tenant;
  }

  #rest(tenant: Tenant): void {
    tenant.isActive = false;
    this.#weights -= tenant.weight;
  }

  #newTenant(id: Owner): Tenant {
    if (this.#tenants.size > 2 * this.#byTurn.size + KNOWN_BESIDE_WAITING) this.#forgetSome();
    const tenant: Tenant = { id, waiting: new Map(), weight: 1, isActive: false, turn: this.#time, credit: CREDIT_MS };
    this.#tenants.set(id, tenant);
    return tenant;
  }

  /** Those that have all of their credit again. */
  #forgetSome(): void {
    for (const [id, tenant] of this.#tenants)
      if (!tenant.isActive && this.#creditOf(tenant) === CREDIT_MS) this.#tenants.delete(id);
  }

  /** What it did not want while others had their share, it has as credit. */
  #creditOf({ turn, credit, weight }: Tenant): number {
    return Math.min(CREDIT_MS, credit + Math.max(0, this.#time - turn) * weight);
  }
}

function earlyTurnOf({ turn, credit, weight }: Tenant): number {
  return turn - credit / weight;
}

/** The first that waits of the Workspace whose turn it is; what else waits there goes behind others of the account. */
function nextOf({ waiting }: Tenant): Waiting {
  const [[workspaceId, own]] = waiting as unknown as [[Owner, Waiting[]]];
  const next = own.shift()!;
  waiting.delete(workspaceId);
  if (own.length > 0) waiting.set(workspaceId, own);
  return next;
}
