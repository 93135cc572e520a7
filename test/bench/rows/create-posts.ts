import { times, type Bench } from '../bench.ts';
import { boundsOf } from '../bounds.ts';
import type { CrierServer } from '../crier-server.ts';
import type { LoadJob, LoadResult } from '../load-job.ts';
import { sendLoad } from '../load.ts';
import { cpuMs } from '../machine.ts';
import { median, range } from '../quantiles.ts';
import { target } from '../report.ts';
import type { Population } from '../population.ts';

const DAY_MS = 86_400_000;
const PLANNED_SHARE = 0.5;

export interface Front {
  readonly server: CrierServer;
  readonly population: Population;
}

/** POST /api/posts of one Post on two Channels (x and threads): one client, many clients, many by a plan. */
export async function createPosts(bench: Bench, front: Front): Promise<void> {
  const { sizes, site } = bench;
  const latency = await runs(bench, front, 'one', {
    clients: 1,
    warmUp: { requests: sizes.latencyWarmUp },
    measured: { requests: sizes.latencyRequests },
  });
  const one = {
    'p50 ms': medianOf(latency, 'p50'),
    'p99 ms': medianOf(latency, 'p99'),
    'cpu ms': medianOf(latency, 'cpuMs'),
  };
  const { createP50Ms: p50, createP99Ms: p99, createsPerSecond } = boundsOf(site);
  bench.add({
    group: 'post',
    what: 'POST /api/posts, 1 client',
    rateLimit: 0,
    figures: one,
    target: target(`p50 <= ${p50} ms, p99 <= ${p99} ms`, one, { atMost: { 'p50 ms': p50, 'p99 ms': p99 } }),
    how: `${sizes.latencyRequests} requests after ${sizes.latencyWarmUp}, ${sizes.runs} runs, p50 from ${spread(latency, 'p50')} ms`,
  });
  const many = await runs(bench, front, 'many', {
    clients: sizes.clients,
    warmUp: { seconds: sizes.throughputWarmUpSeconds },
    measured: { seconds: sizes.throughputSeconds },
  });
  const throughput = {
    'per s': medianOf(many, 'perSecond'),
    'p50 ms': medianOf(many, 'p50'),
    'p99 ms': medianOf(many, 'p99'),
    'cpu ms': medianOf(many, 'cpuMs'),
    failed: failuresOf(many),
  };
  bench.add({
    group: 'post',
    what: `POST /api/posts, ${sizes.clients} clients, ${sizes.workspaces} Workspaces`,
    rateLimit: 0,
    figures: throughput,
    target: target(`>= ${createsPerSecond}/s`, throughput, { atLeast: { 'per s': createsPerSecond } }),
    how: `${sizes.throughputSeconds} s after ${sizes.throughputWarmUpSeconds} s, ${sizes.runs} runs from ${spread(many, 'perSecond')}/s`,
  });
  const rate = Math.max(1, Math.round(throughput['per s'] * PLANNED_SHARE));
  const planned = await runs(bench, front, 'plan', {
    clients: sizes.clients,
    warmUp: { seconds: 1 },
    measured: { seconds: sizes.throughputSeconds },
    ratePerSecond: rate,
  });
  bench.add({
    group: 'post',
    what: 'POST /api/posts by a plan, at half the rate it takes',
    rateLimit: 0,
    figures: {
      'per s': rate,
      'p50 ms': medianOf(planned, 'p50'),
      'p99 ms': medianOf(planned, 'p99'),
      'max ms': medianOf(planned, 'max'),
    },
    target: null,
    how: `from the planned instant of each request, ${sizes.throughputSeconds} s, ${sizes.runs} runs`,
  });
}

type Shape = Pick<LoadJob, 'clients' | 'warmUp' | 'measured'> & { readonly ratePerSecond?: number };

/** Adds the server's processor time per request, which stays comparable on a machine that others use too. */
type CostedResult = LoadResult & { readonly cpuMs: number };

function runs(
  { sizes, say }: Bench,
  { server, population }: Front,
  name: string,
  shape: Shape,
): Promise<CostedResult[]> {
  return times(sizes.runs, async (run) => {
    say(`creating Posts, ${name}, run ${run}`);
    const before = cpuMs(server.pid);
    const result = await sendLoad({
      url: server.baseUrl,
      ratePerSecond: null,
      ...shape,
      requests: creates(population, `${name} ${run}`),
    });
    return { ...result, cpuMs: (cpuMs(server.pid) - before) / result.sent };
  });
}

export function creates(population: Population, label: string): LoadJob['requests'] {
  const homes = population.workspaces.map(({ keys, channelIds, threadsChannelId }) => ({
    keys,
    channelIds: [channelIds[0]!, threadsChannelId],
  }));
  return { kind: 'create', homes, label, due: { from: Date.now() + 2 * DAY_MS } };
}

function medianOf(results: readonly CostedResult[], figure: 'p50' | 'p99' | 'max' | 'perSecond' | 'cpuMs'): number {
  return median(results.map((result) => result[figure]));
}

function failuresOf(results: readonly CostedResult[]): number {
  return results.flatMap(({ failures }) => Object.values(failures)).reduce((sum, count) => sum + count, 0);
}

function spread(results: readonly LoadResult[], figure: 'p50' | 'perSecond'): string {
  const [least, most] = range(results.map((result) => result[figure]));
  return figure === 'p50' ? `${least.toFixed(2)} to ${most.toFixed(2)}` : `${Math.round(least)} to ${Math.round(most)}`;
}
