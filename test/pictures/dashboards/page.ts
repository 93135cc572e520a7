import { chartOf, escaped, NAMED_COLOURS, type ChartSeries } from './chart.ts';
import type { RangeSeries, TimeSpan } from '#testing/prometheus.ts';
import { inUnit } from './units.ts';
import type { WrittenDashboard, WrittenPanel } from './written-dashboard.ts';

export const PAGE_WIDTH = 1_600;
const COLUMNS = 24;
/** As in Grafana: cells of 30 pixels, 8 apart. */
const [CELL, GAP, MARGIN] = [30, 8, 16];
const TITLE_HEIGHT = 30;
const LEGEND_HEIGHT = 46;

const STYLE = `
  body { margin: 0; background: #f4f5f5; font: 13px system-ui, sans-serif; color: #24292e; }
  header { padding: 14px ${MARGIN}px 6px; } h1 { font-size: 19px; margin: 0 0 3px; } header p { margin: 0; color: #5c6470; }
  main { position: relative; margin: 0 ${MARGIN}px; }
  section, h2 { position: absolute; box-sizing: border-box; margin: 0; }
  section { background: #fff; border: 1px solid #e3e5e8; border-radius: 3px; overflow: hidden; }
  h2 { font-size: 15px; line-height: ${CELL}px; } h3 { font-size: 13px; font-weight: 600; margin: 7px 10px 3px; }
  svg text { font: 11px system-ui, sans-serif; fill: #6b7280; } svg .nothing { font-size: 14px; }
  .legend { display: flex; flex-wrap: wrap; gap: 1px 12px; padding: 0 10px; height: ${LEGEND_HEIGHT - 6}px; overflow: hidden; font-size: 11px; color: #444b55; }
  .legend i { display: inline-block; width: 12px; height: 3px; margin-right: 5px; vertical-align: middle; }
  .number { font-size: 34px; font-weight: 500; text-align: center; line-height: 80px; } .few { font-size: 20px; }`;

export interface ShownRange {
  readonly span: TimeSpan;
  readonly stepSeconds: number;
}

/** Fills names of labels into a legend, as Grafana does. */
const named = (legend: string, { labels }: RangeSeries): string =>
  legend.replace(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '').trim();

/** The dashboard as a document for a browser. `seriesOf` answers a query of a panel. */
export async function pageOf(
  { title, description, panels }: WrittenDashboard,
  seriesOf: (expr: string) => Promise<readonly RangeSeries[]>,
  range: ShownRange,
): Promise<string> {
  const column = (PAGE_WIDTH - 2 * MARGIN + GAP) / COLUMNS;
  const shown: string[] = [];
  for (const panel of panels) {
    const { x, y, w, h } = panel.gridPos;
    const [width, height] = [w * column - GAP, h * (CELL + GAP) - GAP];
    const place = `left:${x * column}px;top:${y * (CELL + GAP)}px;width:${width}px;height:${height}px`;
    if (panel.type === 'row') {
      shown.push(`<h2 style="${place}">${escaped(panel.title)}</h2>`);
      continue;
    }
    const series: ChartSeries[] = [];
    for (const { expr, legendFormat } of panel.targets!)
      for (const found of await seriesOf(expr))
        if (found.points.length > 0) series.push({ name: named(legendFormat, found), points: found.points });
    const chart = { ...range, width: width - 2, height: height - TITLE_HEIGHT - LEGEND_HEIGHT };
    const inside = panel.type === 'stat' ? numberOf(panel, series) : chartOf(panel, series, chart);
    shown.push(`<section style="${place}"><h3>${escaped(panel.title)}</h3>${inside}</section>`);
  }
  const bottom = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h)) * (CELL + GAP) + GAP;
  return `<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title><style>${STYLE}</style>
<header><h1>${escaped(title)}</h1><p>${escaped(description)}</p></header><main style="height:${bottom}px">${shown.join('\n')}</main>`;
}

/** The newest value, in the colour of the step that it reached. */
function numberOf({ fieldConfig }: WrittenPanel, series: readonly ChartSeries[]): string {
  const { unit, thresholds, noValue = 'No data' } = fieldConfig!.defaults;
  const newest = series[0]?.points.at(-1)?.[1];
  if (newest === undefined) return `<div class="number few">${escaped(noValue)}</div>`;
  const reached = thresholds.steps.filter(({ value }) => value === null || newest >= value).at(-1)!;
  return `<div class="number" style="color:${NAMED_COLOURS[reached.color]!}">${inUnit(newest, unit)}</div>`;
}
