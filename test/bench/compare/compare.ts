import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { newRunFolder } from '#testing/engines/cache-folder.ts';
import { PROGRAM_VARIABLE } from '../program.ts';
import { markdown, shown, type BenchRow } from '../report.ts';
import { checkOut } from './checkout.ts';
import { compared, type ComparedFigure } from './guarded.ts';

const BENCH = resolve(import.meta.dirname, '../main.ts');

export interface CompareOptions {
  readonly revision: string;
  /** Runs of each side. */
  readonly rounds: number;
  /** Of each run of the benchmark: engines, groups and sizes. */
  readonly args: readonly string[];
  say(line: string): void;
}

/**
 * Runs the benchmark of these files against the processes of another revision and against those of these files, in
 * turns (before, after, after, before, ...), so that neither has the quieter machine, and compares the medians.
 */
export async function compareWith({ revision, rounds, args, say }: CompareOptions): Promise<readonly ComparedFigure[]> {
  using other = checkOut(revision);
  say(`compared with ${other.commit}`);
  const folder = newRunFolder('compared');
  const rows: Record<'before' | 'after', (readonly BenchRow[])[]> = { before: [], after: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      for (const side of round % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const)) {
        say(`round ${round + 1} of ${rounds}, ${side}`);
        const results = join(folder, `${side}-${round}.json`);
        const env = { ...process.env, ...(side === 'before' && { [PROGRAM_VARIABLE]: other.program }) };
        const child = spawn(process.execPath, [BENCH, ...args, `--results=${results}`], {
          stdio: ['ignore', 'ignore', 'inherit'],
          env,
        });
        const [code] = (await once(child, 'exit')) as [number | null];
        if (code !== 0) throw new Error(`the benchmark of ${side} ended with ${code}`);
        rows[side].push((JSON.parse(readFileSync(results, 'utf8')) as { rows: readonly BenchRow[] }).rows);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return compared(rows.before, rows.after);
}

/** What was found, as a table. */
export function comparison(figures: readonly ComparedFigure[]): string {
  return markdown(
    ['row', 'figure', 'before', 'after', 'worse by', 'fell'],
    figures.map(({ row, figure, before, after, worseBy, fell }) => [
      ...[row, figure, shown(before), shown(after)],
      ...[`${(worseBy * 100).toFixed(0)} %`, fell ? 'FELL' : 'no'],
    ]),
  );
}
