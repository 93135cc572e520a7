import { setTimeout as sleep } from 'node:timers/promises';
import { resolve } from 'node:path';
import { NETWORKS, type Network } from '#domain/network.ts';
import { MediaServer } from '#testing/media-server.ts';
import { NO_LIMITS } from '../../guarantees/sandbox-limits.ts';
import { times, type Bench } from '../bench.ts';
import type { CrierServer } from '../crier-server.ts';
import { median, quantile } from '../quantiles.ts';
import { target } from '../report.ts';

const PROGRAM = resolve(import.meta.dirname, '../../guarantees/with-files.ts');
/** The Network with a fault: every call is answered by 503, or not answered. */
const DOWN = 'threads';
const WORKSPACES = 4;
const WITHIN_MS = 240_000;
const POLL_MS = 250;

type State = 'well' | 'answers 503' | 'hangs';
const STATES: readonly State[] = ['well', 'answers 503', 'hangs'];

interface Home {
  readonly apiKey: string;
  readonly channelIds: readonly string[];
}

/**
 * Posts with files on all six Networks: how late they are when one Network is down, and how long many at one instant
 * take.
 */
export async function everyNetwork(bench: Bench): Promise<void> {
  await using media = await MediaServer.start();
  const installation = await bench.site.install('networks');
  const server = await installation.start({ CRIER_MEDIA_URL: media.url }, [PROGRAM, media.url]);
  try {
    for (const network of NETWORKS) {
      await control(server, 'POST', '/sandbox/timing', { network, factor: 0 });
      await control(server, 'POST', '/sandbox/limits', { network, limits: NO_LIMITS[network] });
    }
    const homes = await Promise.all(Array.from({ length: WORKSPACES }, (_, index) => home(server, index)));
    await atOnce(bench, server, homes);
    await oneDown(bench, server, homes);
  } finally {
    await server.stop();
  }
}

async function home({ admin }: CrierServer, index: number): Promise<Home> {
  const { workspaceId, memberId } = await admin.workspaces.create.mutate({
    name: `Everywhere ${index}`,
    ownerEmail: `everywhere${index}@example.test`,
    plan: 'agency',
  });
  await admin.workspaces.addCredits.mutate({ workspaceId, credits: 1_000_000_000 });
  const channelIds: string[] = [];
  for (const network of NETWORKS)
    channelIds.push(
      (await admin.channels.connectSandbox.mutate({ workspaceId, network, name: `${network} ${index}` })).channelId,
    );
  const { apiKey } = await admin.keys.create.mutate({
    workspaceId,
    memberId,
    name: 'Key',
    permissions: ['posts:schedule', 'posts:publish'],
  });
  return { apiKey, channelIds };
}

