import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxClient } from '#testing/crier-clients.ts';
import type { CutProxy } from '#testing/cut-proxy.ts';
import type { EngineProcess } from '#testing/engines/process.ts';
import type { SeededRandom } from '#testing/seeded-random.ts';
import { until } from '#testing/until.ts';
import type { ClockLead } from './early.ts';
import type { Installation, Victim } from './installation.ts';

/** What a nemesis did: each fault with the time it lasted, and the number of each kind. */
export interface FaultsDone {
  readonly lines: readonly string[];
  readonly counts: ReadonlyMap<FaultKind, number>;
  /** Calls that a Network was to refuse for good. */
  readonly refusals: number;
  /** Calls of a Network that were to be lost, slow or answered with 5xx. */
  readonly brokenCalls: number;
  /** By clocks that a process accepts, and publishes by. */
  readonly leads: readonly ClockLead[];
  /** Kinds that nothing here can make: without libfaketime, or where no disk can be mounted. */
  readonly impossible: readonly FaultKind[];
  /** Possible kinds that were not made all the same. */
  readonly missing: readonly FaultKind[];
  /** Processes that ended by themselves and were started again, with the last that they said. */
  readonly endedBySelf: readonly string[];
}

/**
 * Three lanes at a time, each with one fault after the other: of three brokers and three nodes one at most is away, and
 * at the same time a process or its ways or clock, and a Network.
 */
const LANES = {
  processes: [
    'process killed',
    'process paused',
    'worker paused until replaced',
    'process restarted',
    'process without brokers',
    'process without one broker',
    'clock ahead',
    'clock behind',
    'clock a little ahead',
    'clock a little behind',
  ],
  engines: [
    'broker killed',
    'broker paused',
    'node killed',
    'node paused',
    'node unreachable',
    'disk of a broker full',
    'disk of a node full',
  ],
  networks: [
    'answers of a Network lost',
    'requests to a Network lost',
    'a Network slow',
    'a Network out of order',
    'a Network refuses',
  ],
} as const;
const FAULT_KINDS: readonly FaultKind[] = Object.values(LANES).flat();
export type FaultKind = (typeof LANES)[keyof typeof LANES][number];

export interface NemesisOptions {
  /** Whether faults go on until each possible kind was made, however long that takes. */
  readonly everyKind?: boolean;
  /** Left out: all. */
  readonly kinds?: readonly FaultKind[];
}

const ENDS_WITHIN_MS = 240_000;
const RESTART_AFTER_MS = 1_000;
/** Shorter and longer than a group's session. */
const LASTS_MS = { from: 500, to: 20_000 };
/** Longer than a group's session by what another worker needs to own its partitions, and to change something. */
const REPLACED_MS = { from: 15_000, to: 30_000 };
const CALM_MS = { from: 0, to: 6_000 };
/** Calls of a Network that one fault meets at most. */
const MAX_CALLS = 4;
/** X is asked for so long about a call whose answer was lost. */
const X_ASKED_MS = 180_000;
/** A clock that was two hours in local time is put right by NTP after a while; another one was never set. */
const LEAD_S = 7_200;
const LAG_S = 600;
/** More than what machines with NTP differ by, and less than what a process refuses. */
const ACCEPTED_S = { from: 5, to: 25 };

/**
 * Makes faults, of which the seed alone chooses kind, victim and length; only when they come depends on how long the
 * machine takes over those before. As an orchestrator does, it starts a process again that has ended by itself.
 */
export class Nemesis {
  readonly #on: Installation;
  readonly #random: SeededRandom;
  readonly #lines: string[] = [];
  readonly #counts = new Map<FaultKind, number>();
  readonly #endedBySelf: string[] = [];
  readonly #leads: ClockLead[] = [];
  #refusals = 0;
  #brokenCalls = 0;
  /** Down because of a fault: not to be started by anything else. */
  readonly #heldDown = new Set<Victim>();
  readonly #from = performance.now();
  /** When no further fault begins, but for kinds that have not come yet. */
  #until = 0;

  constructor(installation: Installation, random: SeededRandom) {
    this.#on = installation;
    this.#random = random;
  }

