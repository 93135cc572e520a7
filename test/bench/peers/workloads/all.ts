import { setTimeout as sleep } from 'node:timers/promises';
import { toolAt } from '#testing/tool-at.ts';
import { MIB } from '../../machine.ts';
import type { PeerSizes } from '../sizes.ts';
import { manyClients, oneClient } from './creates.ts';
import { dueVariants } from './due.ts';
import { killedWorker } from './kill.ts';
import { filledHome, listPage, smallHome } from './pages.ts';
import type { Figures, PeerRun } from './peer-run.ts';
import { schedulePlan, settled } from './plan.ts';
import { countSyncs } from './syncs.ts';

/** Of one turn, by the name of the row. */
export type TurnFigures = ReadonlyMap<string, Figures>;

const FEW_POSTS = 100;
const WITHIN_MS = 60_000;

/** Each workload that the peer can do, on the same processes. A scheduler has no API, and makes only what comes due. */
export async function allWorkloads(run: PeerRun, folder: string): Promise<TurnFigures> {
  const { sizes, peer } = run;
  const rows = new Map<string, Figures>();
  const row = async (name: string, measure: () => Promise<Figures>): Promise<void> => {
    run.say(name);
    rows.set(name, await measure());
  };
  await warmUp(run);
  const { api } = peer;
  if (api !== null) {
    await row('POST, 1 client', () => oneClient(run, api, 'One'));
    await row(`POST, ${sizes.clients} clients, ${sizes.workspaces} Workspaces`, () => manyClients(run, api));
    const few = await smallHome(api, FEW_POSTS);
    await row(`page of 100, ${FEW_POSTS} Posts`, () => listPage(run, api, few));
    await warmUp(run);
  }
  for (const channels of [1, sizes.manyChannels])
    await row(`${sizes.dueASecond} due a second, ${inWords(channels)}`, () =>
      dueVariants(run, channels, byRate(sizes)),
    );
  for (const channels of [2, sizes.manyChannels])
    await row(`${sizes.atOneInstant} at one instant, ${inWords(channels)}`, () =>
      dueVariants(run, channels, atOnce(sizes.atOneInstant, 'Instant')),
    );
  await killRows(run, row);
  if (api !== null) {
    const many = await filledHome(api, sizes.outstanding);
    await row(`page of 100, ${sizes.outstanding} Posts`, () => listPage(run, api, many));
    await row(`POST, 1 client, ${sizes.outstanding} outstanding`, () => oneClient(run, api, 'Beside', many));
  }
  // Last, as it leaves jobs of tomorrow, and a scheduler counts what has not ended over all that it has.
  if (toolAt('strace') === null) run.say('strace is missing: syncs are not counted');
  else await row('syncs of a lone Post', () => countSyncs(run, folder));
  rows.set('memory', { 'peak MiB': run.meter.peakBytes() / MIB });
  return rows;
}

type AddRow = (name: string, measure: () => Promise<Figures>) => Promise<void>;

async function killRows(run: PeerRun, row: AddRow): Promise<void> {
  const { sizes } = run;
  const rate = byRate({ ...sizes, dueSeconds: sizes.killedSeconds });
  await row(`kill -9 amid ${sizes.dueASecond} due a second, ${inWords(sizes.manyChannels)}`, () =>
    killedWorker(run, sizes.manyChannels, { ...rate, label: 'Killed', killAfterMs: (sizes.killedSeconds * 1000) / 2 }),
  );
  await row(`kill -9 amid ${sizes.killedAtOneInstant} at one instant, ${inWords(sizes.manyChannels)}`, () =>
    killedWorker(run, sizes.manyChannels, {
      ...atOnce(sizes.killedAtOneInstant, 'Killed at once'),
      killAfterMs: sizes.burstKillMs,
    }),
  );
}

const inWords = (channels: number): string => `${channels} Channel${channels === 1 ? '' : 's'}`;

const byRate = ({ dueASecond, dueSeconds }: PeerSizes) => ({
  label: 'Rate',
  posts: Math.round(dueASecond * dueSeconds),
  channelsAPost: 1,
  gapMs: 1000 / dueASecond,
});

const atOnce = (variants: number, label: string) => ({ label, posts: variants / 2, channelsAPost: 2, gapMs: 0 });

/** Compiled code, prepared statements, open connections: what a process that has run for a while has. */
async function warmUp(run: PeerRun): Promise<void> {
  const plan = { label: `Warm ${Date.now()}`, posts: run.sizes.warmUpPosts, channelsAPost: 1, gapMs: 0 };
  const { home } = await schedulePlan(run, 2, plan);
  await settled(home, WITHIN_MS);
  // Webhooks follow.
  await sleep(run.sizes.downMs);
}
