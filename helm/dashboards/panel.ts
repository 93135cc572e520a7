import type { PanelQuery } from './queries.ts';

/** As Grafana names units. */
type PanelUnit = 's' | 'bytes' | 'Bps' | 'percentunit' | 'short' | 'ops';

/** How a panel looks: lines, areas on top of each other, or the newest value as a number. */
type PanelShape = 'lines' | 'stack' | 'number';

export interface DashboardPanel {
  readonly title: string;
  /** In plain words: what it shows, and what a move of it means. */
  readonly description: string;
  readonly shape: PanelShape;
  readonly unit: PanelUnit;
  readonly queries: readonly PanelQuery[];
  /** Of 24 columns. Default: 8 of lines, 4 of a number. */
  readonly width?: number;
  /** The heading of docs/runbook.md that helps. */
  readonly heading?: string;
  /** From here on it is bad: drawn as a line, or as the colour of the number. */
  readonly limit?: number;
  /** The limit is the least that is good. */
  readonly isFloor?: boolean;
  /** The largest value that can be, for shares. */
  readonly most?: number;
}

export interface DashboardRow {
  readonly title: string;
  readonly panels: readonly DashboardPanel[];
}

export interface Dashboard {
  /** Of its file and its address in Grafana: `crier-<name>`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether its queries choose Networks by the variable `network`. */
  readonly hasNetworks?: boolean;
  readonly rows: readonly DashboardRow[];
}

type PanelFacts = Omit<DashboardPanel, 'shape' | 'title' | 'unit' | 'description' | 'queries'>;

const shaped =
  (shape: PanelShape) =>
  (
    title: string,
    unit: PanelUnit,
    queries: readonly PanelQuery[],
    { description, ...facts }: PanelFacts & Pick<DashboardPanel, 'description'>,
  ): DashboardPanel => ({ title, description, shape, unit, queries, ...facts });

export const lines = shaped('lines');
export const stack = shaped('stack');
export const number = shaped('number');
