import type { Dice } from './dice.ts';
import type { SimulationEngine } from './engine.ts';
import type { Script } from './script.ts';

/** The faults of one run and their probabilities; each seed draws its own, so that some runs have much of one fault. */
export interface FaultPlan {
  /**
   * Probabilities for each store call. `unavailable`: not done; `lost`: not done, and the outcome is unknown to the
   * caller; `unanswered`: done, and unknown to the caller; `late`: the same, done later.
   */
  readonly store: {
    readonly unavailable: number;
    readonly lost: number;
    readonly unanswered: number;
    readonly late: number;
    /**
     * The most rows that one compare-and-set of a Workspace may write; the store refuses more for good, as one with a
     * lower bound for the size of a batch than the rules count on. 0: any number.
     */
    readonly rowsAtOnce: number;
  };
  /** Probabilities for each append. */
  readonly log: {
    readonly unavailable: number;
    readonly lost: number;
    readonly unanswered: number;
    readonly twice: number;
    /** Refused for want of room, after the owner of a Workspace may have read it: only where log and store are one. */
    readonly full: number;
    /**
     * Acknowledged and gone, as of a broker whose machine loses power before the disk has it: commands, jobs that
     * publish, and timers.
     */
    readonly gone: number;
    /** The same of all other topics: events, deliveries, files. */
    readonly goneElsewhere: number;
  };
  /** At a store call, before or after it took effect: the process crashes there. */
  readonly crashAtCall: number;
  readonly hintLost: number;
  /** Probabilities for a request to a Network: it is slow, or its answer is cut. */
  readonly request: { readonly slow: number; readonly cut: number };
  /** The frequency of each fault in relation to the others. */
  readonly blows: Readonly<Record<Blow, number>>;
  /** The average time between two faults. */
  readonly blowEveryMs: number;
  /** How far the clock of any process may be off; those of schedulers leap by more. */
  readonly maxOffsetMs: number;
}

export const BLOWS = [
  'crash',
  'pause',
  'overlap',
  'rebalance',
  'redeliver',
  'duplicate',
  'step-clock',
  'leap-scheduler',
  'leap-far',
  'network',
  'outage',
  'hold',
  'stall',
] as const;
export type Blow = (typeof BLOWS)[number];

/** In most worlds processes' clocks never differ by more than the 5 s that the rules allow for. */
export const MAX_OFFSET_MS = 2_400;
/** In the others a clock may be off by almost as much as a process may run with (`ClockCheck`). */
const MAX_LOOSE_OFFSET_MS = 25_000;
const LOOSE_SHARE = 0.06;
/**
 * A scheduler's clock may be wrong by more: minutes behind, it makes work late; seconds ahead, the Workspace refuses
 * its early work.
 */
export const MAX_BEHIND_MS = 120_000;
export const MAX_AHEAD_MS = 7_000;
/**
 * One process's clock leaps by so much, forwards or back, and is corrected after a while: local time taken for UTC,
 * until NTP answers.
 */
export const MIN_LEAP_MS = 60_000;
export const MAX_LEAP_MS = 48 * 3_600_000;
export const LEAPT_FOR_AT_MOST_MS = 10 * 60_000;

/** The worlds that lose records; those whose log is one with the store can not, and are half of all. */
const GONE_SHARE = 0.1;
const GONE_RATE = 0.03;
const NONE_GONE = { gone: 0, goneElsewhere: 0 };
/** Before anything else of the plan, as processes start; drawn on a line of its own. */
export function drawMaxOffset(dice: Dice): number {
  return dice.chance(LOOSE_SHARE) ? MAX_LOOSE_OFFSET_MS : MAX_OFFSET_MS;
}

const STALL_SHARE = 0.2;
const SMALL_BATCHES_SHARE = 0.12;
const QUIET_SHARE = 0.07;
const BLOWS_ONLY_SHARE = 0.13;

/** Of appends, in half of the worlds whose log and store are one; drawn on a line of its own. */
export function drawFull(engine: SimulationEngine): number {
  const dice = engine.diceOf('full');
  return dice.chance(0.5) ? dice.random() ** 2 * 0.1 : 0;
}

