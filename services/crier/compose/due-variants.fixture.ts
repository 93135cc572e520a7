import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { openSyncedDatabase, type SyncedDatabase } from '#adapters/sqlite/synced-database.ts';
import { createSharedSqliteLog } from '#adapters/sqlite/log.ts';
import { createSqliteTableStore } from '#adapters/sqlite/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { createCommandRequests } from '#commands/request-command.ts';
import { isRequested } from '#domain/workspace/commands.ts';
import { publishPartsOf } from '#config/values.ts';
import type { Message } from '#messages/messages.ts';
import type { NetworkBudget } from '#networks/contract/adapter.ts';
import { canaryNetwork } from '#networks/contract/canary-network.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import type { Log } from '#ports/log.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import { secretContext } from '#domain/webhook/endpoint.ts';
import { NO_MEDIA } from '#testing/no-media.ts';
import { HOUR, MINUTE, Scenario, START } from '#testing/scenario.ts';
import { unanswered } from '#testing/unanswered.ts';
import { TOPICS, WORKSPACE_EVENTS } from '#tables/declarations/topics.ts';
import { WrittenFormat } from '#tables/release.ts';
import { fillTables } from '../migrate/migrate.ts';
import { createProcessRoles } from './process-roles.ts';
import { createRoleFactory, type RoleSettings } from './roles.ts';

/**
 * Workspace, scheduler and publishers over one SQLite file as in an embedded process, with a Channel on X. X answers in
 * this process, some turns of the event loop after it was called.
 */
export interface DueVariants {
  readonly database: SyncedDatabase['database'];
  readonly commits: SyncedDatabase['commits'];
  readonly clock: MemoryClock;
  readonly log: Log;
  readonly store: TableStore;
  readonly reporter: MemoryReporter;
  readonly workspaceId: string;
  /** Makes a Post with one Variant that is due `UNTIL_DUE_MS` from now, or at once. */
  post(text: string, when: 'later' | 'at once'): Promise<string>;
  close(): Promise<void>;
}

export interface DueVariantsOptions {
  readonly path: string;
  /** X is called with this text. */
  readonly onCalled?: (text: string) => void;
  /** X answers that call. */
  readonly onAnswered?: (text: string) => void;
  /** An event of the Workspace can be read by all who wait for what is durable. */
  readonly onEvent?: (message: Message) => void;
  /** The Workspace has a webhook endpoint, which gets this event and answers it; left out: it has none. */
  readonly onReceived?: (event: string) => void;
}

/** Beside the instants of what runs periodically. */
export const UNTIL_DUE_MS = 2 * MINUTE + 137;

const ROLES = ['workspace', 'scheduler', 'publisher'] as const;
const SETTINGS: RoleSettings = {
  earliestScheduleSeconds: 60,
  duplicateWindowSeconds: 0,
  missedWindowSeconds: 3_600,
  uploadWindowSeconds: 900,
  unusedUploadDays: 7,
  filesKeptDays: 90,
  postsKeptDays: 400,
  publishNetworks: publishPartsOf(['x']),
};
const UNLIMITED: NetworkBudget = { account: [], app: [], atOnce: 64 };
/** Of the event loop. */
const TURNS_A_CALL = 3;
const SANDBOX_URL = 'http://sandbox.test';

export async function openDueVariants(options: DueVariantsOptions): Promise<DueVariants> {
  const { path, onCalled = () => {}, onAnswered = () => {}, onEvent = () => {}, onReceived } = options;
  const synced = await openSyncedDatabase(path);
  const { database, commits } = synced;
  // A commit takes no time of this clock.
  const clock = createMemoryClock(START, async () => {
    while (commits.isOpen) await commits.whenClosed();
  });
  const reporter = createMemoryReporter();
  const store = createSqliteTableStore({
    ...{ database, commits, clock },
    log: { place: (topic, records) => log.place(topic, records) },
  });
  const log = createSharedSqliteLog({ database, commits }, { topics: TOPICS, clock, reporter });
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const ports = {
    ...{ store, log, codec, clock, reporter },
    blobs: createMemoryBlobStore(() => clock.now()),
    ids: createSeededIds(1),
    writtenFormat: new WrittenFormat(),
    http: { send: () => Promise.reject(new Error('this test makes no requests')) },
    publicHttp: onReceived === undefined ? unanswered : receiving(onReceived),
    secretBox: createSecretBox({ secret: 'a'.repeat(32) }),
  };
  await fillTables(ports);
  const requests = createCommandRequests(ports);
  const networks = createNetworks(sandboxEndpoints(SANDBOX_URL), { waitFactor: 0.1 });
  const factory = createRoleFactory({
    ...{ ports, requests, media: NO_MEDIA, settings: SETTINGS, instance: 'embedded' },
    networks: {
      ...networks,
      budgets: { ...networks.budgets, x: UNLIMITED },
      adapters: { x: answeringNetwork(onCalled, onAnswered) },
    },
    answer: (_replyTo, answer) => requests.receiveAnswer(answer),
    soleProcess: { id: 'this', startedAt: START },
  });
  const roles = createProcessRoles(onReceived === undefined ? ROLES : [...ROLES, 'webhooks'], factory);
  const services = [...roles.consumers, ...(roles.scheduler === null ? [] : [roles.scheduler])];
  for (const service of services) await service.start();
  await log.subscribe({
    group: 'test',
    topics: [WORKSPACE_EVENTS.name],
    onRecords: (_source, records) => {
      for (const { value } of records) {
        const decoded = codec.decodeNow(value);
        if (decoded?.ok === true) onEvent(decoded.message);
      }
    },
  });
  const scenario = new Scenario();
  const make = await readied(scenario, requests.request, factory.connections.save);
  if (onReceived !== undefined) await registerEndpoint(scenario, requests.request, ports.secretBox);
  const post: DueVariants['post'] = (text, when) => {
    scenario.now = clock.now();
    return make(text, when);
  };
  return {
    ...{ database, commits, clock, log, store, reporter, workspaceId: scenario.id, post },
    close: async () => {
      for (const service of services) await service.stop();
      await log.close();
      await store.close();
      await synced.close();
    },
  };
}

