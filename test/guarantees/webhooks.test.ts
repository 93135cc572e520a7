import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { outcomeIdOf, type OutcomeBody } from '#domain/workspace/events.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import { ApiClient, type PostJson } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { seed, soak } from '#testing/engines/environment.ts';
import { answer, type Behaviour, type MisbehavingReceiver } from '#testing/misbehaving-receiver.ts';
import { SeededRandom } from '#testing/seeded-random.ts';
import { startTrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import { NO_LIMITS } from './sandbox-limits.ts';

const SEED = seed(23);
const LASTS_MS = soak() ? 180_000 : 20_000;
const EVENTS_A_SECOND = soak() ? 200 : 20;
/** All attempts after the first come after the deletion, however slowly the machine starts. */
const MIN_KILLS = 4;
const MINUTE_MS = 60_000;
const MAX_REQUESTS_OUT = 64;
/** An attempt that was in flight when its endpoint was deleted has ended by then. */
const IN_FLIGHT_MS = 10_000;

/** Mostly without faults; now and then an error, or a connection that is cut. */
function moods(random: SeededRandom): readonly Behaviour[] {
  const mood = (): Behaviour => {
    const dice = random.between(0, 100);
    return dice < 8 ? answer(500) : dice < 10 ? { kind: 'close' } : answer(204);
  };
  return [...Array.from({ length: 20_000 }, mood), answer(204)];
}

/** Crier in one process, which is killed; the Networks and the receiver are not. */
async function open(random: SeededRandom): Promise<{
  readonly crier: CrierUnderTest;
  readonly networks: CrierUnderTest;
  readonly receiver: MisbehavingReceiver;
}> {
  const trusted = await startTrustedReceiver();
  const { receiver, settings } = trusted;
  onTestFinished(() => trusted[Symbol.asyncDispose]());
  receiver.behave(...moods(random));
  const networks = await CrierUnderTest.start({
    name: 'networks',
    env: { CRIER_DEMO: 'false', CRIER_LOG_LEVEL: 'warn' },
  });
  onTestFinished(() => networks[Symbol.asyncDispose]());
  for (const network of ['x', 'threads'] as const) await networks.sandbox().limits(network, NO_LIMITS[network]);
  const crier = await CrierUnderTest.start({
    env: {
      ...{ ...settings, CRIER_SANDBOX_URL: networks.ready.sandboxUrl!, CRIER_LOG_LEVEL: 'warn' },
      ...{ CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off', CRIER_MISSED_WINDOW_SECONDS: '604800' },
    },
  });
  onTestFinished(() => crier[Symbol.asyncDispose]());
  return { crier, networks, receiver };
}

async function register(api: ApiClient, url: string): Promise<string> {
  const { status, body } = await api.send('POST', '/api/webhooks', { url, events: [...OUTCOME_TYPES] });
  expect(status).toBe(201);
  return body.data.id;
}

/** Creates Posts at a steady rate, whichever process answers, until it is disposed of. */
function traffic(api: ApiClient, channelIds: readonly string[]): AsyncDisposable {
  let over = false;
  const out = new Set<Promise<unknown>>();
  const running = (async () => {
    for (let count = 0; !over; count++) {
      await sleep((1_000 * channelIds.length) / EVENTS_A_SECOND);
      if (out.size >= MAX_REQUESTS_OUT) continue;
      const post = api.createPost({ text: `post ${count}`, channelIds }).catch(() => {});
      out.add(post);
      void post.finally(() => out.delete(post));
    }
    await Promise.all(out);
  })();
  return {
    [Symbol.asyncDispose]: async () => {
      over = true;
      await running;
    },
  };
}

/** Repeated until it is answered: a kill may have happened between. */
async function deleteEndpoint(api: ApiClient, endpointId: string): Promise<number> {
  await until(async () => [204, 404].includes((await api.send('DELETE', `/api/webhooks/${endpointId}`)).status), {
    what: 'the endpoint deleted',
    withinMs: 90_000,
  });
  return Date.now();
}

function eventsAt(receiver: MisbehavingReceiver, path: string): readonly (OutcomeBody & { readonly at: number })[] {
  return receiver.requests
    .filter((request) => request.method === 'POST' && request.path === path)
    .map(({ body, at }) => ({ ...(JSON.parse(body.toString('utf8')) as OutcomeBody), at }));
}

/** The event of each Variant's end; each Variant has only one attempt. */
function endsOf(posts: readonly PostJson[]): ReadonlyMap<string, string> {
  const variants = posts.flatMap((post) => post.variants);
  return new Map(
    variants.map(({ id, status }) => [
      outcomeIdOf({ id, attempt: 1 }, status === 'published' ? 'variant.published' : 'variant.failed'),
      `${id} ${status}`,
    ]),
  );
}

test(
  `with a kill -9 every second or two for ${LASTS_MS / 1000} s every event is delivered, none under two ids, none after deletion (seed ${SEED})`,
  { timeout: LASTS_MS * 3 + 240_000 },
  async ({ annotate }) => {
    const random = new SeededRandom(SEED);
    const { crier, networks, receiver } = await open(random);
    const workspace = await foundWorkspace(crier, 'hooked', { credits: 1_000_000 });
    const api = crier.api(workspace.apiKey);
    await register(api, `${receiver.url}kept`);
    const doomed = await register(api, `${receiver.url}deleted`);
    let deletedAt = 0;
    {
      await using _posts = traffic(api, Object.values(workspace.channels));
      const from = Date.now();
      const hasLasted = (): boolean =>
        Date.now() - from > LASTS_MS && deletedAt > 0 && Date.now() - deletedAt > IN_FLIGHT_MS + 3_000;
      for (let kills = 0; kills < MIN_KILLS || !hasLasted(); kills++) {
        await sleep(random.between(500, 2_000));
        // On a busy machine it may take some kills until both endpoints have got something.
        const isTold = eventsAt(receiver, '/deleted').length > 0 && kills > 0;
        if (isTold && deletedAt === 0) deletedAt = await deleteEndpoint(api, doomed);
        await crier.restart('kill');
      }
    }
    const posts = await until(
      async () => {
        // Events that a receiver refused, and those that a kill interrupted, wait for timers.
        for (const each of [networks, crier]) await each.admin().advance(MINUTE_MS);
        const listed = await api.listPosts({ limit: '500' });
        const received = new Set(eventsAt(receiver, '/kept').map(({ id }) => id));
        const open = listed
          .flatMap(({ variants }) => variants)
          .filter(({ status }) => status !== 'published' && status !== 'failed');
        const undelivered = [...endsOf(listed)].filter(([id]) => !received.has(id)).map(([, variant]) => variant);
        if (open.length > 0)
          throw new Error(
            `${open.length} Variants have not ended, of ${listed.length} Posts: ${open.slice(0, 5).map(({ id, status }) => `${id} ${status}`)}`,
          );
        if (undelivered.length > 0)
          throw new Error(`${undelivered.length} events were not delivered: ${undelivered.slice(0, 5)}`);
        return listed;
      },
      { what: 'every event delivered', withinMs: LASTS_MS * 2 + 120_000, everyMs: 500 },
    );
    const kept = eventsAt(receiver, '/kept');
    const deleted = eventsAt(receiver, '/deleted');
    for (const { id, type, data } of [...kept, ...deleted])
      expect(id, `${data.variant.id} ${type}`).toBe(outcomeIdOf({ id: data.variant.id, attempt: 1 }, type));
    expect(
      deleted.filter(({ at }) => at > deletedAt + IN_FLIGHT_MS).map(({ id }) => id),
      'sent after deletion',
    ).toEqual([]);
    expect(
      kept.filter(({ at }) => at > deletedAt + IN_FLIGHT_MS).length,
      'sent to the other meanwhile',
    ).toBeGreaterThan(0);
    expect(deleted.length).toBeGreaterThan(0);
    expect(posts.length).toBeGreaterThan(LASTS_MS / 1_000);
    await annotate(
      `${posts.length} Posts, ${endsOf(posts).size} events, ${kept.length} requests, of which ${kept.length - new Set(kept.map(({ id }) => id)).size} repeat one`,
    );
  },
);
