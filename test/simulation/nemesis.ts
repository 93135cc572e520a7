import type { TopicPartition } from '#ports/log.ts';
import {
  BLOWS,
  LEAPT_FOR_AT_MOST_MS,
  MIN_LEAP_MS,
  MAX_AHEAD_MS,
  MAX_BEHIND_MS,
  MAX_LEAP_MS,
  NO_FAULTS,
  type Blow,
} from './faults.ts';
import type { Dice } from './dice.ts';
import { groupsOf, type Group } from './groups.ts';
import { drawStall } from './stalls.ts';
import { drawScope, hold, release, releaseAll } from './brake.ts';
import type { Process, World } from './world.ts';

const MAX_PAUSE_MS = 90_000;
const MAX_OUTAGE_MS = 15_000;
/** Longer than a watermark stays behind what has fired, and than a watchdog waits. */
const MAX_LONG_OUTAGE_MS = 10 * 60_000;
const LONG_OUTAGE_SHARE = 0.08;
const MAX_HOLD_MS = 120_000;

/** Faults of the sandbox, each at the call where it does most harm. */
const NETWORK_FAULTS = [
  { network: 'x', fault: 'drop_after_commit' },
  { network: 'x', fault: 'drop_before_commit' },
  { network: 'x', fault: '5xx_after_commit' },
  { network: 'x', fault: '5xx_before_commit' },
  { network: 'x', fault: 'rate_limited', delayMs: 30_000 },
  { network: 'x', fault: 'drop_after_commit', call: 'users.tweets' },
  { network: 'x', fault: 'drop_after_commit', call: 'oauth.token' },
  { network: 'x', fault: '5xx_before_commit', call: 'oauth.token' },
  { network: 'threads', fault: 'drop_after_commit' },
  { network: 'threads', fault: 'drop_before_commit' },
  { network: 'threads', fault: '5xx_after_commit' },
  { network: 'threads', fault: '5xx_before_commit' },
  { network: 'threads', fault: 'rate_limited', delayMs: 60_000 },
  { network: 'threads', fault: 'drop_after_commit', call: 'threads.create' },
  { network: 'threads', fault: 'container_read_100_33' },
  { network: 'threads', fault: 'permalink_missing', call: 'media.read' },
  { network: 'threads', fault: 'processing_failed' },
] as const;
/** These end a Connection, until it is reconnected. */
const REVOCATIONS = [
  { network: 'x', fault: 'token_revoked' },
  { network: 'threads', fault: 'token_revoked' },
] as const;

/** These last until the end of the act, for all that the blow knows. */
const LASTING: ReadonlySet<Blow> = new Set(['step-clock', 'leap-scheduler', 'leap-far', 'network']);