/** Makes the Workspace with its Channel; what it returns makes Posts. */
async function readied(
  scenario: Scenario,
  request: ReturnType<typeof createCommandRequests>['request'],
  save: ReturnType<typeof createRoleFactory>['connections']['save'],
): Promise<DueVariants['post']> {
  const owner = { memberId: scenario.uuid(), name: 'Ada', email: 'ada@example.test', emailVerified: true };
  const channelId = scenario.uuid();
  for (const draft of [
    { type: 'CreateWorkspace', name: 'W', plan: 'agency', owner },
    { type: 'AddCredits', credits: 1_000_000 },
    { type: 'ConnectChannel', channelId, network: 'x', name: 'x', avatarUrl: null, accountId: 'account', kind: '' },
  ] as const) {
    const command = scenario.ask(draft);
    scenario.tell(command);
    if (!isRequested(command)) throw new Error(`nobody waits for ${command.type}`);
    const { result } = await request(command);
    if (!result.ok) throw new Error(`${draft.type}: ${result.message}`);
  }
  const tokens = { accessToken: 'access', refreshToken: 'refresh', expiresAt: START + 1_000 * HOUR };
  const profile = { accountId: 'account', username: 'ada' };
  await save({ id: channelId, workspaceId: scenario.id, network: 'x' }, tokens, profile);
  return async (text, when) => {
    const scheduledAt = when === 'at once' ? null : scenario.now + UNTIL_DUE_MS;
    const command = scenario.creating({ text, scheduledAt, notAfter: scenario.now + MINUTE });
    const { result } = await request(command);
    if (!result.ok) throw new Error(`the Post: ${result.message}`);
    return command.postId;
  };
}

async function registerEndpoint(
  scenario: Scenario,
  request: ReturnType<typeof createCommandRequests>['request'],
  secretBox: SecretBox,
): Promise<void> {
  const [keyId, endpointId] = [scenario.uuid(), scenario.uuid()];
  const memberId = Object.keys(scenario.workspace.members)[0]!;
  const credential = { kind: 'key', keyId } as const;
  const url = 'https://hooks.test/';
  const sealedSecret = secretBox.seal('whsec_only-for-this-test', secretContext(endpointId));
  for (const asking of [
    { type: 'CreateKey', keyId, memberId, name: 'K', permissions: PERMISSIONS, tokenHash: 'a hash' },
    { type: 'RegisterEndpoint', credential, endpointId, url, sealedSecret, events: ['variant.published'] },
  ] as const) {
    const command = scenario.ask(asking);
    scenario.tell(command);
    if (!isRequested(command)) throw new Error(`nobody waits for ${command.type}`);
    const { result } = await request(command);
    if (!result.ok) throw new Error(`${asking.type}: ${result.message}`);
  }
}

/** An endpoint that answers each event with 204. */
function receiving(onReceived: (event: string) => void): PublicHttp {
  return {
    send: async ({ body }) => {
      onReceived(Buffer.from(body!).toString('utf8'));
      return { status: 204, headers: {}, body: nothing() };
    },
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function answeringNetwork(onCalled: (text: string) => void, onAnswered: (text: string) => void) {
  const network = canaryNetwork('x');
  const publish: typeof network.publish = async (content, handle) => {
    onCalled(content.text);
    for (let turn = 0; turn < TURNS_A_CALL; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    const answer = await network.publish(content, handle);
    onAnswered(content.text);
    return answer;
  };
  // As of a Post without files: there is nothing to prepare.
  const prepare: typeof network.prepare = async () => ({
    kind: 'ready',
    handle: null,
    summary: { status: 0, detail: '' },
  });
  return { ...network, prepare, publish };
}
