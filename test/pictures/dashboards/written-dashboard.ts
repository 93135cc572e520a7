/** What the files of dashboards hold and a renderer needs. */
export interface WrittenDashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly panels: readonly WrittenPanel[];
}

export interface WrittenPanel {
  readonly type: 'row' | 'stat' | 'timeseries';
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig?: {
    readonly defaults: PanelField;
    readonly overrides: readonly ColourOverride[];
  };
}

interface PanelField {
  readonly unit: string;
  readonly max?: number;
  readonly noValue?: string;
  readonly thresholds: { readonly steps: readonly { readonly color: string; readonly value: number | null }[] };
  readonly custom?: {
    readonly stacking: { readonly mode: string };
    readonly thresholdsStyle: { readonly mode: string };
  };
}

interface ColourOverride {
  readonly matcher: { readonly options: string };
  readonly properties: readonly { readonly value: { readonly fixedColor: string } }[];
}
