import { setTimeout as sleep } from 'node:timers/promises';
import { toolAt } from '#testing/tool-at.ts';
import { MIB } from '../../machine.ts';
import type { Api } from '../peer.ts';
import { FEW_POSTS, rowNames } from '../row-names.ts';
import type { PeerSizes } from '../sizes.ts';
import { manyClients, oneClient } from './creates.ts';
import { dueVariants } from './due.ts';
import { killedWorker } from './kill.ts';
import { filledHome, listPage, smallHome } from './pages.ts';
import type { Figures, PeerRun } from './peer-run.ts';
import { schedulePlan, settled } from './plan.ts';
import { countSyncs } from './syncs.ts';
import { tellsOfMemory, type Workload } from './workload.ts';

/** Of one turn, by the name of the row. */
export type TurnFigures = ReadonlyMap<string, Figures>;

const WITHIN_MS = 60_000;

interface TurnRows {
  readonly names: ReturnType<typeof rowNames>;
  /** Whether any of these is to be measured. */
  wanted(...workloads: readonly Workload[]): boolean;
  add(name: string, measure: () => Promise<Figures>): Promise<void>;
  figure(name: string, figure: string): number | undefined;
}

/**
 * Each of these workloads that the peer can do, on the same processes. A scheduler has no API, and makes only what
 * comes due.
 */
export async function allWorkloads(run: PeerRun, folder: string, workloads: readonly Workload[]): Promise<TurnFigures> {
  const found = new Map<string, Figures>();
  const rows: TurnRows = {
    names: rowNames(run.sizes),
    wanted: (...some) => some.some((workload) => workloads.includes(workload)),
    add: async (name, measure) => {
      run.say(name);
      const figures = await measure();
      found.set(name, figures);
      // Of a run that is ended before its last turn, this is what is left.
      run.say(`${name}: ${JSON.stringify(figures)}`);
    },
    figure: (name, figure) => found.get(name)?.[figure],
  };
  const { api } = run.peer;
  await warmUp(run);
  if (api !== null) await emptyRows(run, api, rows);
  await dueRows(run, rows);
  await killRows(run, rows);
  if (api !== null) await filledRows(run, api, rows);
  if (tellsOfMemory(workloads)) found.set(rows.names.memory, { 'peak MiB': run.meter.peakBytes() / MIB });
  // Last, as it leaves jobs of tomorrow, and a scheduler counts what has not ended over all that it has.
  if (rows.wanted('syncs')) {
    if (toolAt('strace') === null) run.say('strace is missing: syncs are not counted');
    else await rows.add(rows.names.syncs, () => countSyncs(run, folder));
  }
  return found;
}

/** Where few Posts wait. */
async function emptyRows(run: PeerRun, api: Api, { names, wanted, add }: TurnRows): Promise<void> {
  if (wanted('post')) {
    await add(names.post1, () => oneClient(run, api, 'One'));
    await add(names.post64, () => manyClients(run, api));
  }
  if (wanted('list')) {
    const few = await smallHome(api, FEW_POSTS);
    await add(names.listFew, () => listPage(run, api, few));
  }
  if (wanted('post', 'list')) await warmUp(run);
}

async function dueRows(run: PeerRun, { names, wanted, add }: TurnRows): Promise<void> {
  const { sizes } = run;
  const rate = (channels: number) => () =>
    dueVariants(run, channels, byRate(sizes, sizes.dueSeconds, `Rate over ${channels}`));
  const instant = (channels: number) => () =>
    dueVariants(run, channels, atOnce(sizes.atOneInstant, `Instant over ${channels}`));
  if (wanted('due1')) await add(names.due1, rate(1));
  if (wanted('due96')) await add(names.due96, rate(sizes.manyChannels));
  if (wanted('instant2')) await add(names.instant2, instant(2));
  if (wanted('instant96')) await add(names.instant96, instant(sizes.manyChannels));
}

async function killRows(run: PeerRun, { names, wanted, add }: TurnRows): Promise<void> {
  const { sizes } = run;
  const killAfterMs = (sizes.killedSeconds * 1000) / 2;
  const rate = (channels: number) => () =>
    killedWorker(run, channels, { ...byRate(sizes, sizes.killedSeconds, `Killed over ${channels}`), killAfterMs });
  if (wanted('kill1')) await add(names.kill1, rate(1));
  if (wanted('kill96')) await add(names.kill96, rate(sizes.manyChannels));
  if (wanted('burst96'))
    await add(names.burst96, () =>
      killedWorker(run, sizes.manyChannels, {
        ...atOnce(sizes.killedAtOneInstant, 'Killed at once'),
        killAfterMs: sizes.burstKillMs,
      }),
    );
}

/** Where many Posts wait. */
async function filledRows(run: PeerRun, api: Api, { names, wanted, add, figure }: TurnRows): Promise<void> {
  if (!wanted('list', 'backlog')) return;
  run.say(`filling in ${run.sizes.outstanding} Posts`);
  const many = await filledHome(api, run.sizes.outstanding);
  // What can be filled in only while it is stopped has new processes now, and the others would be warmer.
  await warmUp(run);
  if (wanted('list')) await add(names.listMany, () => listPage(run, api, many));
  if (wanted('backlog'))
    await add(names.backlog, async () => {
      const figures = await oneClient(run, api, 'Beside', many);
      const without = figure(names.post1, 'p50 ms');
      return without === undefined ? figures : { ...figures, 'p50 against none': figures['p50 ms']! / without };
    });
}

// A label is a plan's own: what a former plan left, and what arrives amid this one, is not taken for a repeat.
const byRate = ({ dueASecond }: PeerSizes, seconds: number, label: string) => ({
  label,
  posts: Math.round(dueASecond * seconds),
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
