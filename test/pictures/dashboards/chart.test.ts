import { expect, test } from 'vitest';
import { lines, stack, type DashboardPanel } from '../../../helm/dashboards/panel.ts';
import { grafanaJson } from '../../../helm/dashboards/grafana-json.ts';
import { sumOf } from '../../../helm/dashboards/queries.ts';
import { chartOf } from './chart.ts';
import { inUnit, ticksTo } from './units.ts';
import type { WrittenDashboard, WrittenPanel } from './written-dashboard.ts';

const SPAN = { from: 0, to: 100 };
const PLACE = { width: 180, height: 126, span: SPAN, stepSeconds: 10 };
const query = [sumOf('crier_timers_overdue')];

/** As a renderer reads it. */
function written(panel: DashboardPanel): WrittenPanel {
  const rows = [{ title: 'a row', panels: [panel] }];
  const json = JSON.parse(grafanaJson({ name: 'x', title: 'x', description: 'x', rows })) as WrittenDashboard;
  return json.panels[1]!;
}

const pointsIn = (svg: string): readonly string[] =>
  [...svg.matchAll(/<polyline points="([^"]+)"/g)].map(([, all]) => all!);

test('a value that is missing is a gap, neither a zero nor a line across', () => {
  const points = [0, 10, 20, 60, 70].map((at) => [at, 1] as const);
  const svg = chartOf(written(lines('a', 'short', query, { description: 'a' })), [{ name: 'a', points }], PLACE);
  expect(pointsIn(svg).map((part) => part.split(' ').length)).toEqual([3, 2]);
});

test('stacked series stand on each other', () => {
  const points = [0, 10].map((at) => [at, 1] as const);
  const series = ['published', 'failed'].map((name) => ({ name, points }));
  const svg = chartOf(written(stack('a', 'ops', query, { description: 'a' })), series, PLACE);
  const heights = pointsIn(svg).map((part) => Number(part.split(' ')[0]!.split(',')[1]));
  // A hundred pixels are 2 a second.
  expect(heights).toEqual([56, 6]);
});

test('a limit is drawn where values come near it, and does not press small ones to the ground', () => {
  const panel = written(lines('a', 's', query, { description: 'a', limit: 60 }));
  const at = (value: number): string => chartOf(panel, [{ name: 'a', points: [[0, value]] }], PLACE);
  expect(at(59)).toContain('stroke-dasharray');
  expect(at(0.01)).not.toContain('stroke-dasharray');
  expect(at(0.01)).toContain('>10 ms<');
});

test('a panel without data says so', () => {
  const svg = chartOf(written(lines('a', 's', query, { description: 'a' })), [], PLACE);
  expect(svg).toContain('nothing in this time');
});

test('values are written in a unit of their size', () => {
  const cases = [
    [0, 's'],
    [0.25, 's'],
    [90, 's'],
    [0.999, 'percentunit'],
    [1_536, 'bytes'],
    [12_000, 'short'],
    [0.05, 'ops'],
  ] as const;
  expect(cases.map(([value, unit]) => inUnit(value, unit))).toEqual([
    ...['0 s', '250 ms', '1.5 min', '99.9 %', '1.5 KiB', '12 k', '0.05/s'],
  ]);
});

test('lines of the grid are round numbers of the unit, and reach the largest value', () => {
  expect(ticksTo(7, 'short')).toEqual([0, 2, 4, 6, 8]);
  expect(ticksTo(90, 's').map((value) => inUnit(value, 's'))).toEqual(['0 s', '30 s', '1 min', '1.5 min']);
  expect(ticksTo(3 * 2 ** 20, 'bytes').at(-1)).toBe(3 * 2 ** 20);
});
