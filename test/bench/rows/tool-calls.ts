import { appToken } from '../app-token.ts';
import type { Bench } from '../bench.ts';
import { sendLoad } from '../load.ts';
import type { LoadResult, Requests } from '../load-job.ts';
import { buildPopulation, type Home } from '../population.ts';
import { median } from '../quantiles.ts';
import { target } from '../report.ts';

const DAY_MS = 86_400_000;
const MOST = 1.3;

/** Calls of tools at /mcp beside the same requests to the REST API, in turn, one client. */
export async function toolCalls(bench: Bench): Promise<void> {
  const server = await (await bench.site.install('mcp')).start();
  try {
    const { workspaces } = await buildPopulation(server, { workspaces: 1, channelsAWorkspace: 1, keysAWorkspace: 1 });
    const home = workspaces[0]!;
    const token = await appToken(server, home);
    const from = Date.now() + DAY_MS;
    const call = (tool: string, label: string | null): Requests => ({
      kind: 'call',
      tool,
      token,
      due: label === null ? null : { channelIds: home.channelIds, label, from },
    });
    await compare(bench, server.baseUrl, {
      what: 'list_channels beside GET /api/channels',
      rest: () => ({ kind: 'get', path: '/api/channels', key: home.keys[0]! }),
      tool: () => call('list_channels', null),
    });
    await compare(bench, server.baseUrl, {
      what: 'schedule_post beside POST /api/posts',
      rest: (round) => createOf(home, `rest ${round}`, from),
      tool: (round) => call('schedule_post', `mcp ${round}`),
    });
  } finally {
    await server.stop();
  }
}

function createOf(home: Home, label: string, from: number): Requests {
  return { kind: 'create', homes: [home], label, due: { from } };
}

interface Compared {
  readonly what: string;
  readonly rest: (round: number) => Requests;
  readonly tool: (round: number) => Requests;
}

async function compare(bench: Bench, url: string, { what, rest, tool }: Compared): Promise<void> {
  const { sizes } = bench;
  const amount = { requests: sizes.toolCalls };
  const measure = (requests: Requests): Promise<LoadResult> =>
    sendLoad({ url, clients: 1, warmUp: amount, measured: amount, ratePerSecond: null, requests });
  const rounds: { readonly rest: LoadResult; readonly tool: LoadResult }[] = [];
  for (let round = 0; round < sizes.listRounds; round++) {
    bench.say(`${what}, round ${round + 1}`);
    const toolFirst = round % 2 === 1 ? await measure(tool(round)) : null;
    const ofRest = await measure(rest(round));
    rounds.push({ rest: ofRest, tool: toolFirst ?? (await measure(tool(round))) });
  }
  const of = (door: 'rest' | 'tool', quantile: 'p50' | 'p99') => median(rounds.map((round) => round[door][quantile]));
  const failures = rounds.flatMap((round) => [
    ...Object.keys(round.rest.failures),
    ...Object.keys(round.tool.failures),
  ]);
  if (failures.length > 0) throw new Error(`${what}: not all requests succeeded: ${failures.join(', ')}`);
  const figures = {
    'REST p50 ms': of('rest', 'p50'),
    'tool p50 ms': of('tool', 'p50'),
    'p50 ratio': of('tool', 'p50') / of('rest', 'p50'),
    'REST p99 ms': of('rest', 'p99'),
    'tool p99 ms': of('tool', 'p99'),
    'p99 ratio': of('tool', 'p99') / of('rest', 'p99'),
  };
  bench.add({
    group: 'mcp',
    what,
    rateLimit: 0,
    figures,
    target: target(`ratios <= ${MOST}`, figures, { atMost: { 'p50 ratio': MOST, 'p99 ratio': MOST } }),
    how: `one client; medians of ${sizes.listRounds} rounds in turn, each of ${sizes.toolCalls} requests after as many`,
  });
}
