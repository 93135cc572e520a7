import assert from 'node:assert/strict';
import type { FairPool } from '#concurrency/fair-pool.ts';
import type { Permit } from '#concurrency/permit.ts';
import { transition, type Transitions } from '#concurrency/transition.ts';
import { AdaptiveConcurrency } from './adaptive-concurrency.ts';

/** A delivery that waits for its turn. */
export interface QueuedDelivery {
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly host: string;
  /** A first attempt: those come before what is tried again. */
  readonly isFresh: boolean;
}

export interface FairQueueLimits {
  /** Attempts at once in this process. */
  readonly atOnce: number;
  readonly atOnceOfHost: number;
  /** Of one endpoint and kind (fresh, again), waiting. */
  readonly waitingOfEndpoint: number;
  /** Of all endpoints, waiting. */
  readonly waiting: number;
  /** Endpoints remembered that have nothing to do. */
  readonly idleEndpoints: number;
}

export interface FairQueueOptions {
  readonly limits: FairQueueLimits;
  /** Has as many permits as `atOnce`: each attempt holds one in the name of its Workspace. */
  readonly pool: Pick<FairPool<'workspace'>, 'tryAcquire' | 'acquire'>;
  /** Called when a delivery that waited for the turn of its Workspace may begin: `next` has it. */
  readonly onTurn: () => void;
}

type GrantedPermit = Extract<Permit<'workspace'>, { granted: true }>;

type State = 'idle' | 'ready' | 'parked';
const TRANSITIONS: Transitions<State> = { idle: ['ready'], ready: ['ready', 'parked', 'idle'], parked: ['ready'] };

/**
 * What waits for one endpoint. idle (nothing waits) -> ready (in the ring, for its next turn) -> parked (at its turn it
 * got no slot) -> ready (a slot was freed) -> idle (its last delivery had its turn).
 */
interface EndpointLine<W> {
  readonly endpointId: string;
  readonly workspaceId: string;
  readonly host: Host<W>;
  readonly concurrency: AdaptiveConcurrency;
  readonly fresh: W[];
  readonly again: W[];
  running: number;
  turnsTaken: number;
  state: State;
  /** It waits for its Workspace's turn in the pool. */
  isAsking: boolean;
  /** For its next attempt. */
  permit: GrantedPermit | null;
}

interface Host<W> {
  readonly name: string;
  running: number;
  troubledRunning: number;
  lines: number;
  readonly parked: ParkedLines<W>;
}

interface RunningDelivery<W> {
  readonly line: EndpointLine<W>;
  readonly isTroubled: boolean;
  readonly permit: GrantedPermit;
}

/**
 * Lines that wait for a slot that another line must free. Kept apart, or a freed slot would wake a troubled line, which
 * may not use it, in place of a healthy one.
 */
interface ParkedLines<W> {
  readonly healthy: Set<EndpointLine<W>>;
  readonly troubled: Set<EndpointLine<W>>;
}

/** Of so many turns of an endpoint one is for a delivery that is tried again, however many are fresh. */
const AGAIN_EVERY = 8;

/**
 * A fair queue: decides which delivery is attempted next. Workspaces take turns by a pool of permits, however many
 * endpoints each has, and the endpoints of a Workspace take turns, however much waits for each. An endpoint has its own
 * share of slots, a host and the process have theirs, and endpoints in trouble together get at most half of either:
 * endpoints that hang can not take the slots of those that answer. Everything is bounded; a delivery that finds no room
 * is refused here and waits elsewhere. No step looks at more than a few lines.
 *
 * A delivery is waiting (`offer`) -> running (`next`) -> gone (`done`); any other order is a defect of the caller.
 */
