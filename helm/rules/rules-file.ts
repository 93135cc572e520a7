import { stringify } from 'yaml';
import type { Alert } from './alert.ts';
import { BURN_ALERTS, BURN_RECORDINGS } from './burn-rates.ts';
import { CAUSES } from './causes.ts';
import { EXPLAINED_RECORDINGS } from './explained.ts';
import { PAGES } from './pages.ts';
import { TICKETS } from './tickets.ts';

export const ALERTS: readonly Alert[] = [...CAUSES, ...BURN_ALERTS, ...PAGES, ...TICKETS];

/** The chart puts its value monitoring.rules.runbookUrl in its place. */
const RUNBOOK = 'https://crier.invalid/runbook';

/** As a renderer makes anchors of headings. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** helm/crier/files/rules.yaml, as Prometheus reads rules. */
export function rulesFile(): string {
  const groups = [
    { name: 'crier-recordings', rules: [...BURN_RECORDINGS, ...EXPLAINED_RECORDINGS] },
    ...(['page', 'ticket'] as const).map((severity) => ({
      name: `crier-${severity}s`,
      rules: ALERTS.filter((alert) => alert.severity === severity).map(ruleOf),
    })),
  ];
  return `# Written by \`npm run docs\` from helm/rules.\n${stringify({ groups }, { lineWidth: 0 })}`;
}

const ruleOf = ({ name, severity, expr, for: duration, summary, heading }: Alert) => ({
  alert: name,
  expr,
  for: duration,
  labels: { severity, service: 'crier' },
  annotations: { summary, runbook_url: `${RUNBOOK}#${anchorOf(heading)}` },
});
