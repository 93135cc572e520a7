import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { BenchRow } from '../report.ts';
import { measurePeers } from './measure-peers.ts';
import { scriptedPeer } from './scripted-peer.fixture.ts';
import { PEER_SIZES } from './sizes.ts';
import { takeTurn } from './turns.ts';

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
    { sizes, say: (line) => said.push(line) },
  );
  await expect(turn).rejects.toThrow(/the check: of 20 Variants 20 did not arrive/);
  expect({ said, stopped, left: existsSync(folder) }).toEqual({ said: [], stopped: true, left: false });
});

test('a peer that fails has no row, and the run ends in an error that names it', async () => {
  const rows: BenchRow[] = [];
  const programs = { postgres: '/nowhere', redis: '/bin/false', user: null, env: {} };
  const options = { engines: [], peers: ['bullmq'], sizes: 'smoke', rounds: 2, programs } as const;
  const run = measurePeers(options, { row: (row) => rows.push(row), say: () => {} });
  await expect(run).rejects.toThrow('no rows of bullmq');
  expect(rows).toEqual([]);
});
