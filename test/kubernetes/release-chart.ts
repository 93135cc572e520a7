import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHART } from './helm.ts';

/** The chart as a release of this version would ship it: images of its own tag, and a version of its own. */
export function chartOfRelease(version: string, folder: string): string {
  const chart = join(folder, `chart-${version}`);
  cpSync(CHART, chart, { recursive: true });
  const file = join(chart, 'Chart.yaml');
  const text = readFileSync(file, 'utf8');
  const changed = text
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^appVersion: .*$/m, `appVersion: ${version}`);
  if (changed === text) throw new Error('helm/crier/Chart.yaml names no version');
  writeFileSync(file, changed);
  return chart;
}

/** A copy of the chart in which each template has its text replaced: a fault that the trial has to see. */
export function chartWithFault(
  folder: string,
  [template, text, fault]: readonly [template: string, text: string, fault: string],
): string {
  const chart = mkdtempSync(join(folder, 'chart-with-fault-'));
  cpSync(CHART, chart, { recursive: true });
  const file = join(chart, 'templates', template);
  const before = readFileSync(file, 'utf8');
  const after = before.replaceAll(text, fault);
  if (after === before) throw new Error(`helm/crier/templates/${template} has no ${text}`);
  writeFileSync(file, after);
  return chart;
}

/** The version that the chart of this tree installs. */
export function chartVersion(): string {
  return /^appVersion: "?([^"\n]+)"?$/m.exec(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))![1]!;
}
