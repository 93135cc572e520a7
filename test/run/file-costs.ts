import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const FILE = 'file-costs.jsonl';

/** What a file of tests took of the processor, with the processes that it started and that ended. */
export interface FileCost {
  /** From the root. */
  readonly file: string;
  readonly seconds: number;
}

/** Many processes may write into one folder: each line is one write. */
export function writeCost(folder: string, { file, seconds }: FileCost): void {
  appendFileSync(join(folder, FILE), `${JSON.stringify({ file: relative(ROOT, file), seconds })}\n`);
}

/** Of all files that ended, the dearest first. */
export function readCosts(folder: string): readonly FileCost[] {
  const path = join(folder, FILE);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as FileCost).toSorted((one, other) => other.seconds - one.seconds);
}

/** A line for each of the `count` dearest files, and one for what all files took. */
export function describeCosts(costs: readonly FileCost[], count: number): readonly string[] {
  if (costs.length === 0) return [];
  const all = costs.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    `${costs.length} files took ${Math.round(all)} s of processor, most of it:`,
    ...costs.slice(0, count).map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s ${file}`),
  ];
}
