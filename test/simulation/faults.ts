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
  };
  /** Probabilities for each append. */
  readonly log: {
    readonly unavailable: number;
    readonly lost: number;
    readonly unanswered: number;
    readonly twice: number;
    /** Refused for want of room, after the owner of a Workspace may have read it: only where log and store are one. */
    readonly full: number;
    /** Acknowledged and gone, as of a broker whose machine loses power before the disk has it. */
    readonly gone: number;
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

/** Processes' clocks never differ by more than the 5 s that the rules allow for. */
export const MAX_OFFSET_MS = 2_400;
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

const STALL_SHARE = 0.2;
const QUIET_SHARE = 0.07;
const BLOWS_ONLY_SHARE = 0.13;

/** Of appends, in half of the worlds whose log and store are one; drawn on a line of its own. */
export function drawFull(engine: SimulationEngine): number {
  const dice = engine.diceOf('full');
  return dice.chance(0.5) ? dice.random() ** 2 * 0.1 : 0;
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
    store: { unavailable: rate(0.06), lost: rate(0.04), unanswered: rate(0.08), late: rate(0.06) },
    log: { unavailable: rate(0.06), lost: rate(0.06), unanswered: rate(0.12), twice: rate(0.3), full: 0, gone: 0 },
    crashAtCall: rate(0.015),
    hintLost: rate(0.8),
    request: { slow: rate(0.1), cut: rate(0.3) },
    blows,
    blowEveryMs: engine.pick([5_000, 15_000, 40_000]),
  };
}

export const NO_FAULTS: FaultPlan = {
  store: { unavailable: 0, lost: 0, unanswered: 0, late: 0 },
  log: { unavailable: 0, lost: 0, unanswered: 0, twice: 0, full: 0, gone: 0 },
  crashAtCall: 0,
  hintLost: 0,
  request: { slow: 0, cut: 0 },
  blows: Object.fromEntries(BLOWS.map((blow) => [blow, 0])) as Record<Blow, number>,
  blowEveryMs: Number.POSITIVE_INFINITY,
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

/** Whether calls fail by chance. */
export function hasRates({ store, log, request, crashAtCall, hintLost }: FaultPlan): boolean {
  return [store, log, request, { crashAtCall, hintLost }].some((rates) =>
    Object.values(rates).some((rate: number) => rate > 0),
  );
}