export class FairQueue<W extends QueuedDelivery> {
  readonly #limits: FairQueueLimits;
  readonly #options: FairQueueOptions;
  readonly #lines = new Map<string, EndpointLine<W>>();
  readonly #hosts = new Map<string, Host<W>>();
  readonly #ring = new Set<EndpointLine<W>>();
  /** In trouble, and waiting until fewer of such lines run. */
  readonly #troubled = new Set<EndpointLine<W>>();
  readonly #started = new Map<W, RunningDelivery<W>>();
  #running = 0;
  #troubledRunning = 0;
  #waiting = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#limits = options.limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  waitingOf(endpointId: string): number {
    const line = this.#lines.get(endpointId);
    return line === undefined ? 0 : line.fresh.length + line.again.length;
  }

  isTroubled(endpointId: string): boolean {
    return this.#lines.get(endpointId)?.concurrency.isTroubled ?? false;
  }

  /** False: there is no room for it. Only a delivery that neither waits nor runs may be offered. */
  offer(one: W): boolean {
    const line = this.#lineOf(one);
    const queue = one.isFresh ? line.fresh : line.again;
    if (queue.length >= this.#limits.waitingOfEndpoint || this.#waiting >= this.#limits.waiting) return false;
    queue.push(one);
    this.#waiting++;
    if (line.state === 'idle') this.#makeReady(line);
    return true;
  }

  /** Takes the next delivery and a slot for it; null: none may begin now. */
  next(): W | null {
    for (const line of this.#ring) {
      this.#ring.delete(line);
      const permit = this.#mayBegin(line) ? this.#permitFor(line) : null;
      if (permit === null) continue;
      const one = this.#take(line);
      this.#start(line, one, permit);
      return one;
    }
    return null;
  }

  /** Frees its slot. `isSuccess` null: the attempt tells nothing about the endpoint. */
  done(one: W, isSuccess: boolean | null): void {
    const begun = this.#started.get(one);
    assert(begun !== undefined, 'done without a turn');
    this.#started.delete(one);
    const { line, isTroubled, permit } = begun;
    this.#running--;
    line.running--;
    line.host.running--;
    if (isTroubled) {
      this.#troubledRunning--;
      line.host.troubledRunning--;
    }
    if (isSuccess !== null) line.concurrency.recordResult(isSuccess);
    permit.release();
    if (line.state === 'parked') this.#makeReady(line);
    for (const parked of [line.host.parked.healthy, line.host.parked.troubled, this.#troubled]) this.#wake(parked);
    this.#forgetIdle();
  }

  /** Parks the line where a freed slot will wake it when there is none now, without the permit that it may have. */
  #mayBegin(line: EndpointLine<W>): boolean {
    const mayBegin = this.#hasSlot(line);
    if (!mayBegin) this.#giveBack(line);
    return mayBegin;
  }

  #hasSlot(line: EndpointLine<W>): boolean {
    const { concurrency, host } = line;
    const { atOnce, atOnceOfHost } = this.#limits;
    if (line.running >= concurrency.limit) {
      // The next attempt of its own that ends wakes it.
      enter(line, 'parked');
      return false;
    }
    const half = (slots: number): number => Math.max(1, Math.floor(slots / 2));
    const { isTroubled } = concurrency;
    if (host.running >= atOnceOfHost || (isTroubled && host.troubledRunning >= half(atOnceOfHost)))
      return park(host.parked[isTroubled ? 'troubled' : 'healthy'], line);
    return isTroubled && this.#troubledRunning >= half(atOnce) ? park(this.#troubled, line) : true;
  }

  /** Parks the line until its Workspace has its turn when it has none now. */
  #permitFor(line: EndpointLine<W>): GrantedPermit | null {
    const { pool, onTurn } = this.#options;
    const holders = { workspace: line.workspaceId };
    const permit = line.permit ?? pool.tryAcquire(holders);
    line.permit = null;
    if (permit.granted) return permit;
    enter(line, 'parked');
    if (line.isAsking) return null;
    line.isAsking = true;
    void pool.acquire(holders).then((granted) => {
      assert(granted.granted, 'a wait for a permit of deliveries ended without one');
      line.isAsking = false;
      line.permit = granted;
      // Meanwhile its deliveries may have had their turns by permits that were free.
      if (line.state === 'idle') this.#giveBack(line);
      else this.#makeReady(line);
      onTurn();
    });
    return null;
  }

  #giveBack(line: EndpointLine<W>): void {
    line.permit?.release();
    line.permit = null;
  }

  #take(line: EndpointLine<W>): W {
    line.turnsTaken++;
    const again = line.again.length > 0 && (line.fresh.length === 0 || line.turnsTaken % AGAIN_EVERY === 0);
    const one = (again ? line.again : line.fresh).shift();
    assert(one !== undefined, 'a line without work had a turn');
    this.#waiting--;
    return one;
  }

  #start(line: EndpointLine<W>, one: W, permit: GrantedPermit): void {
    const { isTroubled } = line.concurrency;
    assert(!this.#started.has(one), 'a delivery that runs was given a second turn');
    this.#started.set(one, { line, isTroubled, permit });
    this.#running++;
    line.running++;
    line.host.running++;
    if (isTroubled) {
      this.#troubledRunning++;
      line.host.troubledRunning++;
    }
    if (line.fresh.length + line.again.length > 0) this.#makeReady(line);
    else enter(line, 'idle');
  }

  #makeReady(line: EndpointLine<W>): void {
    for (const parked of [line.host.parked.healthy, line.host.parked.troubled, this.#troubled]) parked.delete(line);
    enter(line, 'ready');
    this.#ring.add(line);
  }

  #wake([line]: ReadonlySet<EndpointLine<W>>): void {
    if (line !== undefined) this.#makeReady(line);
  }

  #lineOf({ endpointId, workspaceId, host: name }: W): EndpointLine<W> {
    const known = this.#lines.get(endpointId);
    // Moves to the end: the least lately used is forgotten first.
    if (known !== undefined) this.#lines.delete(endpointId);
    const line = known ?? this.#newLine(endpointId, workspaceId, name);
    this.#lines.set(endpointId, line);
    return line;
  }

  #newLine(endpointId: string, workspaceId: string, name: string): EndpointLine<W> {
    const host = this.#hosts.get(name) ?? {
      name,
      running: 0,
      troubledRunning: 0,
      lines: 0,
      parked: { healthy: new Set(), troubled: new Set() },
    };
    this.#hosts.set(name, host);
    host.lines++;
    return {
      endpointId,
      workspaceId,
      host,
      concurrency: new AdaptiveConcurrency(),
      fresh: [],
      again: [],
      running: 0,
      turnsTaken: 0,
      state: 'idle',
      isAsking: false,
      permit: null,
    };
  }

  #forgetIdle(): void {
    if (this.#lines.size <= this.#limits.idleEndpoints) return;
    const [oldest] = this.#lines.values();
    this.#lines.delete(oldest!.endpointId);
    if (oldest!.state !== 'idle' || oldest!.running > 0) return void this.#lines.set(oldest!.endpointId, oldest!);
    oldest!.host.lines--;
    if (oldest!.host.lines === 0) this.#hosts.delete(oldest!.host.name);
  }
}

function enter<W>(line: EndpointLine<W>, state: State): void {
  line.state = transition('a line of the fair queue', TRANSITIONS, line.state, state);
}

function park<W>(parked: Set<EndpointLine<W>>, line: EndpointLine<W>): false {
  enter(line, 'parked');
  parked.add(line);
  return false;
}
