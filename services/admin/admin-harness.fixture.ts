import { Pools } from '#concurrency/pools.ts';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { Network } from '#domain/network.ts';
import { decide } from '#domain/workspace/decide.ts';
import { loadsOf } from '#domain/workspace/loads.ts';
import { createConnections, type Connections } from '#connections/connections.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import { SignIns } from '#connections/sign-in.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { TableStore } from '#ports/table-store.ts';
import { createCommandRequests } from '#commands/request-command.ts';
import { createOperatorCommands } from '#commands/operator-command.ts';
import { createSandbox } from '#services/sandbox/sandbox.ts';
import { sandboxHttp } from '#services/sandbox/sandbox-http.fixture.ts';
import { createMemoryStore } from '#services/sandbox/store/memory-store.ts';
import { createWorkspaceService } from '#services/workspace/service.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { OAuthKeys } from '#tables/repositories/oauth-keys.ts';
import { createUploadRows } from '#tables/repositories/uploads.ts';
import { RULES } from '#testing/scenario.ts';
import { createDeadLetterKeeper } from './dead-letter-keeper.ts';
import type { AdminOptions } from './dependencies.ts';
import { createAdminCaller, createAdminRouter, type AdminCaller, type AdminRouter } from './router.ts';
import { WrittenFormat } from '#tables/release.ts';
import { PublishingBrake } from '#tables/repositories/publishing-brake.ts';
import { createPublishingHolds } from '#use-cases/publishing-holds.ts';

export const START = Date.UTC(2026, 10, 20, 12);
const SANDBOX = 'http://sandbox.test';

export interface AdminHarness extends AsyncDisposable {
  readonly caller: AdminCaller;
  readonly router: AdminRouter;
  readonly options: AdminOptions;
  readonly clock: MemoryClock;
  readonly store: TableStore;
  readonly log: MemoryLog;
  readonly http: HttpClient;
  readonly connections: Connections;
  readonly reporter: MemoryReporter;
  readonly codec: ReturnType<typeof createCodec>;
}

/** The real Workspace service and a real sandbox over memory, and admin on top; `replaced` changes options of admin. */
export async function openAdminHarness(
  replaced: (options: AdminOptions) => Partial<AdminOptions> = () => ({}),
): Promise<AdminHarness> {
  const clock = createMemoryClock(START);
  const ids = createSeededIds(11);
  const reporter = createMemoryReporter();
  const store = createMemoryTableStore({ clock });
  const log = createMemoryLog({ topics: TOPICS, clock });
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const due = createDueTimers(store);
  const redirectUri = (network: string) => `http://crier.test/connect/${network}/callback`;
  const sandbox = createSandbox({
    clock,
    ids,
    store: createMemoryStore(),
    baseUrl: () => SANDBOX,
    redirectUris: (network) => [redirectUri(network)],
  });
  const http = sandboxHttp(sandbox);
  const { auths } = createNetworks(sandboxEndpoints(SANDBOX));
  const secretBox = createSecretBox({ secret: 'a master secret for tests only, long enough' });
  const connections = createConnections({ store, secretBox, http, auths, clock, ids, reporter });
  const requests = createCommandRequests({ log, store, codec, clock, reporter });
  const brake = new PublishingBrake({ store, clock });
  const workspace = createWorkspaceService({
    log,
    store,
    codec,
    clock,
    ids,
    reporter,
    due,
    decide,
    loadsOf,
    rules: RULES,
    brake,
    writtenFormat: new WrittenFormat(),
    answer: (_replyTo, answer) => requests.receiveAnswer(answer),
  });
  const deadLetters = createDeadLetterKeeper({ log, store, codec, clock, ids, reporter });
  await workspace.start();
  await deadLetters.start();
  let ask = requests.request;
  const command = createOperatorCommands({
    request: (command) => ask(command),
    clock,
    ids,
    replyTo: 'http://127.0.0.1:1',
    door: 'admin',
  });
  const signIns = new SignIns({
    store,
    secretBox,
    http,
    auths,
    clock,
    ids,
    reporter,
    connections,
    sendCommand: command,
    redirectUri,
  });
  const options: AdminOptions = {
    request: requests.request,
    log,
    codec,
    store,
    due,
    clock,
    ids,
    secretBox,
    reporter,
    replyTo: 'http://127.0.0.1:1',
    publishingHolds: createPublishingHolds({ store, clock, ids, reporter, brake }),
    orphans: { blobs: createMemoryBlobStore(), store, uploads: createUploadRows(store, () => ids.token()), reporter },
    sandbox: { http },
    networks: Object.keys(auths) as Network[],
    signIns,
    publicUrl: 'http://crier.test',
    mailInvitation: async () => {},
    advanceClock: async (milliseconds) => {
      clock.moveWall(milliseconds);
      return clock.now();
    },
    rotateOAuthKeys: () => new OAuthKeys({ store, secretBox, clock, ids, makeSigningKey: async () => ({}) }).rotate(),
    cluster: {
      status: async () => ({
        ...{ processes: [], schemaVersion: 1, format: 1, changedBy: null, canRaiseTo: null },
        why: 'every process writes its newest',
      }),
      raiseFormat: async () => 1,
    },
    logLevel: {
      status: () => ({ level: 'info', usual: 'info', until: null }),
      change: (level, forMs) => ({ level, usual: 'info', until: clock.now() + forMs }),
    },
    pools: new Pools({ clock }),
    process: {
      version: '0.0.0',
      engine: 'memory',
      networks: 'sandbox',
      roles: ['workspace', 'admin'],
      services: () => [],
      workloads: () => [workspace],
      timersHeld: () => 0,
    },
  };
  const all = { ...options, ...replaced(options) };
  ask = all.request;
  const router = createAdminRouter(all);
  const caller = createAdminCaller(router);
  return {
    caller,
    router,
    options,
    clock,
    store,
    log,
    http,
    connections,
    reporter,
    codec,
    [Symbol.asyncDispose]: async () => {
      await deadLetters.stop();
      await workspace.stop();
      await log.close();
    },
  };
}

/** A Workspace with a verified owner. */
export async function openWorkspace(caller: AdminCaller, plan: 'free' | 'pro' | 'agency' = 'pro') {
  return caller.workspaces.create({ name: 'Agency', ownerEmail: 'ada@example.test', ownerName: 'Ada', plan });
}

/** Waits, by turns of the event loop, until `done` says so. */
export async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 5_000; turn++) {
    if (await done()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came to be');
}
