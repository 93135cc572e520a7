import { anchorOf } from '../rules/rules-file.ts';
import type { Dashboard, DashboardPanel } from './panel.ts';

/** The default of the chart's value monitoring.rules.runbookUrl, which the chart puts the value in place of. */
export const RUNBOOK_URL = 'https://github.com/crier-project/crier/blob/main/docs/runbook.md';

const TAG = 'crier';
const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;
const HEIGHTS = { lines: 8, stack: 8, number: 4 } as const;
const WIDTHS = { lines: 8, stack: 8, number: 4 } as const;

/** Labels whose values are words of `COLOURS`. */
const COLOURED = /\{\{(outcome|status_class|level|change|state)\}\}/;
/** Words that mean the same in every panel have one colour. */
const COLOURS: Readonly<Record<string, readonly string[]>> = {
  green: ['published', 'ok', 'committed', 'succeeded', 'ready', 'converted', 'fetched', 'refreshed', '2xx', 'settled'],
  red: ['failed', 'lost', '5xx', 'unable', 'given_up', 'unavailable', 'error', 'fatal', 'needed', 'opened'],
  orange: ['unconfirmed', '4xx', 'refused', 'warn'],
  yellow: ['unknown', 'timed_out', 'used'],
  blue: ['3xx', 'reused', 'info', 'redirected'],
  purple: ['none', 'unreachable', 'never_tried'],
};

/** A dashboard as Grafana reads it, in the schema of Grafana 11 and later. */
export function grafanaJson(dashboard: Dashboard): string {
  const { name, title, description, hasNetworks = false, rows } = dashboard;
  const json = {
    ...{ uid: `crier-${name}`, title, description, tags: [TAG], editable: false, graphTooltip: 1 },
    ...{ schemaVersion: 39, version: 1, timezone: 'browser', refresh: '30s', time: { from: 'now-6h', to: 'now' } },
    annotations: { list: [] },
    links: [{ ...linkOf('Crier', 'dashboards'), tags: [TAG], asDropdown: true, includeVars: true, keepTime: true }],
    templating: { list: [sourceVariable, NAMESPACES, ...(hasNetworks ? [NETWORKS] : [])] },
    panels: placed(rows),
  };
  return `${JSON.stringify(json, null, 1)}\n`;
}

/** Grafana's type of a link has no optional fields. */
const linkOf = (title: string, type: 'link' | 'dashboards') => ({
  ...{ title, type, icon: 'external link', tooltip: '', url: '', tags: [] as readonly string[] },
  ...{ asDropdown: false, includeVars: false, keepTime: false, targetBlank: false },
});

const sourceVariable = {
  ...{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
  ...{ hide: 0, includeAll: false, multi: false, refresh: 1, regex: '', options: [] },
};

/** A choice of the values of a label. `.*` also matches series that do not have it. */
const labelVariable = (name: string, label: string, metric: string) => ({
  ...{
    name,
    label,
    type: 'query',
    datasource: SOURCE,
    query: { query: `label_values(${metric}, ${name})`, refId: name },
  },
  ...{ hide: 0, includeAll: true, allValue: '.*', multi: true, refresh: 2, regex: '', sort: 1, options: [] },
  current: { selected: true, text: ['All'], value: ['$__all'] },
});
const NAMESPACES = labelVariable('namespace', 'Namespace', 'crier_build_info');
const NETWORKS = labelVariable('network', 'Network', 'crier_attempts_ended_total{namespace=~"$namespace"}');

/** From left to right and from top to bottom, each row under its title. */
function placed(rows: Dashboard['rows']): readonly object[] {
  const panels: object[] = [];
  let top = 0;
  for (const { title, panels: inRow } of rows) {
    panels.push({
      ...{ id: panels.length + 1, type: 'row', title, collapsed: false, panels: [] },
      gridPos: { x: 0, y: top, w: COLUMNS, h: 1 },
    });
    top += 1;
    let [left, height] = [0, 0];
    for (const panel of inRow) {
      const [w, h] = [panel.width ?? WIDTHS[panel.shape], HEIGHTS[panel.shape]];
      if (left + w > COLUMNS) [top, left, height] = [top + height, 0, 0];
      panels.push({ id: panels.length + 1, ...panelJson(panel), gridPos: { x: left, y: top, w, h } });
      [left, height] = [left + w, Math.max(height, h)];
    }
    top += height;
  }
  return panels;
}

function panelJson(panel: DashboardPanel): object {
  const { title, description, shape, queries, heading } = panel;
  const isNumber = shape === 'number';
  return {
    ...{ type: isNumber ? 'stat' : 'timeseries', title, description, datasource: SOURCE },
    fieldConfig: {
      defaults: isNumber ? numberField(panel) : lineField(panel),
      overrides: queries.some(({ legend }) => COLOURED.test(legend)) ? COLOUR_RULES : [],
    },
    options: isNumber ? NUMBER_OPTIONS : LINE_OPTIONS,
    targets: queries.map(({ expr, legend }, index) => ({
      ...{ refId: String.fromCharCode(65 + index), datasource: SOURCE, expr, legendFormat: legend },
      ...{ range: true, instant: false, editorMode: 'code' },
    })),
    links:
      heading === undefined
        ? []
        : [{ ...linkOf(`Runbook: ${heading}`, 'link'), url: `${RUNBOOK_URL}#${anchorOf(heading)}`, targetBlank: true }],
  };
}

const COLOUR_RULES = Object.entries(COLOURS).map(([fixedColor, words]) => ({
  matcher: { id: 'byRegexp', options: `/(^| )(${words.join('|')})$/` },
  properties: [{ id: 'color', value: { mode: 'fixed', fixedColor } }],
}));

const NUMBER_OPTIONS = {
  ...{ colorMode: 'value', graphMode: 'area', justifyMode: 'auto', orientation: 'auto', textMode: 'auto' },
  ...{ percentChangeColorMode: 'standard', showPercentChange: false, wideLayout: true },
  ...{ reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false } },
};
const LINE_OPTIONS = {
  legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
  tooltip: { mode: 'multi', sort: 'desc' },
};

/** Where a query gives nothing: mostly nothing happened, and nothing is wrong. */
const NOTHING = 'nothing in this time';
const GOOD = { color: 'green', value: null };

function numberField({ unit, limit, isFloor = false, most }: DashboardPanel): object {
  const bad = limit === undefined ? [] : [{ color: isFloor ? 'green' : 'red', value: limit }];
  return {
    ...{ unit, min: 0, ...(most !== undefined && { max: most }), noValue: NOTHING },
    ...{ color: { mode: 'thresholds' }, mappings: [] },
    thresholds: { mode: 'absolute', steps: [isFloor ? { color: 'red', value: null } : GOOD, ...bad] },
  };
}

function lineField({ shape, unit, limit, most }: DashboardPanel): object {
  const isStack = shape === 'stack';
  return {
    ...{
      unit,
      min: 0,
      noValue: NOTHING,
      ...(most !== undefined && { max: most }),
      color: { mode: 'palette-classic' },
      mappings: [],
    },
    thresholds: { mode: 'absolute', steps: [GOOD, ...(limit === undefined ? [] : [{ color: 'red', value: limit }])] },
    custom: {
      ...{ drawStyle: 'line', lineWidth: 1, fillOpacity: isStack ? 60 : 5, showPoints: 'auto', spanNulls: false },
      ...{ stacking: { mode: isStack ? 'normal' : 'none', group: 'A' } },
      thresholdsStyle: { mode: limit === undefined ? 'off' : 'dashed' },
    },
  };
}
