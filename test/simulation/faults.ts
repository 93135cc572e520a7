import type { SimulationEngine } from './engine.ts';

/** What goes wrong in one run, and how often; each seed draws its own, so that some runs suffer much of one thing. */
export interface FaultPlan {
  /**
   * Of a store call, each. `unavailable`: not done; `lost`: not done, and the caller can't tell; `unanswered`: done,
   * and the caller can't tell; `late`: the same, done later.
   */
  readonly store: {
    readonly unavailable: number;
    readonly lost: number;
    readonly unanswered: number;
    readonly late: number;
  };
  /** Of an append, each. */
  readonly log: {
    readonly unavailable: number;
    readonly lost: number;
    readonly unanswered: number;
    readonly twice: number;
  };
  /** At a store call, before or after it took effect: the caller dies there. */
  readonly crashAtCall: number;
  readonly hintLost: number;
  /** Of a request to a Network: it crawls, its answer is cut. */
  readonly request: { readonly slow: number; readonly cut: number };
  /** How often each blow falls, in relation to the others. */
  readonly blows: Readonly<Record<Blow, number>>;
  /** Between two blows, on average. */
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
] as const;
export type Blow = (typeof BLOWS)[number];

/** Processes' clocks are never further apart than the 5 s that the rules count with. */
export const MAX_OFFSET_MS = 2_400;
/**
 * A scheduler's clock may be wrong by more: minutes behind, it makes things late; seconds ahead, the Workspace sends it
 * back.
 */
export const MAX_BEHIND_MS = 120_000;
export const MAX_AHEAD_MS = 7_000;
/**
 * One process's clock leaps by so much, forwards or back, and is put right after a while: local time taken for UTC,
 * until NTP answers.
 */
export const MIN_LEAP_MS = 60_000;
export const MAX_LEAP_MS = 48 * 3_600_000;
export const LEAPT_FOR_AT_MOST_MS = 10 * 60_000;

/** Half of the kinds are off in a run, so that what remains gets room. */
export function drawFaults(engine: SimulationEngine): FaultPlan {
  const rate = (most: number): number => (engine.chance(0.5) ? engine.random() ** 2 * most : 0);
  const blows = Object.fromEntries(
    BLOWS.map((blow) => [blow, engine.chance(0.6) ? 0.2 + engine.random() : 0]),
  ) as Record<Blow, number>;
  return {
    store: { unavailable: rate(0.06), lost: rate(0.04), unanswered: rate(0.08), late: rate(0.06) },
    log: { unavailable: rate(0.06), lost: rate(0.06), unanswered: rate(0.12), twice: rate(0.3) },
    crashAtCall: rate(0.015),
    hintLost: rate(0.8),
    request: { slow: rate(0.1), cut: rate(0.3) },
    blows,
    blowEveryMs: engine.pick([5_000, 15_000, 40_000]),
  };
}

export const NO_FAULTS: FaultPlan = {
  store: { unavailable: 0, lost: 0, unanswered: 0, late: 0 },
  log: { unavailable: 0, lost: 0, unanswered: 0, twice: 0 },
  crashAtCall: 0,
  hintLost: 0,
  request: { slow: 0, cut: 0 },
  blows: Object.fromEntries(BLOWS.map((blow) => [blow, 0])) as Record<Blow, number>,
  blowEveryMs: Number.POSITIVE_INFINITY,
};
