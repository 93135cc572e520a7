import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { simulatePeak, type Peak } from './peak.ts';
import { peakOf, planFor, type Plan } from './plan.ts';
import { DAYS, MOST_LATE, newRandom, sizeTables } from './size-tables.ts';
import { ASSUMED, MEASURED } from './unit-costs.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PLANS = DAYS.map(([variants, share]) => planFor(variants, share, MEASURED, ASSUMED));
const pass = (plan: Plan, change: Partial<Peak> = {}) =>
  simulatePeak({ ...peakOf(plan, MEASURED, ASSUMED), ...change }, newRandom());

test('docs/deploy/size.md has the tables that the unit costs make', () => {
  expect(read('docs/deploy/size.md')).toContain(`<!-- tables -->\n${sizeTables()}\n<!-- end of tables -->`);
});

test('the unit costs are those that docs/benchmarks.md has', () => {
  const page = read('docs/benchmarks.md');
  const row = (name: string): readonly number[] =>
    new RegExp(`^\\| ${name} +\\|(.+)\\|$`, 'm')
      .exec(page)![1]!
      .split('|')
      .map((cell) => Number(cell.replace(/,/g, '')));
  const { bytes, cpuMs, handOversASecond } = MEASURED;
  expect(row('processor time, ms')).toEqual([cpuMs.crier, cpuMs.cassandra, cpuMs.kafka]);
  expect(row('bytes, of one copy')).toEqual([bytes.sqlite, bytes.cassandra, bytes.kafka]);
  const [, measured = ''] = /^\| one Variant, from its creation to its end +\| cluster +\|[^|]+\|[^|]+\|([^|]+)/m.exec(
    page,
  )!;
  const figures = Object.fromEntries(
    measured.split(',').map((each) => /(\w+ \w+(?: ms)?) ([\d.]+)$/.exec(each.trim())!.slice(1)),
  );
  expect(figures).toEqual({
    ...{ 'kafka bytes': String(bytes.kafka), 'cassandra bytes': String(bytes.cassandra) },
    ...{
      'crier cpu ms': String(cpuMs.crier),
      'kafka cpu ms': String(cpuMs.kafka),
      'cassandra cpu ms': String(cpuMs.cassandra),
    },
  });
  // 10,000 Variants due at one instant were handed over in so many seconds.
  const [, seconds] = /\| cluster +\|(?:[^|]+\|){3} all handed over s ([\d.]+),/.exec(page)!;
  expect(handOversASecond).toBe(Math.round(10_000 / Number(seconds)));
});

test.each(PLANS)('what is planned for $variantsADay a day starts its peak in time', (plan) => {
  expect(pass(plan).lateShare).toBeLessThanOrEqual(MOST_LATE);
});

test.each(PLANS)(
  'sixteen places a Network, or a peak ten times as high, would not do for $variantsADay a day',
  (plan) => {
    const { networks } = peakOf(plan, MEASURED, ASSUMED);
    const few = Object.fromEntries(
      Object.entries(networks).map(([network, { share }]) => [network, { share, places: 16 }]),
    );
    expect(pass(plan, { networks: few }).lateShare).toBeGreaterThan(MOST_LATE);
    expect(pass(plan, { shareAtOnce: 10 * plan.shareAtOnce }).lateShare).toBeGreaterThan(MOST_LATE);
  },
);

test('a queue of one place passes as it can be reckoned by hand', () => {
  const peak: Peak = {
    ...{ variantsADay: 100, shareAtOnce: 1, busyHours: 1, handOversASecond: 1_000_000, attemptSeconds: 2 },
    networks: { x: { share: 1, places: 1 } },
  };
  // 1 - 1/e: each attempt takes exactly two seconds.
  const even = simulatePeak(peak, () => 1 - Math.exp(-1));
  expect(even.lastBegunSeconds).toBeCloseTo(198, 3);
  // Thirty begin within a minute; the next one at 60 s, and the moment that its owner took.
  expect(even.lateShare).toBeCloseTo(0.7, 5);
  expect(simulatePeak({ ...peak, handOversASecond: 0.1 }, () => 1 - Math.exp(-1)).lastBegunSeconds).toBeCloseTo(
    1_000,
    3,
  );
});
