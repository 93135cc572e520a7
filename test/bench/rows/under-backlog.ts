import { by, type Bench } from '../bench.ts';
import { fillBacklog } from '../backlog.ts';
import type { CrierServer } from '../crier-server.ts';
import { attemptsEnd, schedule } from '../due-posts.ts';
import type { BenchInstallation } from '../installation.ts';
import { sendLoad } from '../load.ts';
import { cpuMs } from '../machine.ts';
import { median } from '../quantiles.ts';
import { target } from '../report.ts';
import { buildPopulation, type Population } from '../population.ts';
import { creates } from './create-posts.ts';

const DAY_MS = 86_400_000;
const CHANNELS = 4;
const FIRES_A_SECOND = 100;
const WITHIN_MS = 60_000;
const MOST = 1.1;

interface Side {
  readonly installation: BenchInstallation;
  readonly server: CrierServer;
  readonly population: Population;
}

interface Costs {
  readonly createMs: number[];
  readonly createCpuMs: number[];
  readonly fireCpuMs: number[];
}

/**
 * One create and one fire, on an empty installation and on one with a million outstanding Variants. Both serve side by
 * side and are measured in turn, so that other work on the machine affects both.
 */
export async function underBacklog(bench: Bench): Promise<void> {
  const empty = await prepare(bench, 'empty', 0);
  const filled = await prepare(bench, 'filled', bench.sizes.outstanding);
  const sides = [empty, filled] as const;
  try {
    const costs = sides.map((): Costs => ({ createMs: [], createCpuMs: [], fireCpuMs: [] }));
    const { backlogRounds, backlogWarmUpRounds } = bench.sizes;
    for (let round = 1 - backlogWarmUpRounds; round <= backlogRounds; round++) {
      bench.say(`against a backlog, round ${round}`);
      for (const place of round % 2 === 1 ? [0, 1] : [1, 0]) {
        const cost = await measure(bench, sides[place]!, `round ${round}`);
        if (round < 1) continue;
        costs[place]!.createMs.push(cost.createMs);
        costs[place]!.createCpuMs.push(cost.createCpuMs);
        costs[place]!.fireCpuMs.push(cost.fireCpuMs);
      }
    }
    addRows(bench, costs[0]!, costs[1]!);
  } finally {
    for (const { server } of sides) await server.stop();
  }
}

async function prepare(bench: Bench, name: string, outstanding: number): Promise<Side> {
  const installation = await bench.site.install(name);
  const server = await installation.start();
  const population = await buildPopulation(server, {
    workspaces: Math.min(4, bench.sizes.workspaces),
    channelsAWorkspace: CHANNELS,
    keysAWorkspace: 1,
  });
  if (outstanding === 0) return { installation, server, population };
  await server.stop();
  bench.say(`filling in ${outstanding} outstanding Variants`);
  const engine = await installation.open();
  const now = Date.now();
  const plan = {
    writtenFrom: now - 90 * DAY_MS,
    writtenUntil: now,
    dueFrom: now + DAY_MS,
    dueUntil: now + 91 * DAY_MS,
  };
  await fillBacklog(engine, {
    workspaceIds: population.workspaces.map(({ workspaceId }) => workspaceId),
    posts: outstanding,
    ...plan,
  }).finally(() => engine.close());
  return { installation, server: await installation.start(), population };
}

async function measure(
  bench: Bench,
  { server, population }: Side,
  label: string,
): Promise<{ createMs: number; createCpuMs: number; fireCpuMs: number }> {
  const count = bench.sizes.backlogRound;
  const pids = [server.pid, ...Object.values(bench.site.pids)];
  const used = () => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);
  const beforeCreates = used();
  const created = await sendLoad({
    url: server.baseUrl,
    clients: 1,
    warmUp: { requests: 1 },
    measured: { requests: count },
    ratePerSecond: null,
    requests: creates(population, label),
  });
  const createCpuMs = (used() - beforeCreates) / (count + 1);
  const start = Date.now() + bench.sizes.leadMs;
  const ended = await server.attemptsEnded();
  const planned = await schedule(
    server,
    population,
    Array.from({ length: count }, (_, index) => start + (index * 1000) / FIRES_A_SECOND).map(Math.round),
    label,
  );
  if (planned === null) throw new Error(`${count} Posts were not created within ${bench.sizes.leadMs} ms`);
  const beforeFires = used();
  await attemptsEnd(server, ended, planned, WITHIN_MS);
  return { createMs: created.p50, createCpuMs, fireCpuMs: (used() - beforeFires) / count };
}

function addRows({ add, sizes, site }: Bench, empty: Costs, filled: Costs): void {
  const whose = by(site.engine, 'the process', 'the process and the engines');
  const how = `${sizes.backlogRounds} rounds of ${sizes.backlogRound} in turn on both, medians; processor time of ${whose}; filled through tables and timers`;
  const row = (what: string, unit: string, before: readonly number[], after: readonly number[]): void => {
    const figures = {
      [`empty ${unit}`]: median(before),
      [`full ${unit}`]: median(after),
      ratio: median(after) / median(before),
    };
    add({
      group: 'backlog',
      what: `${what}, 0 against ${sizes.outstanding} outstanding`,
      rateLimit: 0,
      figures,
      target: target(`ratio <= ${MOST}`, figures, { atMost: { ratio: MOST } }),
      how,
    });
  };
  row('one create, p50', 'ms', empty.createMs, filled.createMs);
  row('one create, processor', 'cpu ms', empty.createCpuMs, filled.createCpuMs);
  row('one fire, processor', 'cpu ms', empty.fireCpuMs, filled.fireCpuMs);
}
