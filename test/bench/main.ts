import { resolve } from 'node:path';
import { benchFlags, USAGE, type BenchFlags } from './flags.ts';
import { load, machine } from './machine.ts';
import { table, writeResults, type BenchRow } from './report.ts';
import { runBench } from './run.ts';

const RESULTS = resolve(import.meta.dirname, '../../bench-results');

function flagsOf(args: readonly string[]): BenchFlags {
  try {
    return benchFlags(args);
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

const flags = flagsOf(process.argv.slice(2));
const startedAt = new Date().toISOString();
const loadBefore = load();
const rows: BenchRow[] = [];
const say = (line: string): void => void process.stderr.write(`${line}\n`);
try {
  await runBench(flags, {
    row: (row) => {
      rows.push(row);
      say(`  ${row.what}: ${JSON.stringify(row.figures)}`);
    },
    say,
  });
} finally {
  // Results measured before a failure are kept.
  const results = {
    startedAt,
    endedAt: new Date().toISOString(),
    sizes: flags.sizes,
    machine: machine(),
    loadBefore,
    rows,
  };
  const file = writeResults(RESULTS, startedAt.replaceAll(':', '-'), results);
  process.stdout.write(
    `${table(rows)}\n\n${rows.filter(({ target }) => target?.met === false).length} of ${rows.length} rows miss their target. All of it: ${file}\n`,
  );
}
