import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { machine } from './machine.ts';
import { table, type BenchRow } from './report.ts';
import type { Sizes } from './sizes.ts';

// Writes the rows of results into docs/benchmarks.md: `node test/bench/write-page.ts bench-results/A.json [more]`. When
// several files hold a row, the last one counts.

interface Results {
  readonly startedAt: string;
  readonly sizes: Sizes;
  readonly machine: ReturnType<typeof machine>;
  readonly rows: readonly BenchRow[];
}

const PAGE = resolve(import.meta.dirname, '../../docs/benchmarks.md');
const BEGIN = '<!-- rows -->';
const END = '<!-- end of rows -->';

const runs = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Results);
const last = runs.at(-1);
if (last === undefined) throw new Error('which results?');
const rows = new Map(
  runs
    .flatMap((run) => run.rows)
    .map((row) => [`${row.engine} ${row.durability} ${row.rateLimit} ${row.group} ${row.what}`, row]),
);
const { cores, processor, memoryGiB, node, kernel } = last.machine;
const loads = [...rows.values()].map(({ load }) => load);
const sizes = [...new Set(runs.map((run) => run.sizes.name))].join(' and ');
const on = `Made on ${last.startedAt.slice(0, 10)}: ${cores} cores (${processor}), ${memoryGiB} GiB, Linux ${kernel}, Node ${node}; ${sizes} sizes; load of the machine ${Math.min(...loads)} to ${Math.max(...loads)}, our own work in it.`;
const hows = [...rows.values()].map(({ what, engine, how }) => `- ${engine}, ${what}: ${how}`);
const text = readFileSync(PAGE, 'utf8');
const [before, rest] = [text.slice(0, text.indexOf(BEGIN)), text.slice(text.indexOf(END))];
writeFileSync(
  PAGE,
  `${before}${BEGIN}\n${on}\n\n${table([...rows.values()])}\n\nHow each was measured:\n\n${hows.join('\n')}\n${rest}`,
);
