import type { Alert, Recording } from './alert.ts';
import { seen, series } from './cases.ts';
import { unlessExplained } from './explained.ts';

/**
 * A promise with a budget of failures, and alerts for spending it too fast. Each alert looks at two windows: the long
 * one says that it matters, the short one that it goes on. Factors for 30 days, from Google's SRE workbook
 * (https://sre.google/workbook/alerting-on-slos): 2 % of the budget in an hour, 5 % in six, 10 % in a day and in three.
 */
interface Objective {
  /** The middle of its recording rules' names. */
  readonly name: string;
  /** What may fail, of 1. */
  readonly budget: number;
  /** Per second over a window, by namespace. */
  readonly all: (window: string) => string;
  readonly good: (window: string) => string;
  /** Failures in the long window below which nothing is said: of few requests, one is a large part. */
  readonly leastFailures: number;
  readonly alert: string;
  readonly heading: string;
  readonly what: string;
  /** Counters in a rule test, a minute apart: all and good. */
  readonly counters: (all: string, good: string) => Alert['fires']['series'];
}

const WINDOWS = ['5m', '30m', '1h', '2h', '6h', '1d', '3d'] as const;
type Window = (typeof WINDOWS)[number];

const BURNS: readonly {
  readonly severity: Alert['severity'];
  readonly long: Window;
  readonly short: Window;
  readonly factor: number;
  readonly suffix: string;
}[] = [
  { severity: 'page', long: '1h', short: '5m', factor: 14.4, suffix: 'Fast' },
  { severity: 'page', long: '6h', short: '30m', factor: 6, suffix: 'Steadily' },
  { severity: 'ticket', long: '1d', short: '2h', factor: 3, suffix: 'Slowly' },
  { severity: 'ticket', long: '3d', short: '6h', factor: 1, suffix: 'ForDays' },
];

const LATENESS = 'crier_variant_start_lateness_seconds';
/** As Prometheus 3 stores the boundary, which it writes as a float, and as Prometheus 2 does, as it was exposed. */
const UP_TO_60_S = 'le=~"60(\\\\.0)?"';
const REQUESTS = 'crier_http_request_duration_seconds_count';
const sum = (selector: string, window: string): string => `sum by (namespace) (rate(${selector}[${window}]))`;
/** What a Network that was out of order kept waiting is late by that Network, of which another alert tells. */
const sumInOrder = (selector: string, window: string): string =>
  `sum by (namespace) (rate(${selector}[${window}]) unless on (namespace, network) (max_over_time(crier_network_circuit_open[${window}]) == 1))`;

const OBJECTIVES: readonly Objective[] = [
  {
    name: 'start',
    budget: 0.001,
    // The boundary of 60 s is a bucket of the metric; without it the query would be empty, and silent.
    all: (window) => sumInOrder(`${LATENESS}_count`, window),
    good: (window) => sumInOrder(`${LATENESS}_bucket{${UP_TO_60_S}}`, window),
    leastFailures: 3,
    alert: 'CrierStartsLate',
    heading: 'Posts start late',
    what: 'scheduled Variants begin more than 60 s after their time',
    counters: (all, good) => [
      series(`${LATENESS}_count`, 'network="x"', all),
      series(`${LATENESS}_bucket`, 'network="x", le="60.0"', good),
    ],
  },
  {
    name: 'answer',
    budget: 0.001,
    all: (window) => sum(REQUESTS, window),
    good: (window) => sum(`${REQUESTS}{status_class!="5xx"}`, window),
    leastFailures: 10,
    alert: 'CrierAnswersFail',
    heading: 'Answers are 5xx',
    what: 'requests of the API are answered with 5xx',
    counters: (all, good) => [
      series(REQUESTS, 'operation="createPost", status_class="2xx"', good),
      // What fails is the rest.
      series(REQUESTS, 'operation="createPost", status_class="5xx"', restOf(all, good)),
    ],
  },
];

const slope = (values: string): number => Number(/\+([\d.]+)x/.exec(values)![1]);
const restOf = (all: string, good: string): string => all.replace(/\+[\d.]+x/, `+${slope(all) - slope(good)}x`);
const SECONDS: Readonly<Record<Window, number>> = {
  '5m': 300,
  '30m': 1_800,
  '1h': 3_600,
  '2h': 7_200,
  '6h': 21_600,
  '1d': 86_400,
  '3d': 259_200,
};

const failing = (name: string, window: string): string => `crier:${name}_failures:ratio_rate${window}`;
const failures = (name: string, window: string): string => `crier:${name}_failures:rate${window}`;

export const BURN_RECORDINGS: readonly Recording[] = OBJECTIVES.flatMap(({ name, all, good }) =>
  WINDOWS.flatMap((window) => [
    { record: failures(name, window), expr: `${all(window)} - ${good(window)}` },
    { record: failing(name, window), expr: `${failures(name, window)} / (${all(window)} > 0)` },
  ]),
);

/** What is left of a month's budget would need a month of data; these say how fast it goes. */
export const BURN_ALERTS: readonly Alert[] = OBJECTIVES.flatMap((objective) =>
  BURNS.map(({ severity, long, short, factor, suffix }): Alert => {
    const threshold = Number((factor * objective.budget).toPrecision(4));
    const tooMany = `${failing(objective.name, long)} > ${threshold} and ${failing(objective.name, short)} > ${threshold}`;
    const least = `${failures(objective.name, long)} * ${SECONDS[long]} >= ${objective.leastFailures}`;
    const step = SECONDS[long] > 10_000 ? ({ step: '10m' } as const) : {};
    return {
      name: `${objective.alert}${suffix}`,
      severity,
      expr:
        severity === 'page'
          ? unlessExplained(`${tooMany} and ${least}`, { lookingBack: short === '5m' ? '5m' : '30m' })
          : `${tooMany} and ${least}`,
      for: '2m',
      summary: `For ${long}, more than ${Number((threshold * 100).toPrecision(3))} % of ${objective.what}`,
      heading: objective.heading,
      // One of ten fails, for the whole of the long window; then one of ten thousand.
      fires: { ...seen(long, ...objective.counters('0+100x450', '0+90x450')), ...step },
      silent: { ...seen(long, ...objective.counters('0+100x450', '0+99.99x450')), ...step },
    };
  }),
);
