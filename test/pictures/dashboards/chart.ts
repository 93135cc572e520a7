import type { TimeSpan } from '#testing/prometheus.ts';
import { inUnit, ticksTo } from './units.ts';
import type { WrittenPanel } from './written-dashboard.ts';

/** A line of a panel, with the name that its legend gives it. */
export interface ChartSeries {
  readonly name: string;
  readonly points: readonly (readonly [at: number, value: number])[];
}

export interface ChartPlace {
  readonly width: number;
  readonly height: number;
  readonly span: TimeSpan;
  readonly stepSeconds: number;
}

/** Grafana's own, by the names that files use. */
export const NAMED_COLOURS: Readonly<Record<string, string>> = {
  green: '#56a64b',
  red: '#e02f44',
  orange: '#ff780a',
  blue: '#3274d9',
  purple: '#a352cc',
  yellow: '#e0b400',
};
const PALETTE = ['#56a64b', '#f2cc0c', '#3274d9', '#ff780a', '#a352cc', '#8ab8ff', '#fa6400', '#37872d', '#b877d9'];
const [LEFT, RIGHT, TOP, BOTTOM] = [72, 8, 6, 20];
/** Further series are counted. */
const MOST_NAMES = 14;

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function colourOf({ fieldConfig }: WrittenPanel, name: string, index: number): string {
  const fixed = fieldConfig!.overrides.find(({ matcher }) => new RegExp(matcher.options.slice(1, -1)).test(name));
  return fixed === undefined ? PALETTE[index % PALETTE.length]! : NAMED_COLOURS[fixed.properties[0]!.value.fixedColor]!;
}

/** A panel of lines or stacked areas as SVG, with its legend below. */
export function chartOf(panel: WrittenPanel, series: readonly ChartSeries[], place: ChartPlace): string {
  const { unit, max, thresholds, custom } = panel.fieldConfig!.defaults;
  const isStack = custom!.stacking.mode === 'normal';
  const limit = custom!.thresholdsStyle.mode === 'off' ? null : thresholds.steps.at(-1)!.value;
  const bands = isStack
    ? stacked(series)
    : series.map(({ points }) => points.map(([at, value]) => [at, 0, value] as const));
  const highest = Math.max(0, ...bands.flat().map(([, , top]) => top));
  // A limit far above the values would press them to the ground.
  const shownLimit = limit !== null && limit <= highest * 3 ? limit : null;
  const ticks = ticksTo(Math.max(highest, shownLimit ?? 0) || (max ?? 1), unit);
  const [width, height] = [place.width - LEFT - RIGHT, place.height - TOP - BOTTOM];
  const x = (at: number): number => LEFT + ((at - place.span.from) / (place.span.to - place.span.from)) * width;
  const y = (value: number): number => TOP + height - (value / ticks.at(-1)!) * height;
  const drawn = bands.map((band, index) => {
    const colour = colourOf(panel, series[index]!.name, index);
    return unbroken(band, place.stepSeconds)
      .map((part) => pathOf(part, { x, y, colour, isStack }))
      .join('');
  });
  const grid = ticks.map(
    (value) =>
      `<line x1="${LEFT}" x2="${place.width - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#e9ebee"/><text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${inUnit(value, unit)}</text>`,
  );
  const line =
    shownLimit === null
      ? ''
      : `<line x1="${LEFT}" x2="${place.width - RIGHT}" y1="${y(shownLimit)}" y2="${y(shownLimit)}" stroke="${NAMED_COLOURS['red']!}" stroke-dasharray="6 5"/>`;
  const nothing =
    series.length > 0
      ? ''
      : `<text class="nothing" x="${place.width / 2}" y="${place.height / 2}" text-anchor="middle">${panel.fieldConfig!.defaults.noValue ?? 'No data'}</text>`;
  return `<svg width="${place.width}" height="${place.height}">${grid.join('')}${clock(place, x)}${drawn.join('')}${line}${nothing}</svg>${legendOf(panel, series)}`;
}

type Band = readonly (readonly [at: number, bottom: number, top: number])[];

/** Each on top of those before it, at the instants at which any has a value. */
function stacked(series: readonly ChartSeries[]): readonly Band[] {
  const ground = new Map<number, number>();
  return series.map(({ points }) =>
    points.map(([at, value]) => {
      const bottom = ground.get(at) ?? 0;
      ground.set(at, bottom + value);
      return [at, bottom, bottom + value] as const;
    }),
  );
}

/** The parts between gaps: a missing value is no zero. */
function unbroken(band: Band, stepSeconds: number): readonly Band[] {
  const parts: Band[number][][] = [];
  for (const point of band) {
    const last = parts.at(-1);
    if (last === undefined || point[0] - last.at(-1)![0] > stepSeconds * 1.5) parts.push([point]);
    else last.push(point);
  }
  return parts;
}

interface PathStyle {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
  readonly colour: string;
  readonly isStack: boolean;
}

function pathOf(part: Band, { x, y, colour, isStack }: PathStyle): string {
  const at = ([instant]: Band[number], value: number): string => `${x(instant).toFixed(1)},${y(value).toFixed(1)}`;
  if (part.length === 1) return `<circle cx="${x(part[0]![0])}" cy="${y(part[0]![2])}" r="2" fill="${colour}"/>`;
  const line = part.map((point) => at(point, point[2]));
  const area = [...line, ...part.toReversed().map((point) => at(point, point[1]))].join(' ');
  return `<polygon points="${area}" fill="${colour}" opacity="${isStack ? 0.55 : 0.06}"/><polyline points="${line.join(' ')}" fill="none" stroke="${colour}" stroke-width="1.4"/>`;
}

const MINUTE = 60;

function clock({ span, height }: ChartPlace, x: (at: number) => number): string {
  const every = Math.max(1, Math.round((span.to - span.from) / MINUTE / 5)) * MINUTE;
  const first = Math.ceil(span.from / every) * every;
  return Array.from({ length: Math.floor((span.to - first) / every) + 1 }, (_, index) => first + index * every)
    .map(
      (at) =>
        `<text x="${x(at)}" y="${height - 4}" text-anchor="middle">${new Date(at * 1_000).toISOString().slice(11, 16)}</text>`,
    )
    .join('');
}

function legendOf(panel: WrittenPanel, series: readonly ChartSeries[]): string {
  const names = series
    .slice(0, MOST_NAMES)
    .map(
      ({ name }, index) => `<span><i style="background:${colourOf(panel, name, index)}"></i>${escaped(name)}</span>`,
    );
  const more = series.length > MOST_NAMES ? `<span>and ${series.length - MOST_NAMES} more</span>` : '';
  return `<div class="legend">${names.join('')}${more}</div>`;
}
