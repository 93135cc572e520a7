import { SeededRandom } from '#testing/seeded-random.ts';
import { simulatePeak, type PeakOutcome } from './peak.ts';
import { peakOf, planFor, type Plan } from './plan.ts';
import { ASSUMED, MEASURED } from './unit-costs.ts';

/** Variants a day, and which share of them is due at the busiest instant. */
export const DAYS: readonly (readonly [variantsADay: number, shareAtOnce: number])[] = [
  [100_000, 0.1],
  [1_000_000, 0.02],
  [10_000_000, 0.002],
];

/** Of what is scheduled; as the alerts have it. */
export const MOST_LATE = 0.001;

/** Lets the peak of a plan pass. */
function outcomeOf(plan: Plan): PeakOutcome {
  return simulatePeak(peakOf(plan, MEASURED, ASSUMED), newRandom());
}

/** The greatest share at one instant that this plan takes without more being late than may be. */
function greatestShare(plan: Plan): number {
  const isInTime = (shareAtOnce: number): boolean => outcomeOf({ ...plan, shareAtOnce }).lateShare <= MOST_LATE;
  let [fits, tooMuch] = [0, plan.shareAtOnce];
  while (tooMuch < 1 && isInTime(tooMuch)) [fits, tooMuch] = [tooMuch, 2 * tooMuch];
  for (let round = 0; round < ROUNDS; round++) {
    const middle = (fits + tooMuch) / 2;
    if (isInTime(middle)) fits = middle;
    else tooMuch = middle;
  }
  return fits;
}

const ROUNDS = 5;
const HEADS = ['', ...DAYS.map(([variants]) => `${variants.toLocaleString('en-US')} a day`)];

/** The same chance each time, so that the tables are the same. */
export function newRandom(): () => number {
  const random = new SeededRandom(9);
  return () => random.next();
}

/** The two tables of docs/deploy/size.md. */
export function sizeTables(): string {
  const plans = DAYS.map(([variants, share]) => planFor(variants, share, MEASURED, ASSUMED));
  const needs: readonly (readonly [string, (plan: Plan) => string])[] = [
    ['Due at one instant', ({ variantsADay, shareAtOnce }) => whole(variantsADay * shareAtOnce)],
    ['Attempts begun a second then', ({ attemptsASecond }) => whole(attemptsASecond)],
    ['At the busiest Network at once (networks.*.atOnce)', ({ atOnce }) => whole(atOnce)],
    ['Pods: ingress', ({ pods }) => whole(pods.ingress)],
    ['Pods: workspace', ({ pods }) => whole(pods.workspace)],
    ['Pods: publisher of each Network', ({ pods }) => whole(pods.publisher)],
    ['Pods: scheduler, webhooks, app, admin', () => '2 each'],
    ['Cores of Crier in the peak', ({ crierCores }) => crierCores.toFixed(1)],
    ['Kafka: brokers', ({ kafka }) => whole(kafka.brokers)],
    ['Kafka: disk of each', ({ kafka }) => bytes(kafka.bytesABroker)],
    ['Cassandra: nodes after a year', ({ cassandra }) => whole(cassandra.nodes)],
    ['Cassandra: disk of each', ({ cassandra }) => bytes(cassandra.bytesANode)],
    ['One embedded process instead: its disk after a year', embeddedDisk],
  ];
  const outcomes = plans.map((plan) => ({ ...outcomeOf(plan), most: greatestShare(plan) }));
  const passed: readonly (readonly [string, (outcome: (typeof outcomes)[number], plan: Plan) => string])[] = [
    ['Due at one instant', (_, { shareAtOnce }) => percent(shareAtOnce)],
    ['The last of them begins after', ({ lastBegunSeconds }) => `${whole(lastBegunSeconds)} s`],
    ['Of the day, more than a minute late', ({ lateShare }) => percent(lateShare)],
    ['Most that may be due at one instant', ({ most }) => percent(most)],
  ];
  return `${table(needs.map(([name, of]) => [name, ...plans.map(of)]))}

${table(passed.map(([name, of]) => [name, ...outcomes.map((outcome, index) => of(outcome, plans[index]!))]))}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(HEADS), `|${'---|'.repeat(HEADS.length)}`, ...rows.map(line)].join('\n');
}

/** What one process was measured with at most: docs/benchmarks.md. */
const MOST_EMBEDDED_A_DAY = 1_000_000;

function embeddedDisk({ variantsADay }: Plan): string {
  return variantsADay > MOST_EMBEDDED_A_DAY ? 'no' : bytes(variantsADay * MEASURED.bytes.sqlite * ASSUMED.days);
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const UNITS = [
  [1e12, 'TB'],
  [1e9, 'GB'],
] as const;

function bytes(value: number): string {
  const [size, unit] = UNITS.find(([least]) => value >= least) ?? UNITS.at(-1)!;
  return `${Number((value / size).toPrecision(2))} ${unit}`;
}

const percent = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;
