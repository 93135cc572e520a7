import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { Network } from '#domain/network.ts';
import { instantOf } from '#domain/post/ids.ts';
import type { VariantMetrics } from '#domain/variant/metrics.ts';
import type { DisabledSince } from '#domain/webhook/render.ts';
import type { Effect } from '#domain/workspace/effects.ts';
import { PERMISSIONS, type KeyLimits, type Permission } from '#domain/workspace/state.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Clock } from '#ports/clock.ts';
import { HttpFailure } from '#ports/http-client.ts';
import { UnsafeAddress, type PublicHttp } from '#ports/public-http.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { ListeningService } from '#runtime/listening.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { approvalRow, findApproval } from '#tables/repositories/approvals.ts';
import { credentialRow, findCredential } from '#tables/repositories/credentials.ts';
import { createMediaAddresses } from '#media/media-addresses.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { createRequestRows } from '#tables/repositories/requests.ts';
import { APPROVALS, CREDENTIALS } from '#tables/declarations/tables.ts';
import type { AppToken } from '#tables/repositories/oauth-records.ts';
import { createUploadRows, type UploadRows } from '#tables/repositories/uploads.ts';
import { aWorkspace, type Scenario } from '#testing/scenario.ts';
import { tokenHashOf } from './authenticate.ts';
import { makeApiKey } from '#use-cases/api-key.ts';
import type { AttemptStep, JudgeFile } from '#use-cases/dependencies.ts';
import { createDoorParts } from '#use-cases/door-parts.ts';
import { createIngressService, type IngressOptions } from './service.ts';

export const START = Date.UTC(2026, 10, 20, 12);

type Readers = Pick<
  IngressOptions,
  | 'request'
  | 'posts'
  | 'workspaces'
  | 'metrics'
  | 'mediaUrl'
  | 'inspectAddress'
  | 'accountChoices'
  | 'ledger'
  | 'webhooks'
  | 'findCredential'
  | 'findAppAccess'
  | 'requests'
  | 'blobs'
  | 'uploads'
  | 'assets'
  | 'findAssetOwner'
>;

interface SomeApp {
  /** What its token is for. */
  readonly resource: string;
  readonly permissions?: readonly Permission[];
  /** What the token was asked for, when it is less than was approved. */
  readonly asked?: readonly Permission[];
  readonly clientId?: string;
  readonly memberId?: string;
  /** Of an approval that there is: another token of it. */
  readonly approvalId?: string;
}

/** Workspaces whose commands are decided by the real rules at once, and the readers that ingress needs over them. */
export class IngressWorld {
  readonly store: TableStore;
  readonly blobs: BlobStore = createMemoryBlobStore();
  readonly disabled = new Map<string, DisabledSince>();
  readonly uploads: UploadRows;
  readonly clock: Clock;
  readonly ids = createSeededIds(7);
  /** Apps' tokens by their digests. */
  readonly tokens = new Map<string, AppToken>();
  readonly steps = new Map<string, AttemptStep[]>();
  readonly metrics = new Map<string, ReadonlyMap<string, VariantMetrics>>();
  /** The number of commands that ingress sent. */
  commands = 0;
  readonly #scenarios = new Map<string, Scenario>();
  #turn = 0;

  constructor(clock: Clock, store: TableStore = createMemoryTableStore()) {
    this.clock = clock;
    this.store = store;
    this.uploads = createUploadRows(store, () => this.ids.token());
  }

  workspace(about: Parameters<typeof aWorkspace>[0] = {}): Scenario {
    const scenario = aWorkspace(about);
    // Ids of a scenario are counted from its start, the same in each: a Workspace needs one of its own.
    const id = this.ids.uuid7(this.clock.now());
    Object.assign(scenario, { id, state: { ...scenario.workspace, id } });
    this.#scenarios.set(id, scenario);
    return scenario;
  }

  channel(scenario: Scenario, network: Network, channelId = this.ids.uuid7(this.clock.now())): string {
    scenario.must({
      type: 'ConnectChannel',
      channelId,
      network,
      name: `My ${network}`,
      avatarUrl: null,
      accountId: channelId,
      kind: '',
    });
    return channelId;
  }

