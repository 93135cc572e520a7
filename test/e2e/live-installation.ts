import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createReporter } from '#adapters/pino/reporter.ts';
import { createMetrics } from '#adapters/prometheus/metrics.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import { namedAddresses } from '#networks/contract/addresses.ts';
import { sandboxEndpoints } from '#networks/registry.ts';
import type { Tracer } from '#ports/tracer.ts';
import { readConfig } from '#config/config.ts';
import { createCrierProcess } from '#services/crier/compose/crier-process.ts';
import { LogLevel } from '#services/crier/compose/log-level.ts';
import type { Engine } from '#services/crier/engines/engine.ts';
import { withPorts } from '#services/crier/cli/free-ports.ts';
import { fillTables } from '#services/crier/migrate/migrate.ts';
import { textOf } from '#services/sandbox/exchange.ts';
import { createSandbox } from '#services/sandbox/sandbox.ts';
import { createMemoryStore } from '#services/sandbox/store/memory-store.ts';
import { withAdapterChecks } from '#services/sandbox/vendor-checks.fixture.ts';
import { WrittenFormat } from '#tables/release.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import type { Echoes } from '#testing/echoes.ts';

export const PLANTED = {
  clientSecret: 'planted-secret-of-our-apps',
  adminToken: 'planted-admin-token-of-it',
  secret: 'planted-master-secret-of-the-installation',
} as const;
const APP = { clientId: 'an-app-of-ours', clientSecret: PLANTED.clientSecret };

export interface LiveInstallation {
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly networksUrl: string;
  readonly engine: Engine;
  /** Everything written to the log at the most verbose level. */
  readonly lines: readonly string[];
  /** Everything that was appended to topics or written to tables, as text. */
  readonly kept: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A complete Crier in this process, over memory, whose settings make its Networks live, at addresses of stand-ins that
 * repeat everything sent to them.
 */
export async function openLiveInstallation(echoes: Echoes, tracer?: Tracer): Promise<LiveInstallation> {
  const networks = await serveNetworks(echoes);
  const env = { ...settingsFor(networks.url), CRIER_ADMIN_TOKEN: PLANTED.adminToken, CRIER_SECRET: PLANTED.secret };
  const config = await withPorts(
    readConfig({
      ...env,
      CRIER_PORT: '0',
      CRIER_ADMIN_PORT: '0',
      CRIER_SANDBOX_PORT: '0',
      CRIER_REQUESTS_PER_MINUTE: '0',
    }),
  );
  const lines: string[] = [];
  const kept: string[] = [];
  const engine = await memoryEngine(kept);
  const metrics = createMetrics({ build: { version: '0.0.0', engine: 'embedded' } });
  const reporter = createReporter({
    process: { version: '0.0.0', roles: config.roles, instance: 'test' },
    level: 'debug',
    metrics,
    destination: { write: (line: string) => void lines.push(line) },
  });
  const { supervisor, ingress, ops } = await createCrierProcess({
    config,
    engine,
    reporter,
    metrics,
    tracer,
    version: '0.0.0',
    logLevel: new LogLevel({ usual: 'debug', set: reporter.setLevel, clock: engine.clock, reporter }),
    onMustEnd: (error) => {
      throw error;
    },
  });
  await supervisor.start();
  return {
    baseUrl: ingress!.address().url,
    adminUrl: ops.address().url,
    networksUrl: networks.url,
    engine,
    lines,
    kept,
    [Symbol.asyncDispose]: async () => {
      await supervisor.drain();
      await supervisor.stop();
      await engine.close();
      networks.close();
    },
  };
}

/** An operator's settings to go live, with the addresses of stand-ins. */
function settingsFor(url: string): Readonly<Record<string, string>> {
  const apps = NETWORKS.map((network) => [`CRIER_${network.toUpperCase()}_CLIENT`, network] as const);
  const addresses = Object.entries(sandboxEndpoints(url)).flatMap(([network, own]) =>
    namedAddresses(own).map(([name, address]) => `${network}.${name}=${address}`),
  );
  return {
    CRIER_NETWORKS: 'live',
    CRIER_NETWORK_ADDRESSES: addresses.join(','),
    ...Object.fromEntries(
      apps.flatMap(([variable]) => [
        [`${variable}_ID`, APP.clientId],
        [`${variable}_SECRET`, APP.clientSecret],
      ]),
    ),
  };
}

async function serveNetworks(echoes: Echoes): Promise<{ readonly url: string; close(): void }> {
  let url = '';
  // At the port on which the installation then listens.
  const redirectUris = (network: Network) => [`http://127.0.0.1/connect/${network}/callback`];
  const sandbox = createSandbox({
    clock: createSystemClock(),
    ids: createSystemIds(),
    store: createMemoryStore(),
    baseUrl: () => url,
    app: APP,
    redirectUris,
  });
  const checked = withAdapterChecks(sandbox);
  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const outcome = await checked.handle({ method: request.method!, url: request.url!, headers, body });
    if ('cut' in outcome) return void request.socket.destroy();
    const answer = echoes.recordExchange(
      { url: `${url}${request.url}`, headers, body: body.toString('utf8') },
      { ...outcome, body: textOf(outcome) },
    );
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const network of Object.keys(sandboxEndpoints(url)) as Network[]) {
    const body = Buffer.from(JSON.stringify({ network, factor: 0 }));
    await sandbox.handle({
      method: 'POST',
      url: '/sandbox/timing',
      headers: { 'content-type': 'application/json' },
      body,
    });
  }
  return { url, close: () => (server.close(), server.closeAllConnections()) };
}

/** `kept`: takes everything that is appended to topics or written to tables, as text. */
export async function memoryEngine(kept: string[]): Promise<Engine> {
  const clock = createSystemClock();
  const log = createMemoryLog({ topics: TOPICS, clock });
  const store = createMemoryTableStore({ clock });
  const engine: Engine = {
    log: watched(log, kept),
    store: watched(store, kept),
    blobs: createMemoryBlobStore(),
    codec: createCodec({ registry: createBuiltInRegistry() }),
    clock,
    ids: createSystemIds(),
    writtenFormat: new WrittenFormat(),
    secrets: { adminToken: PLANTED.adminToken, secret: PLANTED.secret },
    hasSoleProcess: false,
    leaps: { leapMs: () => 0, confirm: () => {} },
    clockReference: null,
    ready: async () => {},
    chores: [],
    close: async () => {
      await log.close();
      await store.close();
    },
  };
  await fillTables(engine);
  return engine;
}

/** `port`, with the arguments of all its methods recorded as text. */
function watched<T extends object>(port: T, kept: string[]): T {
  return new Proxy(port, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]): unknown => {
        kept.push(wordsOf(given));
        return (value as (...all: unknown[]) => unknown).apply(target, given);
      };
    },
  });
}

/** Every text and all bytes in a value, at any depth. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(wordsOf).join('\n');
}