/** Of appends, in some of the worlds whose log and store are two; drawn on a line of its own. */
export function drawGone(engine: SimulationEngine): Pick<FaultPlan['log'], 'gone' | 'goneElsewhere'> {
  const dice = engine.diceOf('gone');
  if (!dice.chance(GONE_SHARE)) return NONE_GONE;
  return { gone: GONE_RATE, goneElsewhere: dice.chance(0.5) ? GONE_RATE : 0 };
}

/** In some of the worlds; drawn on a line of its own. A head, a result and an idempotency key always fit. */
export function drawRowsAtOnce(engine: SimulationEngine): number {
  const dice = engine.diceOf('rows at once');
  return dice.chance(SMALL_BATCHES_SHARE) ? dice.between(3, 6) : 0;
}

/**
 * Half of the kinds are off in a run, so that the others have more effect. In some runs nothing fails at all, so that
 * what then comes late or fails has no excuse; in others no call fails by chance.
 */
export function drawFaults(engine: SimulationEngine): FaultPlan {
  const kind = engine.random();
  if (kind < QUIET_SHARE) return NO_FAULTS;
  const plan = drawnFaults(engine);
  return kind < QUIET_SHARE + BLOWS_ONLY_SHARE ? { ...NO_FAULTS, blows: plan.blows, blowEveryMs: 40_000 } : plan;
}

function drawnFaults(engine: SimulationEngine): FaultPlan {
  const rate = (most: number): number => (engine.chance(0.5) ? engine.random() ** 2 * most : 0);
  // On a line of its own: worlds without any are what they would be.
  const dice = engine.diceOf('stall');
  const stall = dice.chance(STALL_SHARE) ? 0.4 + 2 * dice.random() : 0;
  const blows = Object.fromEntries(
    BLOWS.map((blow) => [blow, blow === 'stall' ? stall : engine.chance(0.6) ? 0.2 + engine.random() : 0]),
  ) as Record<Blow, number>;
  return {
    store: { unavailable: rate(0.06), lost: rate(0.04), unanswered: rate(0.08), late: rate(0.06), rowsAtOnce: 0 },
    log: { unavailable: rate(0.06), lost: rate(0.06), unanswered: rate(0.12), twice: rate(0.3), full: 0, ...NONE_GONE },
    crashAtCall: rate(0.015),
    hintLost: rate(0.8),
    request: { slow: rate(0.1), cut: rate(0.3) },
    blows,
    blowEveryMs: engine.pick([5_000, 15_000, 40_000]),
    maxOffsetMs: MAX_OFFSET_MS,
  };
}

export const NO_FAULTS: FaultPlan = {
  store: { unavailable: 0, lost: 0, unanswered: 0, late: 0, rowsAtOnce: 0 },
  log: { unavailable: 0, lost: 0, unanswered: 0, twice: 0, full: 0, ...NONE_GONE },
  crashAtCall: 0,
  hintLost: 0,
  request: { slow: 0, cut: 0 },
  blows: Object.fromEntries(BLOWS.map((blow) => [blow, 0])) as Record<Blow, number>,
  blowEveryMs: Number.POSITIVE_INFINITY,
  maxOffsetMs: MAX_OFFSET_MS,
};

/** The plan, each of its rates a step of the script. */
export function withRatesOf(script: Script, act: string, plan: FaultPlan): FaultPlan {
  const kept = (name: string, rate: number): number =>
    rate > 0 && script.step(`${act}/${name}`, `${rate}`) ? rate : 0;
  const rates = <K extends string>(of: string, kinds: Readonly<Record<K, number>>): Record<K, number> =>
    Object.fromEntries(
      (Object.entries(kinds) as [K, number][]).map(([kind, rate]) => [kind, kept(`${of}.${kind}`, rate)]),
    ) as Record<K, number>;
  return {
    ...plan,
    store: rates('store', plan.store),
    log: rates('log', plan.log),
    request: rates('request', plan.request),
    crashAtCall: kept('crashAtCall', plan.crashAtCall),
    hintLost: kept('hintLost', plan.hintLost),
  };
}

/** Whether calls fail by chance; what is refused for its size is not by chance, and excuses nothing. */
export function hasRates({ store, log, request, crashAtCall, hintLost }: FaultPlan): boolean {
  return [{ ...store, rowsAtOnce: 0 }, log, request, { crashAtCall, hintLost }].some((rates) =>
    Object.values(rates).some((rate: number) => rate > 0),
  );
}
