import { setTimeout as sleep } from 'node:timers/promises';
import { by, type Bench } from '../bench.ts';
import type { CrierServer } from '../crier-server.ts';
import { cpuMs, memory, MIB } from '../machine.ts';
import { target } from '../report.ts';

const SETTLE_MS = 3_000;

/** The resources of an idle server. */
export async function idle(bench: Bench, server: CrierServer): Promise<void> {
  const { sizes, site } = bench;
  bench.say('idling');
  await sleep(Math.min(SETTLE_MS, sizes.idleSeconds * 1000));
  const before = cpuMs(server.pid);
  const from = performance.now();
  await sleep(sizes.idleSeconds * 1000);
  const cpuShare = ((cpuMs(server.pid) - before) / (performance.now() - from)) * 100;
  const figures = { MiB: memory(server.pid).residentBytes / MIB, '% of a core': cpuShare };
  bench.add({
    group: 'idle',
    what: 'idle, just started',
    rateLimit: 0,
    figures,
    target: by(
      site.engine,
      target('<= 250 MiB, <= 3 % of a core', figures, { atMost: { MiB: 250, '% of a core': 3 } }),
      null,
    ),
    how: `${sizes.idleSeconds} s after ${SETTLE_MS / 1000} s, one process with every role and the sandbox`,
  });
}

/** The peak memory of the processes so far, by the kernel's count. */
export function peakMemory(bench: Bench, server: CrierServer): void {
  const engines = Object.entries(bench.site.pids).map(([name, pid]): [string, number] => [
    `${name} MiB`,
    memory(pid).peakBytes / MIB,
  ]);
  bench.add({
    group: 'idle',
    what: 'peak memory over the rows above',
    rateLimit: 0,
    figures: { 'crier MiB': memory(server.pid).peakBytes / MIB, ...Object.fromEntries(engines) },
    target: null,
    how: 'VmHWM of the process with every role and the sandbox, and of each engine',
  });
}
