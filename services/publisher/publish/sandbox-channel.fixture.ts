import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { Network, Placement } from '#domain/network.ts';
import { connectSandboxAccount } from '#connections/connect.ts';
import { createConnections, type Connections } from '#connections/connections.ts';
import { createNetworks, sandboxEndpoints, type Networks } from '#networks/registry.ts';
import { fixtureDownload } from '#testing/media-fixtures.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { TableStore } from '#ports/table-store.ts';
import { createSandbox } from '#services/sandbox/sandbox.ts';
import { sandboxHttp } from '#services/sandbox/sandbox-http.fixture.ts';
import { createMemoryStore } from '#services/sandbox/store/memory-store.ts';

const REDIRECT = 'https://crier.test/connect';
const BASE = 'http://sandbox.test';

/** A state of a threads account, where all other faults are of a call. */
const LOST_CONTAINER = 'lost_container';

/** As the sandbox lists it. */
export interface PublishedItem {
  readonly text: string;
  readonly title?: string;
  readonly placement: Placement;
  readonly media: readonly { readonly sha256: string }[];
  readonly altTexts: readonly (string | null)[];
  readonly comments: readonly { readonly remoteId: string; readonly text: string; readonly permalink: string }[];
}

/** A Channel that is connected to one sandbox Network, over tables in memory. */
export interface SandboxChannel {
  readonly network: Network;
  readonly networks: Networks;
  readonly clock: MemoryClock;
  readonly tables: MemoryTables;
  readonly store: TableStore;
  readonly connections: Connections;
  readonly http: HttpClient;
  /** Requests that reached the Network, e.g. `POST /2/tweets`. */
  readonly requests: readonly string[];
  readonly accountId: string;
  control(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<any>;
  fault(name: string, more?: object): Promise<void>;
  /** What is live, whole. */
  items(): Promise<readonly PublishedItem[]>;
}

export interface SandboxChannelOptions {
  readonly http?: (real: HttpClient, clock: MemoryClock) => HttpClient;
}

export async function openSandboxChannel(network: Network, about: SandboxChannelOptions = {}): Promise<SandboxChannel> {
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
  const http = about.http?.(real, clock) ?? real;
  const networks = createNetworks(sandboxEndpoints(BASE), { waitFactor: 0.01 });
  const connections = createConnections({
    store,
    secretBox: createSecretBox({ secret: 'a master secret for tests only, long enough' }),
    http,
    auths: networks.auths,
    clock,
    ids: createSeededIds(2),
    reporter: createMemoryReporter(),
  });
  const auth = networks.auths[network]!;
  const signIn = { http, auth, clock, ids: createSeededIds(3), redirectUri: REDIRECT, name: 'Ada' };
  const connected = await connectSandboxAccount(signIn);
  if (!connected.ok) throw new Error(connected.detail);
  await connections.save({ id: 'channel', workspaceId: 'w', network }, connected.tokens, connected.profile);

  const control = async (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<any> => {
    const answer = await real.send({
      method,
      url: `${BASE}${path}`,
      headers: { 'content-type': 'application/json' },
      timeoutMs: 1,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(answer.body);
    return JSON.parse(answer.body || 'null');
  };
  const { accountId } = connected.profile;
  return {
    ...{ network, networks, clock, tables, store, connections, http, requests, control },
    accountId,
    fault: async (name, more = {}) => {
      if (name === LOST_CONTAINER) await control('POST', `/sandbox/accounts/${accountId}/state`, { state: name });
      else await control('POST', '/sandbox/faults', { network, fault: name, ...more });
    },
    items: async () => (await control('GET', `/sandbox/items?network=${network}`)).items,
  };
}
