import { expect, test } from 'vitest';
import type { BenchRow } from '../report.ts';
import { beside } from './beside.ts';
import { findPrograms } from './engines/programs.ts';
import { measurePeers } from './measure-peers.ts';
import { GOALS } from './goals.ts';
import { PEERS } from './peer.ts';
import { rowNames } from './row-names.ts';
import { PEER_SIZES } from './sizes.ts';
import { WORKLOADS } from './workloads/workload.ts';

const programs = findPrograms();
const missing = typeof programs === 'string';
if (missing) process.stderr.write(`Rows beside peers are left out: ${programs}\n`);

const DUE = 7;
const OF_THE_API = 5;

/** Its rows: what comes due, syncs and memory, of each; what an API does, of those that have one; the floor. */
const rowsOf = (name: string): number =>
  DUE + 2 + (['embedded', 'plain'].includes(name) ? OF_THE_API : 0) + (name === 'embedded' ? 1 : 0);

test.skipIf(missing)(
  'every row beside peers can be made, with a figure in each place',
  { timeout: 900_000 },
  async () => {
    const rows: BenchRow[] = [];
    const plan = { sizes: 'smoke', rounds: null, workloads: WORKLOADS, jvm: 'tests', programs } as const;
    await measurePeers({ ...plan, engines: ['embedded'], peers: PEERS } as never, {
      row: (row) => rows.push(row),
      say: () => {},
    });
    const found = Object.fromEntries(
      [...Map.groupBy(rows, ({ engine }) => engine)].map(([name, own]) => [name, own.length]),
    );
    expect(found).toEqual(Object.fromEntries(['embedded', ...PEERS].map((name) => [name, rowsOf(name)])));
    for (const { engine, what, figures } of rows) {
      expect(
        Object.entries(figures).filter(([, value]) => !Number.isFinite(value)),
        `${engine}, ${what}`,
      ).toEqual([]);
      // Amid a kill, what has not ended in the short time of this test is neither. Nothing is lost, nothing early.
      expect({ lost: figures['lost'] ?? 0, early: figures['early'] ?? 0 }, `${engine}, ${what}`).toEqual({
        lost: 0,
        early: 0,
      });
    }
    const names = rowNames(PEER_SIZES.smoke);
    const goals = GOALS.filter(({ row: key, figure }) =>
      ['embedded', 'plain'].every((name) =>
        rows.some(({ engine, what, figures }) => engine === name && what === names[key] && figure in figures),
      ),
    );
    expect(goals, 'every goal is of a figure that Crier and the plain service have').toEqual(GOALS);
    const [headings] = beside(rows, { isJudged: false }).split('\n');
    expect(headings!.split('|').map((cell) => cell.trim())).toEqual(['', 'figure', 'embedded', ...PEERS, '']);
  },
);
