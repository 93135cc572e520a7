import { by, times, type Bench } from '../bench.ts';
import { boundsOf } from '../bounds.ts';
import type { CrierServer } from '../crier-server.ts';
import { attemptsEnd, liveOf, schedule, type Live } from '../due-posts.ts';
import { readHandOvers } from '../hand-overs.ts';
import type { BenchInstallation } from '../installation.ts';
import { cpuMs } from '../machine.ts';
import { median, quantile } from '../quantiles.ts';
import { target } from '../report.ts';
import type { Population } from '../population.ts';

export interface DueRun {
  readonly live: readonly Live[];
  /** Processor time of the server for each Variant, from just before the first is due to the end of the last. */
  readonly cpuMs: number;
}

/** Read after the server has stopped, because its tables are read then. */
export type DueRuns = readonly DueRun[];

const WITHIN_MS = 300_000;

/** The first lead is the time that creating takes on a quiet machine; it is doubled when that was not enough. */
const LEADS = [1, 2, 4, 8];

/**
 * A round that is not counted comes before the runs: engines and server are warm then, whether or not creating took too
 * long at first and the round was made twice.
 */
export async function runDue(
  bench: Bench,
  server: CrierServer,
  population: Population,
  name: string,
  count: number,
  gapMs: number,
): Promise<DueRuns> {
  let surely = 0;
  const round = async (label: string): Promise<DueRun> => {
    for (const lead of LEADS.slice(surely)) {
      const start =
        Math.ceil((Date.now() + lead * (bench.sizes.leadMs + count * by(bench.site.engine, 1, 5))) / 1000) * 1000;
      const dueTimes = Array.from({ length: count }, (_, index) => Math.round(start + index * gapMs));
      const before = await server.attemptsEnded();
      bench.say(`${name}, ${label}: creating ${count} Posts`);
      const planned = await schedule(server, population, dueTimes, `${name} ${label}.${lead}`);
      if (planned !== null) {
        bench.say(`${name}, ${label}: waiting for them`);
        const used = cpuMs(server.pid);
        await attemptsEnd(server, before, planned, WITHIN_MS);
        return { cpuMs: (cpuMs(server.pid) - used) / count, live: await liveOf(server, planned) };
      }
      surely++;
      bench.say(`${name}, ${label}: creating took too long; once more with more lead`);
    }
    throw new Error(`${count} Posts can't be created in the time they are given`);
  };
  await round('warm-up');
  return times(bench.sizes.runs, (run) => round(`run ${run}`));
}

/** Runs of one row. */
export interface DueRow {
  readonly group: 'lateness' | 'instant' | 'channel';
  readonly kind: 'spread' | 'instant';
  /** Of x, over which the Variants are spread. */
  readonly channels: number;
  readonly runs: DueRuns;
}

/** The first Channels of the population, all of one Workspace. */
export function fewChannels({ workspaces }: Population, count: number): Population {
  return {
    workspaces: workspaces.slice(0, 1).map((home) => ({ ...home, channelIds: home.channelIds.slice(0, count) })),
  };
}

/** The server must have stopped. */
export async function judgeDue(bench: Bench, installation: BenchInstallation, rows: readonly DueRow[]): Promise<void> {
  const all = rows.flatMap(({ runs }) => runs.flatMap(({ live }) => live));
  if (all.length === 0) return;
  const engine = await installation.open();
  const handed = await readHandOvers(engine, all).finally(() => engine.close());
  for (const row of rows) {
    if (row.kind === 'spread') addLateness(bench, row, handed);
    else addInstant(bench, row, handed);
  }
}

/** What a row of few Channels is called beside the one of all of them. */
function named(what: string, { group, channels }: DueRow): string {
  return group === 'channel' ? `${what}, ${channels === 1 ? 'all of one Channel' : `of ${channels} Channels`}` : what;
}

function addLateness({ add, sizes, site }: Bench, row: DueRow, handed: ReadonlyMap<string, number>): void {
  const { group, channels, runs } = row;
  const late = runs.map(({ live }) => live.map(({ dueAt, publishedAt }) => publishedAt - dueAt));
  const handedLate = runs.map(({ live }) => live.map(({ variantId, dueAt }) => handed.get(variantId)! - dueAt));
  const of = (values: readonly (readonly number[])[], fraction: number): number =>
    median(values.map((each) => quantile(each, fraction)));
  const figures = {
    'p50 ms': of(late, 0.5),
    'p99 ms': of(late, 0.99),
    'max ms': of(late, 1),
    'handed over p50 ms': of(handedLate, 0.5),
    'handed over p99 ms': of(handedLate, 0.99),
    'cpu ms': median(runs.map(({ cpuMs: each }) => each)),
  };
  const { liveP99Ms: p99 } = boundsOf(site);
  add({
    group,
    what: named(`${sizes.dueASecond} Variants due a second for ${sizes.dueSeconds} s: live after`, row),
    rateLimit: 0,
    figures,
    target: group === 'channel' ? null : target(`p99 <= ${p99} ms`, figures, { atMost: { 'p99 ms': p99 } }),
    how: `x, ${channels} Channels, sandbox at factor 0, due times of a plan, ${runs.length} runs after one that is not counted`,
  });
}

function addInstant({ add, sizes, site }: Bench, row: DueRow, handed: ReadonlyMap<string, number>): void {
  const { group, channels, runs } = row;
  const lastOf = ({ live }: DueRun, at: (one: Live) => number): number =>
    Math.max(...live.map((one) => at(one) - one.dueAt)) / 1000;
  const figures = {
    'all handed over s': median(runs.map((run) => lastOf(run, ({ variantId }) => handed.get(variantId)!))),
    'first live s': median(
      runs.map(({ live }) => Math.min(...live.map(({ dueAt, publishedAt }) => publishedAt - dueAt)) / 1000),
    ),
    'last live s': median(runs.map((run) => lastOf(run, ({ publishedAt }) => publishedAt))),
    'cpu ms': median(runs.map(({ cpuMs: each }) => each)),
  };
  const { handedOverS: handOver, lastLiveS: live } = boundsOf(site);
  add({
    group,
    what: named(`${sizes.atOneInstant} Variants due at one instant`, row),
    rateLimit: 0,
    figures,
    target:
      group === 'channel'
        ? null
        : target(`handed over <= ${handOver} s, live <= ${live} s`, figures, {
            atMost: { 'all handed over s': handOver, 'last live s': live },
          }),
    how: `x, ${channels} Channels in ${group === 'channel' ? 1 : sizes.workspaces} Workspaces, sandbox in the same process at factor 0, ${runs.length} runs after one that is not counted`,
  });
}