  /** A key of the owner's, unless it is another Member's. */
  async key(
    scenario: Scenario,
    permissions: readonly Permission[] = ['posts:publish'],
    memberId = Object.keys(scenario.workspace.members)[0]!,
    limits?: KeyLimits,
  ): Promise<{ readonly keyId: string; readonly apiKey: string }> {
    const apiKey = makeApiKey(this.ids);
    const keyId = this.ids.uuid7(this.clock.now());
    await this.#credentials(
      scenario,
      scenario.tell({
        type: 'CreateKey',
        ...{ keyId, memberId, name: 'a key', permissions, tokenHash: tokenHashOf(apiKey) },
        ...(limits !== undefined && { limits }),
      }),
    );
    return { keyId, apiKey };
  }

  /** An app that the owner approved, unless it is another Member, and a token of it that is good for 15 minutes. */
  async app(
    scenario: Scenario,
    {
      resource,
      permissions = PERMISSIONS,
      asked = permissions,
      clientId = 'https://app.test/client',
      ...about
    }: SomeApp,
  ): Promise<{ readonly approvalId: string; readonly token: string }> {
    const { approvalId = this.ids.uuid7(this.clock.now()), memberId = Object.keys(scenario.workspace.members)[0]! } =
      about;
    if (scenario.workspace.approvals[approvalId] === undefined) {
      const approving = scenario.tell({
        type: 'ApproveApp',
        approvalId,
        clientId,
        name: 'An assistant',
        registered: 'document',
        redirectHost: 'app.test',
        memberId,
        permissions,
        forget: [],
      });
      if (approving.result?.ok !== true) throw new Error(`refused: ${JSON.stringify(approving.result)}`);
      await this.#credentials(scenario, approving);
    }
    const token = `token${this.ids.token()}`;
    const expiresAt = this.clock.now() + 900_000;
    this.tokens.set(tokenHashOf(token), { approvalId, resource, permissions: asked, expiresAt });
    return { approvalId, token };
  }

  async revokeApproval(scenario: Scenario, approvalId: string): Promise<void> {
    await this.#credentials(scenario, scenario.tell({ type: 'RevokeApproval', approvalId }));
  }

  /** The deliveries that commands caused. */
  get handed(): readonly Extract<Effect, { kind: 'deliver' }>['command'][] {
    return [...this.#scenarios.values()].flatMap(({ effects }) =>
      effects.flatMap((effect) => (effect.kind === 'deliver' ? [effect.command] : [])),
    );
  }

  async revoke(scenario: Scenario, keyId: string): Promise<void> {
    await this.#credentials(scenario, scenario.tell({ type: 'RevokeKey', keyId }));
  }

  async removeMember(scenario: Scenario, memberId: string): Promise<void> {
    await this.#credentials(scenario, scenario.tell({ type: 'RemoveMember', memberId }));
  }

  async #credentials(scenario: Scenario, { effects }: ReturnType<Scenario['tell']>): Promise<void> {
    for (const effect of effects) {
      if (effect.kind !== 'credential' && effect.kind !== 'approval') continue;
      const isKey = effect.kind === 'credential';
      const { value, ...row } = isKey ? credentialRow(scenario.id, effect) : approvalRow(scenario.id, effect);
      await this.store.upsert(isKey ? CREDENTIALS : APPROVALS, [
        { ...row, body: encodeBody(value), format: BODY_FORMAT, timestamp: ++this.#turn },
      ]);
    }
  }

  readers(): Readers {
    const deliveries = createDeliveryRows(this.store);
    return {
      blobs: this.blobs,
      uploads: this.uploads,
      assets: async (workspaceId, assetId) => this.#scenarios.get(workspaceId)?.assets.get(assetId) ?? null,
      findAssetOwner: async (assetId) =>
        [...this.#scenarios].find(([, scenario]) => scenario.assets.has(assetId))?.[0] ?? null,
      webhooks: {
        endpoints: async (workspaceId) => this.#scenarios.get(workspaceId)?.workspace.endpoints ?? {},
        latest: (endpoint, limit) => deliveries.latest(endpoint.id, endpoint.createdAt, this.clock.now(), limit),
        find: (deliveryId) => deliveries.find(deliveryId),
        disabledSince: async (endpointId) => this.disabled.get(endpointId) ?? null,
      },
      request: async (command) => {
        this.commands += 1;
        const scenario = this.#scenarios.get(command.workspaceId)!;
        scenario.now = this.clock.now();
        return { requestId: command.requestId, result: scenario.tell(command).result! };
      },
      posts: {
        read: async (workspaceId, postId) => this.#scenarios.get(workspaceId)?.posts.get(postId) ?? null,
        list: async (workspaceId, { from, to, limit, before }) => {
          const within = (instant: number | null) =>
            instant !== null && instant >= (from ?? 0) && instant < (to ?? Infinity);
          const posts = [...(this.#scenarios.get(workspaceId)?.posts.values() ?? [])]
            .filter((post) => within(instantOf(post.id)) || within(post.scheduledAt))
            .filter((post) => before === null || post.id < before)
            .sort((a, b) => (a.id < b.id ? 1 : -1));
          return { posts: posts.slice(0, limit), more: posts.length > limit };
        },
      },
      workspaces: {
        channels: async (workspaceId) => this.#scenarios.get(workspaceId)?.workspace.channels ?? {},
        state: async (workspaceId) => this.#scenarios.get(workspaceId)?.state ?? null,
      },
      metrics: async (postId) => this.metrics.get(postId) ?? new Map(),
      mediaUrl: ({ blob }) => `https://media.test/${blob}`,
      inspectAddress: async (url) =>
        url.endsWith('.jpg')
          ? { contentType: 'image/jpeg', bytes: 1_000, problem: null }
          : { contentType: null, bytes: null, problem: 'It answered 404.' },
      accountChoices: async () => ({ kind: 'ok', choices: {} }),
      ledger: { attempts: async (variantId) => this.steps.get(variantId) ?? [] },
      findCredential: (tokenHash) => findCredential(this.store, tokenHash),
      findAppAccess: async (tokenHash) => {
        const token = this.tokens.get(tokenHash);
        const approval = token === undefined ? null : await findApproval(this.store, token.approvalId);
        return token === undefined || approval === null ? null : { ...token, approval };
      },
      requests: createRequestRows(this.store),
    };
  }
}

export interface HarnessAnswer {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers of many shapes.
  readonly body: any;
}

export interface IngressHarness extends AsyncDisposable {
  readonly service: ListeningService;
  readonly reporter: MemoryReporter;
  readonly url: string;
  call(
    method: string,
    path: string,
    about?: { readonly key?: string; readonly body?: unknown; readonly headers?: Record<string, string> },
  ): Promise<HarnessAnswer>;
}

const ended = async () => ({ kind: 'problem', message: 'This sign-in is over.', passing: false }) as const;
const NO_SIGN_INS: IngressOptions['signIns'] = {
  ...{ look: ended, start: ended, finish: ended, choose: ended },
  begunIn: async () => null,
};

const NO_PERSON_REQUESTS: IngressOptions['personRequests'] = {
  isServed: () => false,
  read: () => null,
  deauthorize: async () => {},
  deleteData: async () => '',
  deletionStatus: async () => null,
};

const everyFileIsAPng: JudgeFile = async (_, { blob, bytes, sha256 }) => ({
  kind: 'facts',
  blob,
  facts: { kind: 'image', contentType: 'image/png', bytes, sha256, width: 4, height: 3, durationMs: null },
});
/**
 * Host names decide the answer: `private.test` is refused, `down.test` does not answer, `s302.test` answers 302; all
 * others answer 204.
 */
const smallInternet: PublicHttp = {
  send: async ({ url }) => {
    const { host, protocol } = new URL(url);
    if (host === 'private.test' || protocol !== 'https:')
      throw new UnsafeAddress('This address is not on the public internet.');
    if (host === 'down.test') throw new HttpFailure('down.test did not answer', false);
    const status = Number(/^s(\d{3})\./.exec(host)?.[1] ?? 204);
    return { status, headers: {}, body: (async function* () {})() };
  },
};

export interface IngressHarnessOptions extends Partial<IngressOptions> {
  /** As of `createDoorParts`; 0: no limit. */
  readonly addressesPerMinute?: number;
  readonly strangersPerMinute?: number;
  readonly secret?: string;
}

/** A running ingress over `world`. Objects are sent as JSON; strings and bytes as they are. */
export async function openIngressHarness(
  world: IngressWorld,
  {
    addressesPerMinute = 0,
    strangersPerMinute = 0,
    secret = 'a secret of the installation',
    ...options
  }: IngressHarnessOptions = {},
): Promise<IngressHarness> {
  const reporter = createMemoryReporter();
  const service: ListeningService = createIngressService({
    ...world.readers(),
    clock: world.clock,
    ids: world.ids,
    reporter,
    signIns: NO_SIGN_INS,
    personRequests: NO_PERSON_REQUESTS,
    judge: everyFileIsAPng,
    videosOff: async () => null,
    mediaAddresses: createMediaAddresses({
      baseUrl: () => service.address().url,
      secret: 'a secret of the installation',
    }),
    uploadsAtOnce: 10,
    mediaReadersAtOnce: 10,
    publicHttp: smallInternet,
    secretBox: createSecretBox({ secret: 'a master secret for tests only, long enough' }),
    doorParts: createDoorParts({
      ...{ clock: world.clock, ids: world.ids, requests: world.readers().requests, addressesPerMinute },
      strangersPerMinute,
      secret,
    }),
    replyTo: 'http://127.0.0.1:0',
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    tls: null,
    trustedProxies: [],
    doors: [],
    allowedOrigins: [],
    noteUse: () => {},
    requestsPerMinute: 0,
    ...options,
  });
  await service.start();
  const { url } = service.address();
  return {
    service,
    reporter,
    url,
    call: async (method, path, { key, body, headers = {} } = {}) => {
      const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
      const sent: Record<string, string> = {
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      };
      const response = await fetch(url + path, {
        method,
        headers: sent,
        ...(body !== undefined && { body: raw ? (body as string) : JSON.stringify(body) }),
      });
      const text = await response.text();
      const json = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
      return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
    },
    [Symbol.asyncDispose]: () => service.stop(),
  };
}

/** A world with one Workspace that has two Channels and a key, and a running ingress over it. */
export async function openIngressWorld(
  options: IngressHarnessOptions = {},
  permissions: readonly Permission[] = ['posts:publish'],
) {
  const clock: MemoryClock = createMemoryClock(START);
  const world = new IngressWorld(clock);
  const scenario = world.workspace();
  const channels = [world.channel(scenario, 'x'), world.channel(scenario, 'threads')] as const;
  const { apiKey: key, keyId } = await world.key(scenario, permissions);
  const harness = await openIngressHarness(world, options);
  return {
    clock,
    world,
    scenario,
    channels,
    key,
    keyId,
    harness,
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}
