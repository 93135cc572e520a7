import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { PublishVariant } from '#messages/messages.ts';
import type { Network, Placement } from '#domain/network.ts';
import { postIdOf, variantIdOf } from '#domain/post/ids.ts';
import type { NetworkAdapter, NetworkBudget } from '#networks/contract/adapter.ts';
import { connectSandboxAccount } from '#connections/connect.ts';
import { createConnections, type TokensAnswer } from '#connections/connections.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import { fixtureDownload } from '#testing/media-fixtures.ts';
import type { HttpClient, HttpRequest } from '#ports/http-client.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import { noRenditions } from '#testing/publication.ts';
import { createSandbox } from '#services/sandbox/sandbox.ts';
import { sandboxHttp } from '#services/sandbox/sandbox-http.fixture.ts';
import { createMemoryStore } from '#services/sandbox/store/memory-store.ts';
import { createLedger, type Ledger, type ArmVerdict } from '#tables/repositories/ledger.ts';
import { PublishMachine, type PublishMachineOptions } from './machine.ts';
import { Throttle } from './throttle.ts';

const REDIRECT = 'https://crier.test/connect';
const BASE = 'http://sandbox.test';
export const TEXT = 'Only once, please';

/** As the sandbox lists it. */
export interface PublishedItem {
  readonly text: string;
  readonly title?: string;
  readonly placement: Placement;
  readonly media: readonly { readonly sha256: string }[];
  readonly altTexts: readonly (string | null)[];
}

/** What a worker has instead of what the harness would give it. `reporter`: of its throttle. */
export type WorkerOptions = Partial<PublishMachineOptions> & { readonly reporter?: Reporter };

/** Called before and after each read, write and call of a worker; never resolving stands for a crash there. */
export type PublishInterruption = (step: string) => Promise<void>;

export interface PublishHarness {
  readonly clock: MemoryClock;
  readonly job: PublishVariant;
  readonly ledger: Ledger;
  /** Verdicts reported to the Workspace, in order. */
  readonly concluded: readonly { readonly attempt: number; readonly verdict: ArmVerdict }[];
  readonly marked: readonly string[];
  /** Requests that reached the Network, e.g. `POST /2/tweets`. */
  readonly requests: readonly string[];
  /** A worker with memory of its own, which `interrupt` may stop anywhere. */
  worker(interrupt?: PublishInterruption, options?: WorkerOptions): PublishMachine;
  /** Lets time pass and timers fire until none is left. */
  settle(machine: PublishMachine): Promise<void>;
  timersSet(): readonly number[];
  /** The texts of what is live. */
  live(): Promise<readonly string[]>;
  /** What is live, whole. */
  items(): Promise<readonly PublishedItem[]>;
  control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<any>;
  fault(name: string, more?: object): Promise<void>;
  tokens(): Promise<TokensAnswer>;
  readonly accountId: string;
  retry(): PublishVariant;
}

/** Calls that go to one address are distinguished by the phase they name. */
function stepOf({ method, url, body }: HttpRequest): string {
  const phase = typeof body === 'string' ? /"?upload_phase"?[=:]"?(\w+)/.exec(body)?.[1] : undefined;
  return `${method} ${new URL(url).pathname}${phase === undefined ? '' : ` ${phase}`}`;
}

