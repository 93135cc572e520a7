import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fillBacklog } from '../backlog.ts';
import type { Bench } from '../bench.ts';
import type { CrierServer } from '../crier-server.ts';
import { sendLoad } from '../load.ts';
import { median, range } from '../quantiles.ts';
import { buildPopulation, type Population } from '../population.ts';
import { target } from '../report.ts';
import type { BenchInstallation } from '../installation.ts';
import { timedCommand } from '../timed-command.ts';
import { creates } from './create-posts.ts';

const DAY_MS = 86_400_000;
const CHANNELS = 4;
const MEGABYTE = 1_000_000;
/** Of the rate without a backup. */
const LEAST_SHARE = 0.9;

/** Backups of a million Variants on the embedded engine: how long they take, and what they cost who creates Posts. */
export async function backups(bench: Bench): Promise<void> {
  const installation = await bench.site.install('backup');
  const population = await fillInstallation(bench, installation);
  const folder = join(dirname(installation.dataDir), 'backups');
  mkdirSync(folder);
  const server = await installation.start();
  try {
    await timeTaken(bench, installation.dataDir, folder);
    await costToWriters(bench, { server, population, dataDir: installation.dataDir, folder });
  } finally {
    await server.stop();
  }
}

/** As many Variants outstanding as the sizes say, a Post each; no process runs afterwards. */
export async function fillInstallation(bench: Bench, installation: BenchInstallation): Promise<Population> {
  const { sizes } = bench;
  const first = await installation.start();
  const population = await buildPopulation(first, {
    workspaces: sizes.workspaces,
    channelsAWorkspace: CHANNELS,
    keysAWorkspace: 1,
  }).finally(() => first.stop());
  bench.say(`filling in ${sizes.outstanding} outstanding Variants`);
  const engine = await installation.open();
  const now = Date.now();
  await fillBacklog(engine, {
    workspaceIds: population.workspaces.map(({ workspaceId }) => workspaceId),
    posts: sizes.outstanding,
    ...{ writtenFrom: now - 90 * DAY_MS, writtenUntil: now, dueFrom: now + DAY_MS, dueUntil: now + 91 * DAY_MS },
  }).finally(() => engine.close());
  return population;
}

/** Seconds that one command takes, the start of its process among them. */
async function seconds(...args: readonly string[]): Promise<number> {
  return (await timedCommand(args)).seconds;
}

async function timeTaken(bench: Bench, dataDir: string, folder: string): Promise<void> {
  const [file, into] = [join(folder, 'timed.tar'), join(folder, 'restored')];
  bench.say('backing up, checking and restoring');
  const figures = {
    'backup s': await seconds('backup', `--to=${file}`, `--data-dir=${dataDir}`),
    'check s': await seconds('backup', `--verify=${file}`),
    'restore s': await seconds('restore', `--from=${file}`, `--data-dir=${into}`),
    MB: statSync(file).size / MEGABYTE,
  };
  for (const path of [file, into]) rmSync(path, { recursive: true });
  bench.add({
    group: 'backup',
    what: `crier backup, its check and its restore, ${bench.sizes.outstanding} Variants`,
    rateLimit: 0,
    figures,
    target: null,
    how: 'of a server that runs and has nothing to do; each a process of its own; a Post with one Variant each',
  });
}

interface Writing {
  readonly server: CrierServer;
  readonly population: Population;
  readonly dataDir: string;
  readonly folder: string;
}

/** The same load in turn without a backup and while one follows the other. */
async function costToWriters(bench: Bench, writing: Writing): Promise<void> {
  const { sizes } = bench;
  const alone: number[] = [];
  const beside: number[] = [];
  let taken = 0;
  for (let run = 1; run <= sizes.runs; run++) {
    bench.say(`creating Posts without a backup and beside one, run ${run}`);
    alone.push(await perSecond(bench, writing, `alone ${run}`));
    const ending = new AbortController();
    const backingUp = repeat(writing, ending.signal);
    beside.push(await perSecond(bench, writing, `beside ${run}`).finally(() => ending.abort()));
    taken += await backingUp;
  }
  const share = median(beside.map((rate, run) => rate / alone[run]!));
  const figures = { 'alone per s': median(alone), 'beside per s': median(beside), share, backups: taken };
  const [least, most] = range(beside);
  bench.add({
    group: 'backup',
    what: `POST /api/posts, ${sizes.clients} clients, beside backups of ${sizes.outstanding} Variants`,
    rateLimit: 0,
    figures,
    target: target(`share >= ${LEAST_SHARE}`, figures, { atLeast: { share: LEAST_SHARE } }),
    how: `${sizes.throughputSeconds} s after ${sizes.throughputWarmUpSeconds} s, ${sizes.runs} runs in turn, medians; beside from ${Math.round(least)} to ${Math.round(most)}/s`,
  });
}

async function perSecond({ sizes }: Bench, { server, population }: Writing, label: string): Promise<number> {
  const result = await sendLoad({
    url: server.baseUrl,
    clients: sizes.clients,
    warmUp: { seconds: sizes.throughputWarmUpSeconds },
    measured: { seconds: sizes.throughputSeconds },
    ratePerSecond: null,
    requests: creates(population, label),
  });
  return result.perSecond;
}

/** Backs up again and again until it is asked to end; resolves with how often. */
async function repeat({ dataDir, folder }: Writing, ending: AbortSignal): Promise<number> {
  const file = join(folder, 'beside.tar');
  let taken = 0;
  while (!ending.aborted) {
    await seconds('backup', `--to=${file}`, `--data-dir=${dataDir}`);
    rmSync(file);
    taken += 1;
  }
  return taken;
}
