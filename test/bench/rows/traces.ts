import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { by, type Bench } from '../bench.ts';
import { buildPopulation } from '../population.ts';
import { median } from '../quantiles.ts';
import { costsInTurn, type Costs, type Side } from '../sides.ts';

/** One create and one fire without traces, and with every one of them sent to a collector on this machine. */
export async function traces(bench: Bench): Promise<void> {
  const received = { requests: 0 };
  const collector = await openCollector(received);
  const { port } = collector.address() as AddressInfo;
  const without = await prepare(bench, 'untraced', {});
  const traced = await prepare(bench, 'traced', { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  try {
    const [off, on] = await costsInTurn(bench, [without, traced], 'with and without traces');
    addRows(bench, off, on);
  } finally {
    for (const { server } of [without, traced]) await server.stop();
    collector.closeAllConnections();
    collector.close();
  }
  // What a process still has it sends at its end.
  if (received.requests === 0) throw new Error('no span came to the collector: nothing was measured');
}

/** Takes everything and keeps nothing. */
async function openCollector(received: { requests: number }): Promise<Server> {
  const server = createServer((request, response) => {
    received.requests += 1;
    request.resume().on('end', () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function prepare(bench: Bench, name: string, settings: Readonly<Record<string, string>>): Promise<Side> {
  const server = await (await bench.site.install(name)).start(settings);
  const workspaces = Math.min(4, bench.sizes.workspaces);
  return {
    server,
    population: await buildPopulation(server, { workspaces, channelsAWorkspace: 4, keysAWorkspace: 1 }),
  };
}

function addRows({ add, sizes, site }: Bench, off: Costs, on: Costs): void {
  const whose = by(site.engine, 'the process', 'the process and the engines');
  const row = (what: string, unit: string, without: readonly number[], traced: readonly number[]): void =>
    add({
      group: 'traces',
      what: `${what}, traces off against on`,
      rateLimit: 0,
      figures: {
        [`off ${unit}`]: median(without),
        [`on ${unit}`]: median(traced),
        ratio: median(traced) / median(without),
      },
      target: null,
      how: `${sizes.backlogRounds} rounds of ${sizes.backlogRound} in turn on both, medians; processor time of ${whose}; every trace is kept`,
    });
  row('one create, p50', 'ms', off.createMs, on.createMs);
  row('one create, processor', 'cpu ms', off.createCpuMs, on.createCpuMs);
  row('one fire, processor', 'cpu ms', off.fireCpuMs, on.fireCpuMs);
}