/** One Variant on its way to one sandbox Network, with workers that can be stopped anywhere. */
export async function openPublishHarness(
  network: Network,
  about: {
    adapter?: (real: NetworkAdapter) => NetworkAdapter;
    renditions?: RenditionSource;
    budget?: NetworkBudget;
    placement?: Placement;
    text?: string;
    title?: string;
    http?: (real: HttpClient) => HttpClient;
  } = {},
): Promise<PublishHarness> {
  const clock = createMemoryClock();
  const tables = new MemoryTables();
  const store = createMemoryTableStore({ clock, tables });
  const sandbox = createSandbox({
    clock,
    ids: createSeededIds(1),
    store: createMemoryStore(),
    baseUrl: () => BASE,
    download: fixtureDownload(),
    mediaUrl: () => 'https://media.test',
    redirectUris: () => [REDIRECT],
  });
  const requests: string[] = [];
  const real = sandboxHttp(sandbox, ({ method, url }) => {
    if (!url.includes('/sandbox/')) requests.push(`${method} ${new URL(url).pathname}`);
  });
  const http = about.http?.(real) ?? real;
  const networks = createNetworks(sandboxEndpoints(BASE), { waitFactor: 0.01 });
  const auth = networks.auths[network]!;
  const secretBox = createSecretBox({ secret: 'a master secret for tests only, long enough' });
  const connections = createConnections({
    store,
    secretBox,
    http,
    auths: networks.auths,
    clock,
    ids: createSeededIds(2),
    reporter: createMemoryReporter(),
  });
  const connected = await connectSandboxAccount({
    http,
    auth,
    clock,
    ids: createSeededIds(3),
    redirectUri: REDIRECT,
    name: 'Ada',
  });
  if (!connected.ok) throw new Error(connected.detail);
  await connections.save({ id: 'channel', workspaceId: 'w', network }, connected.tokens, connected.profile);

  const variantId = variantIdOf(postIdOf(createSeededIds(4).uuid7(clock.now())), 1);
  const first: PublishVariant = {
    ...{
      type: 'PublishVariant',
      why: 'due',
      workspaceId: 'w',
      variantId,
      attempt: 1,
      network,
      placement: about.placement ?? 'feed',
      channelId: 'channel',
      accountId: connected.profile.accountId,
    },
    ...{ dueAt: clock.now(), latestStart: clock.now() + 3_600_000, reconcileFirst: false },
  };
  const jobs = [first];
  const concluded: { attempt: number; verdict: ArmVerdict }[] = [];
  const marked: string[] = [];
  const timers = new Map<number, PublishVariant>();
  const adapter = about.adapter?.(networks.adapters[network]!) ?? networks.adapters[network]!;
  let seed = 10;

  const worker = (
    interrupt: PublishInterruption = async () => {},
    { reporter = createMemoryReporter(), ...options }: WorkerOptions = {},
  ): PublishMachine => {
    const around = async <T>(step: string, work: () => Promise<T> | T): Promise<T> => {
      await interrupt(`before ${step}`);
      try {
        return await work();
      } finally {
        await interrupt(`after ${step}`);
      }
    };
    const hooks = {
      before: ({ name, table }: { name: string; table: { name: string } }) => interrupt(`before ${name} ${table.name}`),
      after: ({ name, table }: { name: string; table: { name: string } }) => interrupt(`after ${name} ${table.name}`),
    };
    const interrupted: HttpClient = {
      send: (request: HttpRequest) => around(stepOf(request), () => http.send(request)),
    };
    return new PublishMachine({
      adapter,
      ledger: createLedger(createMemoryTableStore({ clock, tables, hooks })),
      http: interrupted,
      clock,
      ids: createSeededIds(seed++),
      tokensFor: (channelId) => connections.tokensFor(channelId, network),
      refreshNow: (channelId, stale) => connections.refreshNow(channelId, stale),
      contentOf: async () => ({ text: about.text ?? TEXT, title: about.title ?? null, altTexts: [] }),
      renditions: about.renditions ?? noRenditions,
      throttle: new Throttle({
        network,
        budget: about.budget ?? { account: [], app: [], atOnce: 64 },
        store,
        clock,
        ids: createSeededIds(seed++),
        reporter,
      }),
      setTimer: ({ dueAt, message }) => around('setTimer', () => void timers.set(dueAt, message as PublishVariant)),
      conclude: (job, verdict) => around('conclude', () => void concluded.push({ attempt: job.attempt, verdict })),
      markChannel: (_job, state) => around('markChannel', () => void marked.push(state)),
      ...options,
    });
  };
  const control = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<any> => {
    const answer = await http.send({
      method,
      url: `${BASE}${path}`,
      headers: { 'content-type': 'application/json' },
      timeoutMs: 1,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(answer.body);
    return JSON.parse(answer.body || 'null');
  };
  const items = async (): Promise<readonly PublishedItem[]> =>
    (await control('GET', `/sandbox/items?network=${network}`)).items;
  return {
    clock,
    ledger: createLedger(store),
    concluded,
    marked,
    requests,
    accountId: connected.profile.accountId,
    control,
    worker,
    get job() {
      return jobs.at(-1)!;
    },
    settle: async (machine) => {
      for (let fired = 0; timers.size > 0; fired++) {
        if (fired > 2_000) throw new Error('timers without end');
        const [at, job] = [...timers].sort(([a], [b]) => a - b)[0]!;
        timers.delete(at);
        if (at > clock.now()) await clock.advance(at - clock.now());
        await machine.run(job);
      }
    },
    timersSet: () => [...timers.keys()].sort((a, b) => a - b),
    live: async () => (await items()).map(({ text }) => text),
    items,
    fault: async (name, more = {}) =>
      void (await control('POST', '/sandbox/faults', { network, fault: name, ...more })),
    tokens: () => connections.tokensFor('channel', network),
    retry: () => {
      jobs.push({
        ...jobs.at(-1)!,
        attempt: jobs.length + 1,
        dueAt: clock.now(),
        latestStart: clock.now() + 3_600_000,
        reconcileFirst: true,
      });
      return jobs.at(-1)!;
    },
  };
}