async function control({ sandboxUrl }: CrierServer, method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(sandboxUrl + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** The home's Channels include all six Networks. */
async function create(server: CrierServer, { apiKey, channelIds }: Home, text: string, dueAt: number): Promise<void> {
  const body = JSON.stringify({ text, channelIds, scheduledAt: new Date(dueAt).toISOString() });
  const answer = await fetch(`${server.baseUrl}/api/posts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body,
  });
  if (answer.status !== 201) throw new Error(`a Post was not created: ${answer.status} ${await answer.text()}`);
}

interface LiveItem {
  readonly network: Network;
  readonly text: string;
  readonly publishedAt: string;
}

/** The live items of `dueAt` by text, once there are as many on each of the Networks. */
async function liveOf(
  server: CrierServer,
  dueAt: ReadonlyMap<string, number>,
  networks: readonly Network[],
): Promise<ReadonlyMap<Network, readonly number[]>> {
  const giveUpAt = Date.now() + WITHIN_MS;
  await sleep(Math.max(0, Math.max(...dueAt.values()) - Date.now()));
  for (;;) {
    const { items } = (await control(server, 'GET', '/sandbox/items')) as { readonly items: readonly LiveItem[] };
    const late = Map.groupBy(
      items.filter(({ text }) => dueAt.has(text)),
      ({ network }) => network,
    );
    if (networks.every((network) => late.get(network)?.length === dueAt.size)) {
      return new Map(
        networks.map((network) => [
          network,
          late.get(network)!.map(({ text, publishedAt }) => Date.parse(publishedAt) - dueAt.get(text)!),
        ]),
      );
    }
    if (Date.now() > giveUpAt)
      throw new Error(
        `not all is live within ${WITHIN_MS} ms: ${networks.map((network) => `${network} ${late.get(network)?.length ?? 0}`).join(', ')} of ${dueAt.size}`,
      );
    await sleep(POLL_MS * 4);
  }
}

async function oneDown(bench: Bench, server: CrierServer, homes: readonly Home[]): Promise<void> {
  const { sizes, say, add } = bench;
  const others = NETWORKS.filter((network) => network !== DOWN);
  const p99s: Record<State, number[]> = { well: [], 'answers 503': [], hangs: [] };
  await times(sizes.runs, async (run) => {
    for (const state of STATES) {
      say(`one Network down, run ${run}: ${DOWN} ${state}`);
      await setState(server, state, sizes.hangsMs);
      const start = Math.ceil((Date.now() + sizes.leadMs) / 1000) * 1000;
      const dueAt = new Map<string, number>();
      for (let index = 0; index < sizes.everywhereASecond * sizes.everywhereSeconds; index++) {
        const text = `${state} ${run}.${index}`;
        dueAt.set(text, start + Math.round((index * 1000) / sizes.everywhereASecond));
        await create(server, homes[index % homes.length]!, text, dueAt.get(text)!);
      }
      const late = await liveOf(server, dueAt, others);
      p99s[state].push(quantile([...late.values()].flat(), 0.99));
      await setState(server, 'well', 0);
      // Variants that were held back have ended, too, before the next run begins. A smoke run counts nothing.
      if (sizes.name !== 'smoke') await liveOf(server, dueAt, NETWORKS);
    }
  });
  const ratio = (state: State): number => median(p99s[state]) / median(p99s.well);
  const figures = {
    'p99 ms': median(p99s.well),
    'p99 ms at 503': median(p99s['answers 503']),
    'x at 503': ratio('answers 503'),
    'p99 ms hanging': median(p99s.hangs),
    'x hanging': ratio('hangs'),
  };
  add({
    group: 'networks',
    what: `${DOWN} down: the other five live after`,
    rateLimit: 0,
    figures,
    target: target('within 1.1x', figures, { atMost: { 'x at 503': 1.1, 'x hanging': 1.1 } }),
    how: `${sizes.everywhereASecond} Posts a second with files to all six for ${sizes.everywhereSeconds} s, ${homes.length} Channels a Network, sandbox in the same process at factor 0, ${sizes.runs} runs in turn`,
  });
}

async function setState(server: CrierServer, state: State, hangsMs: number): Promise<void> {
  await control(server, 'DELETE', '/sandbox/faults');
  if (state === 'well') return;
  const fault = state === 'hangs' ? { fault: 'delay', delayMs: hangsMs } : { fault: '5xx_before_commit' };
  for (const call of [
    'threads.create',
    'containers.read',
    'threads.publish',
    'threads.list',
    'media.read',
    'publishing_limit',
  ]) {
    await control(server, 'POST', '/sandbox/faults', { network: DOWN, call, count: 1_000_000, ...fault });
  }
}

async function atOnce({ sizes, say, add }: Bench, server: CrierServer, homes: readonly Home[]): Promise<void> {
  const count = sizes.everywhereAtOnce;
  say(`${count} Posts to all six at one instant`);
  const instant = Math.ceil((Date.now() + sizes.leadMs + count * 6) / 1000) * 1000;
  const dueAt = new Map(Array.from({ length: count }, (_, index) => [`at once ${index}`, instant]));
  await Promise.all(
    homes.map(async (home, number) => {
      for (let index = number; index < count; index += homes.length)
        await create(server, home, `at once ${index}`, instant);
    }),
  );
  if (Date.now() > instant) throw new Error('creating took longer than the time it was given');
  const late = await liveOf(server, dueAt, NETWORKS);
  const lastOf = (network: Network): number => Math.max(...late.get(network)!) / 1000;
  add({
    group: 'networks',
    what: `${count * NETWORKS.length} Variants on all six Networks due at one instant: the last live after`,
    rateLimit: 0,
    figures: Object.fromEntries(NETWORKS.map((network) => [`${network} s`, lastOf(network)])),
    target: null,
    how: `a file or several with most, ${homes.length} Channels a Network, sandbox in the same process at factor 0, 1 run`,
  });
}
