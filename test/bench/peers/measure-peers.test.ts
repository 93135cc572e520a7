import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { BenchRow } from '../report.ts';
import { measureInTurns, measurePeers } from './measure-peers.ts';
import type { StartPeer } from './peer.ts';
import { ON_TIME_MS, scriptedPeer, type ScriptedPeer } from './scripted-peer.fixture.ts';
import { PEER_SIZES } from './sizes.ts';
import { takeTurn } from './turns.ts';
import { WORKLOADS, type Workload } from './workloads/workload.ts';

const sizes = { ...PEER_SIZES.smoke, checkMs: 200 };

test('a peer that does nothing is refused before anything is measured, and leaves nothing behind', async () => {
  const said: string[] = [];
  let [folder, stopped] = ['', false];
  const turn = takeTurn(
    async (site) => {
      folder = site.folder;
      site.defer(async () => {
        stopped = true;
      });
      return scriptedPeer(site.sink.url, { sends: () => [] });
    },
    { sizes, workloads: WORKLOADS, say: (line) => said.push(line) },
  );
  await expect(turn).rejects.toThrow(/the check: of 20 Variants 20 did not arrive/);
  expect({ said, stopped, left: existsSync(folder) }).toEqual({ said: [], stopped: true, left: false });
});

test('a peer that fails has no row, and the run ends in an error that names it', async () => {
  const rows: BenchRow[] = [];
  const programs = { postgres: '/nowhere', redis: '/bin/false', user: null, env: {} };
  const plan = { sizes: 'smoke', rounds: 2, workloads: WORKLOADS, jvm: 'tests' } as const;
  const options = { ...plan, engines: [], peers: ['bullmq'], programs } as const;
  const run = measurePeers(options, { row: (row) => rows.push(row), say: () => {} });
  await expect(run).rejects.toThrow('it failed beside the others: bullmq');
  expect(rows).toEqual([]);
});

/** Behind those of the check and the warm-up, so that only what is measured has it. */
const MEASURED = 25;
const CHECKED = 7;

/** The rows of one contender, of which each turn is a peer of its own. */
async function rowsOfTurns(scripts: readonly ScriptedPeer[], workloads: readonly Workload[]) {
  const rows: BenchRow[] = [];
  const left = [...scripts];
  const plan = { sizes: 'smoke', rounds: scripts.length, workloads } as const;
  const start: StartPeer = async ({ sink }) => scriptedPeer(sink.url, left.shift()!);
  const run = measureInTurns(['bullmq'], () => start, plan, { row: (row) => rows.push(row), say: () => {} });
  const error = await run.then(
    () => null,
    (thrown: unknown) => String(thrown),
  );
  return { rows, error };
}

const WELL: ScriptedPeer = { sends: () => [ON_TIME_MS] };

/** It doubles one of its Variants. */
const doublesAt = (place: number): ScriptedPeer => ({
  sends: (index) => (index === place ? [ON_TIME_MS, 20] : [ON_TIME_MS]),
});
const WITHIN = { timeout: 60_000 };

test(
  'of the workloads those that are asked for; what was doubled in one turn of three is in the row',
  WITHIN,
  async () => {
    const { rows, error } = await rowsOfTurns([WELL, doublesAt(MEASURED), WELL], ['due1']);
    expect(error).toBeNull();
    expect(rows.map(({ what, figures }) => [what, figures['doubled'], figures['lost']])).toEqual([
      ['150 due a second, 1 Channel', 1, 0],
    ]);
    expect(rows[0]!.turns!.map((turn) => turn['doubled'])).toEqual([0, 1, 0]);
  },
);

test('one that fails in its second turn has the rows of its first, and the run ends in an error', WITHIN, async () => {
  const { rows, error } = await rowsOfTurns([WELL, doublesAt(CHECKED)], ['due1']);
  expect(error).toMatch(/it failed beside the others: bullmq/);
  expect(rows.map(({ what, how }) => [what, how.split(',')[0]])).toEqual([
    ['150 due a second, 1 Channel', 'medians of 1 turns'],
  ]);
});
