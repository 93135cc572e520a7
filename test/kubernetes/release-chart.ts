import { cpSync, readFileSync, writeFileSync } from 'node:fs';
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

/** The version that the chart of this tree installs. */
export function chartVersion(): string {
  return /^appVersion: "?([^"\n]+)"?$/m.exec(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))![1]!;
}
