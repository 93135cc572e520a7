import type { Bench } from '../bench.ts';
import { sendLoad } from '../load.ts';
import { buildPopulation } from '../population.ts';
import { creates } from './create-posts.ts';

const LIMIT = 60;
/** A few requests are kept in reserve, so that a minute that began in the warm-up does not end in a refusal. */
const REQUESTS_A_KEY = 55;
/** The warm-up of one client serves the many clients too. */
const ONE_CLIENTS_SHARE = 0.2;

/** The same POST while every request is counted against its key: with many keys, so that none is refused. */
export async function createPostsLimited(bench: Bench): Promise<void> {
  const { sizes, site } = bench;
  const keysAWorkspace = sizes.name === 'smoke' ? 1 : 16;
  const installation = await site.install('limited');
  const server = await installation.start({ CRIER_REQUESTS_PER_MINUTE: String(LIMIT) });
  try {
    const population = await buildPopulation(server, {
      workspaces: sizes.workspaces,
      channelsAWorkspace: 1,
      keysAWorkspace,
    });
    const budget = sizes.workspaces * keysAWorkspace * REQUESTS_A_KEY;
    const forOne = Math.min(Math.floor(budget * ONE_CLIENTS_SHARE), sizes.latencyRequests + sizes.latencyWarmUp);
    bench.say('creating Posts, counted');
    const warmUp = { requests: Math.floor(forOne / 2) };
    const one = await sendLoad({
      url: server.baseUrl,
      clients: 1,
      warmUp,
      measured: warmUp,
      ratePerSecond: null,
      requests: creates(population, 'one'),
    });
    bench.add({
      group: 'limited',
      what: 'POST /api/posts, 1 client, each request counted',
      rateLimit: LIMIT,
      figures: { 'p50 ms': one.p50, 'p99 ms': one.p99 },
      target: null,
      how: `${one.requests} requests after as many, ${keysAWorkspace} keys a Workspace, one run`,
    });
    const rest = { requests: Math.floor(Math.min(budget - forOne, sizes.clients * sizes.latencyRequests) / 2) };
    const many = await sendLoad({
      url: server.baseUrl,
      clients: sizes.clients,
      warmUp: rest,
      measured: rest,
      ratePerSecond: null,
      requests: creates(population, 'many'),
    });
    bench.add({
      group: 'limited',
      what: `POST /api/posts, ${sizes.clients} clients, ${sizes.workspaces} Workspaces, each request counted`,
      rateLimit: LIMIT,
      figures: { 'per s': many.perSecond, 'p50 ms': many.p50, 'p99 ms': many.p99 },
      target: null,
      how: `${many.requests} requests after as many, ${keysAWorkspace} keys a Workspace, one run`,
    });
  } finally {
    await server.stop();
  }
}
