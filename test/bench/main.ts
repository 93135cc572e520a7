import { basename, dirname, resolve } from 'node:path';
import { compareWith, comparison } from './compare/compare.ts';
import { GUARDED_GROUPS } from './compare/guarded.ts';
import type { Sink } from './bench.ts';
import { benchFlags, USAGE, type BenchFlags } from './flags.ts';
import { load, machine } from './machine.ts';
import { table, writeResults, type BenchRow } from './report.ts';
import { beside } from './peers/beside.ts';
import { findPrograms } from './peers/engines/programs.ts';
import { measurePeers } from './peers/measure-peers.ts';
import type { PeerName } from './peers/peer.ts';
import { runBench } from './run.ts';

/** Runs of each side of a comparison. */
const ROUNDS = 5;
const RESULTS = resolve(import.meta.dirname, '../../bench-results');

function flagsOf(args: readonly string[]): BenchFlags {
  try {
    return benchFlags(args);
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n${USAGE}`);
    process.exit(2);
  }
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const flags = flagsOf(process.argv.slice(2));
if (flags.compare === null) await measure(flags);
else await compare(flags.compare, flags);

async function measure(flags: BenchFlags): Promise<void> {
  const startedAt = new Date().toISOString();
  const loadBefore = load();
  const rows: BenchRow[] = [];
  const sink = {
    row: (row: BenchRow) => {
      rows.push(row);
      say(`  ${row.engine}, ${row.what}: ${JSON.stringify(row.figures)}`);
    },
    say,
  };
  try {
    if (flags.peers === null) await runBench(flags, sink);
    else await measureBeside(flags.peers, flags, sink);
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
    const file = flags.results ?? resolve(RESULTS, `${startedAt.replaceAll(':', '-')}.json`);
    writeResults(dirname(file), basename(file, '.json'), results);
    process.stdout.write(
      `${table(rows)}\n\n${rows.filter(({ target }) => target?.met === false).length} of ${rows.length} rows miss their target. All of it: ${file}\n`,
    );
  }
}

/** Ends with 1 where what is needed for it is not installed. */
async function measureBeside(peers: readonly PeerName[], flags: BenchFlags, sink: Sink) {
  const { engines, rounds, sizes, workloads, jvm } = flags;
  const programs = findPrograms();
  if (typeof programs === 'string') {
    say(`bench: ${programs}`);
    process.exit(1);
  }
  const rows: BenchRow[] = [];
  const collected = { ...sink, row: (row: BenchRow) => void (rows.push(row), sink.row(row)) };
  const options = { peers, engines, rounds, workloads, jvm, sizes: sizes.name, programs };
  await measurePeers(options, collected).finally(() =>
    process.stdout.write(`${beside(rows, { isJudged: sizes.name === 'full' })}\n\n`),
  );
}

/** Of the groups that have guarded figures. Ends with 1 where a figure fell by more than it may. */
async function compare(revision: string, { engines, only, sizes, rounds, jvm }: BenchFlags): Promise<void> {
  const args = [
    `--engine=${engines.join()}`,
    `--jvm=${jvm}`,
    `--only=${only.filter((group) => GUARDED_GROUPS.includes(group)).join()}`,
  ];
  if (sizes.name !== 'full') args.push(`--${sizes.name}`);
  const figures = await compareWith({ revision, rounds: rounds ?? ROUNDS, args, say });
  const fell = figures.filter((figure) => figure.fell);
  process.stdout.write(`${comparison(figures)}\n\n${fell.length} of ${figures.length} figures fell.\n`);
  process.exitCode = fell.length === 0 && figures.length > 0 ? 0 : 1;
}
