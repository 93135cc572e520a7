import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#testing/until.ts';
import { derivedId } from '#domain/derived-id.ts';
import { testEventOf } from '#domain/webhook/test-event.ts';
import { WORKSPACE_EVENTS } from '#tables/declarations/topics.ts';
import { times, type Bench } from '../bench.ts';
import type { CrierServer } from '../crier-server.ts';
import type { BenchInstallation } from '../installation.ts';
import { median, quantile } from '../quantiles.ts';
import { target } from '../report.ts';
import { buildPopulation, type Home } from '../population.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../webhook-receiver.ts';

const ENDPOINTS_A_WORKSPACE = 10;
const REGISTER_AT_ONCE = 16;
const WITHIN_MS = 240_000;
const MOST = 1.1;
const MAX_RECEIVERS = 100;
/** One endpoint in so many hangs. */
const HANGING = 10;

interface Listening {
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly apiKey: string;
  readonly path: string;
}

/** Events to receivers: how many per second, how soon, and how much hanging receivers delay the others. */
export async function webhooks(bench: Bench): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-bench-webhooks-'));
  const receiver = await startWebhookReceiver(join(folder, 'authority.pem'), bench.sizes.webhookEndpoints);
  try {
    const installation = await bench.site.install('webhooks');
    const server = await installation.start(receiver.settings);
    const listening = await (async () => {
      await soon(bench, server, receiver);
      await beside(bench, server, receiver, 'each at a host of its own');
      await beside(bench, server, receiver, 'all at one host');
      return register(server, receiver, Math.min(MAX_RECEIVERS, bench.sizes.webhookEvents), 'drained');
    })().finally(() => server.stop());
    await drained(bench, installation, receiver, listening.slice(0, 1));
    await drained(bench, installation, receiver, listening);
  } finally {
    await receiver.close();
    rmSync(folder, { recursive: true });
  }
}

/** Events that are already in the log, to so many endpoints, one event each in turn. */
async function drained(
  { sizes, say, add }: Bench,
  installation: BenchInstallation,
  receiver: WebhookReceiver,
  all: readonly Listening[],
): Promise<void> {
  const count = sizes.webhookEvents;
  const endpoints = all.length;
  const rates = await times(Math.min(3, sizes.runs), async (run) => {
    say(`${count} events to ${endpoints}, run ${run}`);
    await fill(installation, all, count, `${endpoints}.${run}`);
    receiver.clear();
    const server = await installation.start(receiver.settings);
    try {
      await receiver.arrived(count, WITHIN_MS);
    } finally {
      await server.stop();
    }
    const at = receiver.arrivals.map((arrival) => arrival.at);
    return (1_000 * (count - 1)) / Math.max(1, Math.max(...at) - Math.min(...at));
  });
  add({
    group: 'webhooks',
    what: `${count} events, to ${endpoints === 1 ? 'one receiver' : `${endpoints} receivers`}: events a second`,
    rateLimit: 0,
    figures: { 'events/s': median(rates) },
    target: null,
    how: `in the log before the server starts, from the first arrival to the last, connections kept for the next where they can be, receiver in one process beside it, ${rates.length} runs`,
  });
}

/** Posts that are published at once, at a steady rate. */
async function soon({ sizes, say, add }: Bench, server: CrierServer, receiver: WebhookReceiver): Promise<void> {
  const { workspaces } = await buildPopulation(server, { workspaces: 4, channelsAWorkspace: 1, keysAWorkspace: 1 });
  for (const { workspaceId } of workspaces)
    await registerIn(server, { workspaceId, memberId: await ownerOf(server, workspaceId) }, [
      receiver.urlOf(`/soon/${workspaceId}`),
    ]);
  const lateMs = await times(Math.min(3, sizes.runs), async (run) => {
    say(`published to first attempt, run ${run}`);
    receiver.clear();
    const count = Math.max(workspaces.length, Math.round(sizes.webhookPostsASecond * sizes.webhookSeconds));
    await publish(server, workspaces, count, sizes.webhookPostsASecond, run);
    await receiver.arrived(count, WITHIN_MS);
    return receiver.arrivals.map(({ afterMs }) => afterMs);
  });
  const of = (fraction: number): number => median(lateMs.map((late) => quantile(late, fraction)));
  add({
    group: 'webhooks',
    what: 'Published to first attempt at its receiver',
    rateLimit: 0,
    figures: { 'p50 ms': of(0.5), 'p99 ms': of(0.99) },
    target: null,
    how: `${sizes.webhookPostsASecond} immediate Posts a second on x for ${sizes.webhookSeconds} s, from the instant in the event to its arrival, sandbox in the same process at factor 0, ${lateMs.length} runs`,
  });
}

