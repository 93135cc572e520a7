/** Steps of a unit, from the largest: how it is written, and how much of the base unit it is. */
type UnitSteps = readonly (readonly [suffix: string, size: number])[];

const DECIMAL: UnitSteps = [
  [' M', 1e6],
  [' k', 1e3],
  ['', 1],
];
const BINARY: UnitSteps = [
  [' GiB', 2 ** 30],
  [' MiB', 2 ** 20],
  [' KiB', 2 ** 10],
  [' B', 1],
];
const STEPS: Readonly<Record<string, UnitSteps>> = {
  s: [
    [' days', 86_400],
    [' h', 3_600],
    [' min', 60],
    [' s', 1],
    [' ms', 1e-3],
  ],
  bytes: BINARY,
  Bps: BINARY.map(([suffix, size]) => [`${suffix}/s`, size] as const),
  ops: DECIMAL.map(([suffix, size]) => [`${suffix}/s`, size] as const),
  percentunit: [[' %', 0.01]],
  short: DECIMAL,
};

function stepOf(value: number, unit: string): UnitSteps[number] {
  const steps = STEPS[unit] ?? DECIMAL;
  if (value === 0) return steps.find(([, size]) => size === 1) ?? steps[0]!;
  return steps.find(([, size]) => Math.abs(value) >= size) ?? steps.at(-1)!;
}

/** A value of a panel in words, about as Grafana writes it. */
export function inUnit(value: number, unit: string): string {
  const [suffix, size] = stepOf(value, unit);
  return `${Number((value / size).toPrecision(3))}${suffix}`;
}

const ROUND = [1, 2, 2.5, 5, 10];
const TICKS = 4;

/** Where lines of a grid from 0 to at least `most` stand: round numbers of the unit, some four of them. */
export function ticksTo(most: number, unit: string): readonly number[] {
  const [, size] = stepOf(most, unit);
  const rough = most / size / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ROUND.map((factor) => factor * power).find((one) => one >= rough)! * size;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}