  /** Resolves when the last fault is over and everything runs again. */
  async run(forMs: number, { everyKind = false, kinds: chosen = FAULT_KINDS }: NemesisOptions): Promise<FaultsDone> {
    {
      await using _ = this.#restartWhatEnds();
      this.#until = performance.now() + forMs;
      const isOver = (kinds: readonly FaultKind[]): boolean =>
        performance.now() >= this.#until && (!everyKind || kinds.every((kind) => this.#counts.has(kind)));
      const lanes = Object.values(LANES).map((kinds) =>
        kinds.filter((kind) => chosen.includes(kind) && this.#isPossible(kind)),
      );
      await Promise.all(lanes.map((kinds) => this.#lane(kinds, isOver)));
    }
    await Promise.all(
      this.#victims.map(({ process }) => (process.pid === null ? process.start(ENDS_WITHIN_MS) : null)),
    );
    return {
      ...{ lines: this.#lines, counts: this.#counts, endedBySelf: this.#endedBySelf },
      ...{ refusals: this.#refusals, brokenCalls: this.#brokenCalls, leads: this.#leads },
      impossible: FAULT_KINDS.filter((kind) => !this.#isPossible(kind)),
      missing: FAULT_KINDS.filter((kind) => this.#isPossible(kind) && !this.#counts.has(kind)),
    };
  }

  async #lane(kinds: readonly FaultKind[], isOver: (kinds: readonly FaultKind[]) => boolean): Promise<void> {
    // Each kind once, in an order of the seed, before any comes again.
    let bag: FaultKind[] = [];
    while (kinds.length > 0 && !isOver(kinds)) {
      if (bag.length === 0) bag = kinds.toSorted(() => this.#random.next() - 0.5);
      const kind = bag.pop()!;
      if (!(await this.#make(kind))) bag.unshift(kind);
      await sleep(this.#random.between(CALM_MS.from, CALM_MS.to));
    }
  }

  get #victims(): readonly Victim[] {
    return [...this.#on.ingresses, ...this.#on.workers];
  }

  #isPossible(kind: FaultKind): boolean {
    if (kind === 'disk of a broker full') return this.#on.disks.kafka !== null;
    if (kind === 'disk of a node full') return this.#on.disks.cassandra !== null;
    return !kind.startsWith('clock') || this.#on.workers.every(({ clock }) => clock !== null);
  }

  /** False: it met a process that was down anyway. */
  async #make(kind: FaultKind): Promise<boolean> {
    const { from, to } = kind === 'worker paused until replaced' ? REPLACED_MS : LASTS_MS;
    const lastsMs = this.#random.between(from, to);
    const victim = this.#one(this.#victims);
    const worker = this.#one(this.#on.workers);
    const index = Math.floor(this.#random.next() * this.#on.toNodes.length);
    const { kafka, cassandra, disks } = this.#on;
    const at = performance.now();
    const on = await {
      'process killed': () => this.#down(victim, 'kill', lastsMs),
      'process restarted': () => this.#down(victim, 'stop', 0),
      'process paused': () => this.#paused(victim, lastsMs),
      'worker paused until replaced': () => this.#paused(worker, lastsMs),
      'broker killed': () => killed(kafka.machines[index]!, `broker ${index}`, lastsMs),
      'broker paused': () => paused(kafka.machines[index]!, `broker ${index}`, lastsMs),
      'node killed': () => killed(cassandra.machines[index]!, `node ${index}`, lastsMs),
      'node paused': () => paused(cassandra.machines[index]!, `node ${index}`, lastsMs),
      'process without brokers': () => cut(victim.toBrokers, victim.process.name, lastsMs),
      'process without one broker': () => cut([victim.toBrokers[index]!], `${victim.process.name} ${index}`, lastsMs),
      'node unreachable': () => cut([this.#on.toNodes[index]!], `node ${index}`, lastsMs),
      'clock ahead': () => this.#off(worker, LEAD_S, lastsMs),
      'clock behind': () => this.#off(worker, -LAG_S, lastsMs),
      'clock a little ahead': () => this.#leading(worker, lastsMs),
      'clock a little behind': () => this.#off(worker, -this.#acceptedSeconds(), lastsMs),
      'disk of a broker full': async () => {
        disks.kafka!.fill();
        await sleep(lastsMs);
        disks.kafka!.free();
        return killed(kafka.machines[0]!, 'broker 0', 0);
      },
      'disk of a node full': async () => {
        disks.cassandra!.fill();
        await sleep(lastsMs);
        disks.cassandra!.free();
        return killed(cassandra.machines[0]!, 'node 0', 0);
      },
      'answers of a Network lost': () => this.#network('drop_after_commit', lastsMs),
      'requests to a Network lost': () => this.#network('drop_before_commit', lastsMs),
      'a Network slow': () => this.#network('delay', lastsMs),
      'a Network out of order': () => this.#network('5xx_before_commit', lastsMs),
      'a Network refuses': () => this.#refused(lastsMs),
    }[kind]();
    if (on === null) return false;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
    this.#lines.push(
      `${seconds(at - this.#from)} s: ${kind}, ${on}: ${seconds(lastsMs)} s; all well after ${seconds(performance.now() - at)} s`,
    );
    return true;
  }

  async #down(victim: Victim, how: 'kill' | 'stop', lastsMs: number): Promise<string | null> {
    const { process } = victim;
    if (this.#heldDown.has(victim) || process.pid === null) return null;
    this.#heldDown.add(victim);
    await process[how]();
    await sleep(lastsMs);
    process.launch();
    this.#heldDown.delete(victim);
    await this.#ready(victim);
    return process.name;
  }

  async #paused(victim: Victim, lastsMs: number): Promise<string | null> {
    const { process } = victim;
    if (process.pid === null) return null;
    process.signal('SIGSTOP');
    await sleep(lastsMs);
    if (process.pid !== null) process.signal('SIGCONT');
    await this.#ready(victim);
    return process.name;
  }

  async #off(victim: Victim, leadS: number, lastsMs: number): Promise<string> {
    victim.clock!.leadBy(leadS);
    await sleep(lastsMs);
    victim.clock!.leadBy(0);
    await this.#ready(victim);
    return `${victim.process.name} by ${leadS} s`;
  }

  async #leading(victim: Victim, lastsMs: number): Promise<string> {
    const leadS = this.#acceptedSeconds();
    const from = Date.now();
    const on = await this.#off(victim, leadS, lastsMs);
    this.#leads.push({ from, to: Date.now(), leadMs: leadS * 1_000 });
    return on;
  }

  /** What X loses at the end would have all the rest wait until X has been asked for the last time. */
  get #breakable(): readonly ('x' | 'threads')[] {
    return performance.now() < this.#until - X_ASKED_MS ? ['x', 'threads'] : ['threads'];
  }

  #acceptedSeconds(): number {
    return Math.round(this.#random.between(ACCEPTED_S.from, ACCEPTED_S.to));
  }

  async #network(fault: string, lastsMs: number): Promise<string> {
    const network = this.#one(this.#breakable);
    const count = 1 + Math.floor(this.#random.next() * MAX_CALLS);
    await this.#asked({ network, fault, count }, () => (this.#brokenCalls += count));
    await sleep(lastsMs);
    return `${count} calls of ${network}`;
  }

  /** Variants fail for good, and clients retry them. */
  async #refused(lastsMs: number): Promise<string> {
    await this.#asked({ network: 'x', fault: 'duplicate' }, () => (this.#refusals += 1));
    await sleep(lastsMs);
    return 'x';
  }

  /**
   * Asks the sandbox for a fault until it answers: on a busy machine that may take longer than one request waits. Each
   * try counts, as one without an answer may have been heard.
   */
  #asked(fault: Parameters<SandboxClient['fault']>[0], count: () => void): Promise<unknown> {
    const ask = async (): Promise<true> => {
      count();
      await this.#on.truth.sandbox().fault(fault);
      return true;
    };
    return until(ask, { what: `the sandbox hears of ${fault.fault}`, withinMs: ENDS_WITHIN_MS, everyMs: 200 });
  }

  #ready({ process }: Victim): Promise<unknown> {
    return until(async () => (await process.admin().get('/health/ready')).status === 200, {
      ...{ what: `${process.name} ready`, withinMs: ENDS_WITHIN_MS, everyMs: 200 },
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${process.output().slice(-2_000)}`);
    });
  }

  #restartWhatEnds(): AsyncDisposable {
    let isOver = false;
    const look = async (victim: Victim): Promise<void> => {
      const { process } = victim;
      if (process.pid !== null || this.#heldDown.has(victim)) return;
      this.#endedBySelf.push(`${process.name}: ${process.errorLines().at(-1) ?? process.output().slice(-500)}`);
      await sleep(RESTART_AFTER_MS);
      if (process.pid === null && !this.#heldDown.has(victim)) process.launch();
    };
    const watching = (async () => {
      while (!isOver) {
        await Promise.all(this.#victims.map(look));
        await sleep(200);
      }
    })();
    return {
      [Symbol.asyncDispose]: async () => {
        isOver = true;
        await watching;
      },
    };
  }

  #one<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random.next() * all.length)]!;
  }
}

async function killed(machine: EngineProcess, name: string, lastsMs: number): Promise<string> {
  await machine.kill('SIGKILL');
  await sleep(lastsMs);
  await machine.start();
  return name;
}

async function paused(machine: EngineProcess, name: string, lastsMs: number): Promise<string> {
  await machine.kill('SIGSTOP');
  await sleep(lastsMs);
  await machine.kill('SIGCONT');
  return name;
}

async function cut(ways: readonly CutProxy[], name: string, lastsMs: number): Promise<string> {
  for (const way of ways) way.cut();
  await sleep(lastsMs);
  for (const way of ways) way.heal();
  return name;
}