async function publish(
  server: CrierServer,
  homes: readonly Home[],
  count: number,
  aSecond: number,
  run: number,
): Promise<void> {
  await paced(count, aSecond, (index) => {
    const { keys, channelIds } = homes[index % homes.length]!;
    return call(server, keys[0]!, 'POST', '/api/posts', { text: `soon ${run}.${index}`, channelIds }, 201);
  });
}

/** Runs `work` at planned instants, however long each takes. */
async function paced<T>(count: number, aSecond: number, work: (index: number) => Promise<T>): Promise<readonly T[]> {
  const from = performance.now();
  const begun: Promise<T>[] = [];
  for (let index = 0; index < count; index++) {
    await sleep(Math.max(0, from + (1_000 * index) / aSecond - performance.now()));
    begun.push(work(index));
  }
  return Promise.all(begun);
}

/** Test events to a thousand endpoints in turn, with and without a tenth of them hanging. */
async function beside(
  { sizes, say, add }: Bench,
  server: CrierServer,
  receiver: WebhookReceiver,
  where: 'each at a host of its own' | 'all at one host',
): Promise<void> {
  const hosts = where === 'all at one host' ? 1 : sizes.webhookEndpoints;
  const all = await register(server, receiver, sizes.webhookEndpoints, `beside-${hosts}`, hosts);
  const measured = await times(sizes.runs, async (run) => {
    const round = async (hanging: boolean): Promise<number> => {
      say(`${all.length} endpoints, ${where}, run ${run}, ${hanging ? 'a tenth of them hanging' : 'all well'}`);
      receiver.hangs.clear();
      // An attempt that still hangs has its endpoint's only place: what comes next there would wait for its end.
      const isCalm = async () => (await server.metric('crier_webhook_attempts_in_flight')) === 0;
      await until(isCalm, { what: 'the end of all attempts' });
      if (hanging) for (const [index, { path }] of all.entries()) if (index % HANGING === 0) receiver.hangs.add(path);
      receiver.clear();
      return quantile(await testEvents(server, receiver, all, sizes.webhookTestsASecond, sizes.webhookSeconds), 0.99);
    };
    const hangingFirst = run % 2 === 0 ? await round(true) : null;
    const well = await round(false);
    return { well, hanging: hangingFirst ?? (await round(true)) };
  });
  const [well, hanging] = [median(measured.map((each) => each.well)), median(measured.map((each) => each.hanging))];
  const figures = { 'all well p99 ms': well, 'a tenth hanging p99 ms': hanging, ratio: hanging / well };
  add({
    group: 'webhooks',
    what: `${all.length} endpoints, ${where}, a tenth hanging: first attempts at the others`,
    rateLimit: 0,
    figures,
    target: target(`ratio <= ${MOST}`, figures, { atMost: { ratio: MOST } }),
    how: `${sizes.webhookTestsASecond} test events a second to all in turn for ${sizes.webhookSeconds} s, from the instant in the event to its arrival, medians of ${measured.length} runs in turn`,
  });
}

