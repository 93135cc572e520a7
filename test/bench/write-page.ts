import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { machine } from './machine.ts';
import { beside } from './peers/beside.ts';
import { PEERS_GROUP } from './peers/measure-peers.ts';
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
/** Comments between which the rows of a kind stand. */
const ALONE = ['<!-- rows -->', '<!-- end of rows -->'] as const;
const BESIDE_PEERS = ['<!-- peers -->', '<!-- end of peers -->'] as const;
const BESIDE_ATTACKS = ['<!-- fairness -->', '<!-- end of fairness -->'] as const;

const runs = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Results);
const last = runs.at(-1);
if (last === undefined) throw new Error('which results?');
const { cores, processor, memoryGiB, node, kernel } = last.machine;
const sizes = [...new Set(runs.map((run) => run.sizes.name))].join(' and ');
const ofPeers = newestRows(({ group }) => group === PEERS_GROUP);
const ofAttacks = newestRows(({ group }) => group === 'fairness');
const ofCrier = newestRows(({ group }) => group !== PEERS_GROUP && group !== 'fairness');
for (const [place, rows] of [
  [ALONE, ofCrier],
  [BESIDE_ATTACKS, ofAttacks],
] as const) {
  if (rows.length === 0) continue;
  const hows = rows.map(({ what, engine, how }) => `- ${engine}, ${what}: ${how}`);
  replace(place, `${madeOn(rows)}\n\n${table(rows)}\n\nHow each was measured:\n\n${hows.join('\n')}`);
}
if (ofPeers.length > 0) {
  const hows = [...new Set(ofPeers.map(({ engine, durability, how }) => `- ${engine}: ${durability}; ${how}`))];
  const figures = beside(ofPeers, { isJudged: sizes === 'full' });
  replace(BESIDE_PEERS, `${madeOn(ofPeers)}\n\n${figures}\n\nHow each was measured:\n\n${hows.join('\n')}`);
}

function newestRows(isWanted: (row: BenchRow) => boolean): readonly BenchRow[] {
  const wanted = runs.flatMap((run) => run.rows).filter(isWanted);
  return [
    ...new Map(
      wanted.map((row) => [
        // Beside peers, a contender has one column.
        `${row.engine} ${row.durability} ${row.group === PEERS_GROUP ? '' : row.jvm} ${row.rateLimit} ${row.group} ${row.what}`,
        row,
      ]),
    ).values(),
  ];
}

function madeOn(rows: readonly BenchRow[]): string {
  const loads = rows.map(({ load }) => load);
  return `Made on ${last!.startedAt.slice(0, 10)}: ${cores} cores (${processor}), ${memoryGiB} GiB, Linux ${kernel}, Node ${node}; ${sizes} sizes; load of the machine ${Math.min(...loads)} to ${Math.max(...loads)}, our own work in it.`;
}

function replace([begin, end]: readonly [string, string], rows: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = [page.slice(0, page.indexOf(begin)), page.slice(page.indexOf(end))];
  writeFileSync(PAGE, `${before}${begin}\n${rows}\n${rest}`);
}