/** Causes faults until its end; then lets every process recover. */
export class Nemesis {
  readonly #world: World;
  readonly #name: string;
  readonly #groups: readonly Group[];
  #ended = false;
  #blows = 0;
  /** Of the blow that is being dealt. */
  #dice: Dice;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#groups = groupsOf(world.parts);
    this.#name = name;
    this.#dice = world.engine.diceOf(name);
    world.onAimed = (process, pauseMs) => this.#pauseAndTake(process, pauseMs);
  }

  begin(): void {
    const { engine, faults, script } = this.#world;
    const id = `${this.#name}/${++this.#blows}`;
    const dice = engine.diceOf(id);
    engine.later({ label: 'blow', owner: null, delayMs: dice.random() * 2 * faults.blowEveryMs }, () => {
      if (this.#ended) return;
      this.#dice = dice;
      const blow = this.#choose();
      if (script.step(id, blow)) this.#deal(blow);
      this.begin();
    });
  }

  /** Ends all faults: crashed processes start, paused ones continue, perhaps groups rebalance. */
  end(): void {
    const world = this.#world;
    this.#ended = true;
    world.faults = NO_FAULTS;
    world.awayUntil = 0;
    world.witness.calm(world.engine.now);
    void world.control('DELETE', '/sandbox/faults');
    for (const process of [...world.processes.values()]) {
      if (process.mode === 'paused') world.wake(process);
      if (process.mode === 'dead') world.start(process.slot);
      else if (Math.abs(process.clock.offsetMs) > world.maxOffsetMs) process.clock.set(0);
    }
    world.stalls.end();
    // In the other half what stood still has to go on without a new owner.
    if (world.engine.diceOf(`${this.#name} ends`).chance(0.5))
      for (const group of this.#groups) world.log.control.rebalance(group.name);
    void releaseAll(world);
    world.trace.add(world.engine.now, 'nemesis', 'ends');
  }

  #choose(): Blow {
    const { faults } = this.#world;
    const total = BLOWS.reduce((sum, blow) => sum + faults.blows[blow], 0);
    let left = this.#dice.random() * total;
    return BLOWS.find((blow) => (left -= faults.blows[blow]) < 0) ?? 'redeliver';
  }

  #deal(blow: Blow): void {
    const { engine, log } = this.#world;
    const group = this.#dice.pick(this.#groups);
    const source: TopicPartition = { topic: group.topic, partition: this.#dice.between(0, group.partitions) };
    this.#world.witness.count(`blow ${blow}`);
    this.#world.witness.disturb(blow, engine.now, LASTING.has(blow) ? null : engine.now);
    switch (blow) {
      case 'crash':
        return this.#crash();
      case 'pause':
        return this.#pause();
      case 'overlap':
        return this.#overlap(group, source);
      case 'rebalance':
        return log.control.rebalance(group.name);
      case 'redeliver':
        return log.control.redeliver(group.name, source);
      case 'duplicate': {
        const count = log.control.records(source).length;
        if (count > 0) log.control.duplicate(group.name, source, this.#dice.between(0, count));
        return;
      }
      case 'step-clock':
      case 'leap-scheduler':
        return this.#moveClock(blow);
      case 'leap-far':
        return this.#leapFar();
      case 'network':
        return this.#breakNetwork();
      case 'outage':
        this.#world.awayUntil = engine.now + this.#outageMs();
        this.#world.witness.disturb(blow, engine.now, this.#world.awayUntil);
        return this.#world.trace.add(engine.now, 'nemesis', 'store and log are away');
      case 'hold':
        return this.#hold();
      case 'stall':
        return this.#stall();
    }
  }

  #outageMs(): number {
    return this.#dice.chance(LONG_OUTAGE_SHARE)
      ? this.#dice.between(MAX_OUTAGE_MS, MAX_LONG_OUTAGE_MS)
      : this.#dice.between(500, MAX_OUTAGE_MS);
  }

  #victim(): Process | null {
    const up = [...this.#world.processes.values()].filter((process) => process.mode === 'up');
    return up.length === 0 ? null : this.#dice.pick(up);
  }

  #crash(): void {
    const victim = this.#victim();
    if (victim !== null) this.#world.crash(victim);
  }

  #pause(): void {
    const victim = this.#victim();
    if (victim === null) return;
    const pauseMs = this.#dice.between(1_000, MAX_PAUSE_MS);
    if (this.#dice.chance(0.7)) this.#pauseAndTake(victim, pauseMs);
    else this.#world.pause(victim, pauseMs);
  }

  /** Other processes take over its partitions; it does not know that when it wakes. */
  #pauseAndTake(victim: Process, pauseMs: number): void {
    this.#world.pause(victim, pauseMs);
    for (const group of this.#groups) this.#takeFrom(victim, group);
    const delayMs = pauseMs + this.#dice.between(0, 5_000);
    this.#world.engine.later({ label: 'rebalance', owner: null, delayMs }, () => {
      for (const group of this.#groups) this.#world.log.control.rebalance(group.name);
    });
  }

  #takeFrom(victim: Process, group: Group): void {
    const taker = this.#world.up(victim.role).find((process) => process !== victim);
    if (taker === undefined || !this.#belongs(taker, group)) return;
    for (let partition = 0; partition < group.partitions; partition++) {
      this.#world.log.control.overlap(group.name, { topic: group.topic, partition }, taker.name);
    }
  }

  #overlap(group: Group, source: TopicPartition): void {
    const { engine, log, trace } = this.#world;
    const takers = [...this.#world.processes.values()].filter(
      (process) => process.mode !== 'dead' && this.#belongs(process, group),
    );
    if (takers.length === 0) return;
    const taker = this.#dice.pick(takers);
    log.control.overlap(group.name, source, taker.name);
    trace.add(engine.now, 'nemesis', `${taker.name} gets ${source.topic}/${source.partition} too`);
    engine.later({ label: 'rebalance', owner: null, delayMs: this.#dice.between(0, 30_000) }, () =>
      log.control.rebalance(group.name),
    );
  }

  #belongs(process: Process, group: Group): boolean {
    return group.role === process.role;
  }

  #moveClock(blow: 'step-clock' | 'leap-scheduler'): void {
    const { engine, witness, trace, maxOffsetMs } = this.#world;
    const victim = blow === 'leap-scheduler' ? this.#world.up('scheduler')[0] : this.#victim();
    if (victim == null) return;
    const leaps = blow === 'leap-scheduler' && this.#dice.chance(0.7);
    const offset = !leaps
      ? this.#dice.between(-maxOffsetMs, maxOffsetMs)
      : this.#dice.chance(0.5)
        ? this.#dice.between(0, MAX_AHEAD_MS)
        : -this.#dice.between(0, MAX_BEHIND_MS);
    victim.clock.set(offset);
    if (this.#dice.chance(0.5)) victim.clock.announce();
    if (leaps) witness.leapt = true;
    else witness.mostAheadMs = Math.max(witness.mostAheadMs, offset);
    trace.add(engine.now, 'nemesis', `the clock of ${victim.name} is off by ${offset} ms now`);
  }

  /** Leaps of all lengths are equally likely, counted by their orders of magnitude. */
  #leapFar(): void {
    const { engine, witness, trace } = this.#world;
    const schedulers = this.#world.up('scheduler');
    if (schedulers.length === 0) return;
    const victim = this.#dice.pick(schedulers);
    const lengthMs = Math.round(MIN_LEAP_MS * (MAX_LEAP_MS / MIN_LEAP_MS) ** this.#dice.random());
    const leapMs = this.#dice.chance(0.75) ? lengthMs : -lengthMs;
    const leapt = victim.clock.offsetMs + leapMs;
    const forMs = Math.round(LEAPT_FOR_AT_MOST_MS * this.#dice.random() ** 2);
    witness.leapt = true;
    witness.leads.push({ by: victim.name, from: engine.now, ms: leapt });
    victim.clock.set(leapt);
    trace.add(engine.now, 'nemesis', `the clock of ${victim.name} leaps by ${leapMs} ms for ${forMs} ms`);
    engine.later({ label: `put the clock of ${victim.name} right`, owner: null, delayMs: forMs }, () => {
      // Another fault may have set it meanwhile.
      if (victim.clock.offsetMs === leapt) victim.clock.set(leapt - leapMs);
    });
  }

  #stall(): void {
    const { engine, witness, trace, processes, stalls, isOneEngine } = this.#world;
    const up = [...processes.values()].filter(({ mode }) => mode === 'up');
    if (up.length === 0) return;
    const stall = drawStall(this.#dice, { now: engine.now, isOneEngine }, up);
    const met = up.filter(({ role, name }) => role === stall.role && (stall.process ?? name) === name);
    for (const at of [engine.now, stall.until])
      for (const { name } of met) witness.incidents.push({ process: name, kind: 'stall', at });
    witness.disturb('stall', engine.now, stall.until);
    stalls.begin(stall);
    const whose = stall.process ?? `every ${stall.role}`;
    trace.add(
      engine.now,
      'nemesis',
      `calls of ${whose} ${stall.how} at ${stall.ports.join(' and ')} until ${stall.until}`,
    );
  }

  #hold(): void {
    const { engine } = this.#world;
    const scope = drawScope(this.#world, this.#dice);
    void hold(this.#world, scope);
    engine.later({ label: 'release', owner: null, delayMs: this.#dice.between(100, MAX_HOLD_MS) }, () => {
      if (!this.#ended) void release(this.#world, scope);
    });
  }

  #breakNetwork(): void {
    const { engine, trace } = this.#world;
    const fault = this.#dice.chance(0.05) ? this.#dice.pick(REVOCATIONS) : this.#dice.pick(NETWORK_FAULTS);
    void this.#world.control('POST', '/sandbox/faults', { ...fault, count: this.#dice.between(1, 4) });
    trace.add(engine.now, 'nemesis', `sandbox: ${JSON.stringify(fault)}`);
  }
}