/** The delays of healthy endpoints' events to their first arrival. */
async function testEvents(
  server: CrierServer,
  receiver: WebhookReceiver,
  all: readonly Listening[],
  aSecond: number,
  seconds: number,
): Promise<readonly number[]> {
  const isHealthy = ({ path }: Listening): boolean => !receiver.hangs.has(path);
  const ids = await paced(Math.max(2 * HANGING, Math.round(aSecond * seconds)), aSecond, async (index) => {
    const one = all[(index * 7) % all.length]!;
    const { data } = await call(server, one.apiKey, 'POST', `/api/webhooks/${one.endpointId}/test`, undefined, 200);
    return isHealthy(one) ? (data.eventId as string) : null;
  });
  const wanted = ids.filter((id) => id !== null);
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const first = new Map(receiver.arrivals.toReversed().map(({ eventId, afterMs }) => [eventId, afterMs]));
    if (wanted.every((id) => first.has(id))) return wanted.map((id) => first.get(id)!);
    if (Date.now() > deadline)
      throw new Error(`of ${wanted.length} test events not all arrived within ${WITHIN_MS} ms`);
    await sleep(50);
  }
}

/** `hosts`: the number of hosts over which the endpoints are spread. */
async function register(
  server: CrierServer,
  receiver: WebhookReceiver,
  count: number,
  label: string,
  hosts = 1,
): Promise<readonly Listening[]> {
  const workspaces = Math.ceil(count / ENDPOINTS_A_WORKSPACE);
  const all: Listening[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let number = next++; number < workspaces; number = next++) {
      const home = await server.admin.workspaces.create.mutate({
        name: `${label} ${number}`,
        ownerEmail: `${label}${number}@example.test`,
        plan: 'agency',
      });
      const urls = Array.from(
        { length: Math.min(ENDPOINTS_A_WORKSPACE, count - number * ENDPOINTS_A_WORKSPACE) },
        (_, index) =>
          receiver.urlOf(
            `/${label}/${number}/${index}`,
            hosts === 1 ? undefined : (number * ENDPOINTS_A_WORKSPACE + index) % hosts,
          ),
      );
      all.push(...(await registerIn(server, home, urls)));
    }
  };
  await Promise.all(Array.from({ length: REGISTER_AT_ONCE }, worker));
  return all;
}

async function registerIn(
  server: CrierServer,
  home: { workspaceId: string; memberId: string },
  urls: readonly string[],
): Promise<readonly Listening[]> {
  const { apiKey } = await server.admin.keys.create.mutate({
    ...home,
    name: 'Hooks',
    permissions: ['webhooks:manage'],
  });
  const all: Listening[] = [];
  for (const url of urls) {
    const { data } = await call(server, apiKey, 'POST', '/api/webhooks', { url, events: ['variant.published'] }, 201);
    all.push({ workspaceId: home.workspaceId, endpointId: data.id, apiKey, path: new URL(url).pathname });
  }
  return all;
}

async function ownerOf(server: CrierServer, workspaceId: string): Promise<string> {
  return (await server.admin.workspaces.get.query({ workspaceId })).members[0]!.memberId;
}

/** Events of realistic size, appended to the log while no server runs. */
async function fill(
  installation: BenchInstallation,
  all: readonly Listening[],
  count: number,
  label: string,
): Promise<void> {
  const engine = await installation.open();
  try {
    const records = Array.from({ length: count }, (_, index) => {
      const { workspaceId, endpointId } = all[index % all.length]!;
      const [eventId, createdAt] = [derivedId(`bench ${label} ${index}`), engine.clock.now()];
      const body = JSON.stringify(testEventOf(eventId, 'variant.published', createdAt));
      const value = engine.codec.encode({
        type: 'VariantPublished',
        workspaceId,
        eventId,
        postId: eventId,
        variantId: eventId,
        createdAt,
        body,
        endpointIds: [endpointId],
      });
      return { key: workspaceId, value };
    });
    for (let from = 0; from < records.length; from += 200)
      await engine.log.append(WORKSPACE_EVENTS.name, records.slice(from, from + 200));
  } finally {
    await engine.close();
  }
}

async function call(
  { baseUrl }: CrierServer,
  apiKey: string,
  method: string,
  path: string,
  body: object | undefined,
  expected: number,
): Promise<any> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const answer = await fetch(baseUrl + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (answer.status !== expected) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}
