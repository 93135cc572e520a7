import type { Bench } from './bench.ts';
import type { CrierServer } from './crier-server.ts';
import { attemptsEnd, schedule } from './due-posts.ts';
import { sendLoad } from './load.ts';
import { cpuMs } from './machine.ts';
import type { Population } from './population.ts';
import { creates } from './rows/create-posts.ts';

const FIRES_A_SECOND = 100;
const WITHIN_MS = 60_000;

/** A server that is compared with another one. */
export interface Side {
  readonly server: CrierServer;
  readonly population: Population;
}

/** Of each round. */
export interface Costs {
  readonly createMs: number[];
  readonly createCpuMs: number[];
  readonly fireCpuMs: number[];
}

/**
 * One create and one fire on two servers that run side by side and are measured in turn, so that other work on the
 * machine affects both.
 */
export async function costsInTurn(
  bench: Bench,
  sides: readonly [Side, Side],
  what: string,
): Promise<readonly [Costs, Costs]> {
  const newCosts = (): Costs => ({ createMs: [], createCpuMs: [], fireCpuMs: [] });
  const costs = [newCosts(), newCosts()] as const;
  const { backlogRounds, backlogWarmUpRounds } = bench.sizes;
  for (let round = 1 - backlogWarmUpRounds; round <= backlogRounds; round++) {
    bench.say(`${what}, round ${round}`);
    for (const place of round % 2 === 1 ? ([0, 1] as const) : ([1, 0] as const)) {
      const cost = await measure(bench, sides[place], `round ${round}`);
      if (round < 1) continue;
      costs[place].createMs.push(cost.createMs);
      costs[place].createCpuMs.push(cost.createCpuMs);
      costs[place].fireCpuMs.push(cost.fireCpuMs);
    }
  }
  return costs;
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
