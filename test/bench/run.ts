import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { benchOn, type Sink, type Bench } from './bench.ts';
import type { BenchFlags, EngineName, Group } from './flags.ts';
import { openSite, type WriteMode } from './installation.ts';
import { appCalendar } from './rows/app-calendar.ts';
import { appLive } from './rows/app-live.ts';
import { backups } from './rows/backup.ts';
import { createPosts } from './rows/create-posts.ts';
import { fewChannels, judgeDue, runDue, type DueRow } from './rows/due-variants.ts';
import { everyNetwork } from './rows/every-network.ts';
import { fairness } from './rows/fairness.ts';
import { floors } from './rows/floors.ts';
import { footprints } from './rows/footprint.ts';
import { heldVariants } from './rows/held.ts';
import { createPostsLimited } from './rows/limited.ts';
import { listPages } from './rows/list-posts.ts';
import { mediaReady } from './rows/media-ready.ts';
import { mediaTools } from './rows/media-tools.ts';
import { idle, peakMemory } from './rows/processes.ts';
import { underBacklog } from './rows/under-backlog.ts';
import { toolCalls } from './rows/tool-calls.ts';
import { turns } from './rows/turns.ts';
import { traces } from './rows/traces.ts';
import { restores } from './rows/restore.ts';
import { steady } from './rows/steady.ts';
import { webhooks } from './rows/webhooks.ts';
import type { CrierServer } from './crier-server.ts';
import { buildPopulation, type Population } from './population.ts';

const APP_BUILD = resolve(import.meta.dirname, '../../clients/app/build.ts');

/**
 * Every requested row, one engine after the other. All processes that it started have ended when it resolves or
 * rejects.
 */
export async function runBench(flags: BenchFlags, sink: Sink): Promise<void> {
  for (const engine of flags.engines) await onEngine(engine, flags, sink);
}

async function onEngine(engine: EngineName, flags: BenchFlags, sink: Sink): Promise<void> {
  const wanted = (...groups: readonly Group[]): boolean => groups.some((group) => flags.only.includes(group));
  const onSite = async (writes: WriteMode, work: (bench: Bench) => Promise<void>): Promise<void> => {
    const site = await openSite(engine, { writes, jvm: flags.jvm, profile: flags.profile });
    try {
      await work(benchOn(site, flags.sizes, sink));
    } finally {
      await site.close();
    }
  };
  if (wanted('floor', 'idle', 'post', 'lateness', 'instant', 'channel', 'limited')) {
    await onSite('periodic', async (bench) => {
      if (wanted('floor')) await floors(bench);
      if (wanted('idle', 'post', 'lateness', 'instant', 'channel')) await busyServer(bench, wanted);
      if (wanted('limited')) await createPostsLimited(bench);
    });
  }
  // No engine takes part in it, so one run is enough.
  if (engine === 'embedded' && wanted('turn')) await onSite('periodic', turns);
  if (wanted('held')) await onSite('periodic', heldVariants);
  if (engine === 'cluster' && wanted('durable')) await onSite('batch', durableCreates);
  if (engine === 'cluster' && wanted('flushed')) await onSite('flushed', flushedRows);
  // On engines of their own: a small Cassandra that holds the former rows would be slower.
  if (wanted('backlog')) await onSite('periodic', underBacklog);
  if (wanted('list')) await onSite('periodic', listPages);
  if (wanted('mcp')) await onSite('periodic', toolCalls);
  if (wanted('traces')) await onSite('periodic', traces);
  if (wanted('networks')) await onSite('periodic', everyNetwork);
  if (wanted('webhooks')) await onSite('periodic', webhooks);
  if (wanted('app')) {
    execFileSync(process.execPath, [APP_BUILD]);
    await onSite('periodic', appCalendar);
    await onSite('periodic', appLive);
  }
  if (wanted('fairness')) await onSite('periodic', (bench) => fairness(bench, flags.pool));
  // The engines end in it.
  if (wanted('footprint')) await onSite('periodic', footprints);
  // A cluster is backed up by its engines.
  if (engine === 'embedded' && wanted('backup')) await onSite('periodic', backups);
  if (engine === 'cluster' && wanted('restore')) await onSite('periodic', restores);
  if (engine === 'embedded' && wanted('steady')) await onSite('periodic', steady);
  if (wanted('media')) {
    await onSite('periodic', mediaReady);
    // No engine takes part in these, so one run is enough.
    if (engine === 'embedded') await onSite('periodic', mediaTools);
  }
}

/** One server for all requested rows, so that its peak memory is meaningful. */
async function busyServer(bench: Bench, wanted: (...groups: readonly Group[]) => boolean): Promise<void> {
  const { sizes, site } = bench;
  const installation = await site.install('main');
  const server = await installation.start();
  const rows = await (async () => {
    if (wanted('idle')) await idle(bench, server);
    const population = await buildPopulation(server, {
      workspaces: sizes.workspaces,
      channelsAWorkspace: sizes.channelsAWorkspace,
      keysAWorkspace: 1,
    });
    if (wanted('post')) await createPosts(bench, { server, population });
    return dueRows(bench, { server, population, wanted });
  })().finally(async () => {
    if (wanted('idle')) peakMemory(bench, server);
    await server.stop();
  });
  await judgeDue(bench, installation, rows);
}

interface DueServer {
  readonly server: CrierServer;
  readonly population: Population;
  readonly wanted: (...groups: readonly Group[]) => boolean;
}

async function dueRows(bench: Bench, { server, population, wanted }: DueServer): Promise<readonly DueRow[]> {
  const { sizes } = bench;
  const run = async (group: DueRow['group'], kind: DueRow['kind'], of: Population): Promise<DueRow> => {
    const channels = of.workspaces.flatMap(({ channelIds }) => channelIds).length;
    const label = `${kind === 'spread' ? 'Spread' : 'Instant'} over ${channels}`;
    const [count, gapMs] =
      kind === 'spread' ? [sizes.dueASecond * sizes.dueSeconds, 1000 / sizes.dueASecond] : [sizes.atOneInstant, 0];
    return { group, kind, channels, runs: await runDue(bench, server, of, label, count, gapMs) };
  };
  const rows: DueRow[] = [];
  if (wanted('lateness')) rows.push(await run('lateness', 'spread', population));
  if (wanted('instant')) rows.push(await run('instant', 'instant', population));
  if (wanted('channel')) {
    rows.push(await run('channel', 'spread', fewChannels(population, 1)));
    rows.push(await run('channel', 'instant', fewChannels(population, 2)));
  }
  return rows;
}

/** As above, where every write of Kafka and of Cassandra is on disk before it is acknowledged. */
async function flushedRows(bench: Bench): Promise<void> {
  const rows: readonly Group[] = ['post', 'lateness', 'instant'];
  await floors(bench);
  await busyServer(bench, (...groups) => groups.some((group) => rows.includes(group)));
}

/** Creating alone, where every write of Cassandra is on disk before it is acknowledged. */
async function durableCreates(bench: Bench): Promise<void> {
  const { sizes, site } = bench;
  await floors(bench);
  const server = await (await site.install('durable')).start();
  try {
    const population = await buildPopulation(server, {
      workspaces: sizes.workspaces,
      channelsAWorkspace: 1,
      keysAWorkspace: 1,
    });
    await createPosts(bench, { server, population });
  } finally {
    await server.stop();
  }
}
