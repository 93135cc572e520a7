import { publishPartsOf } from '#config/values.ts';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { createSystemClock, type SystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { Channel } from '#domain/channel/channel.ts';
import { perNetwork, type Network } from '#domain/network.ts';
import { newPostId } from '#domain/post/workspace-hash.ts';
import { digestOf } from '#domain/post/digest.ts';
import type { Post } from '#domain/post/post.ts';
import type { RequestedCommand, CreatePost } from '#domain/workspace/commands.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import { createCommandRequests } from '#commands/request-command.ts';
import { connectSandboxAccount } from '#connections/connect.ts';
import { changeBudgets } from '#networks/contract/budgets.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { Service } from '#runtime/service.ts';
import { fillTables } from '#services/crier/migrate/migrate.ts';
import type { Ports } from '#services/crier/compose/ports.ts';
import { createRoleFactory, type RoleFactory } from '#services/crier/compose/roles.ts';
import { NO_MEDIA } from '#testing/no-media.ts';
import { textOf } from '#services/sandbox/exchange.ts';
import { createSandbox, type Sandbox } from '#services/sandbox/sandbox.ts';
import { sandboxHttp } from '#services/sandbox/sandbox-http.fixture.ts';
import { createMemoryStore } from '#services/sandbox/store/memory-store.ts';
import type { Scheduler } from '#services/scheduler/service.ts';
import { WrittenFormat } from '#tables/release.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { unanswered } from '#testing/unanswered.ts';

const REDIRECT = 'https://crier.test/callback';
const SANDBOX_URL = 'http://sandbox.test';

export type AskedDraft = RequestedCommand extends infer C
  ? C extends RequestedCommand
    ? Omit<C, 'requestId' | 'issuedAt' | 'notAfter' | 'replyTo' | 'credential'>
    : never
  : never;

type ToReconnect = Pick<Channel, 'id' | 'network' | 'accountId'>;

/** All of Crier in one process over the memory adapters, driven without HTTP. */
export interface MemoryWorld {
  readonly factory: RoleFactory;
  readonly ports: Ports;
  readonly clock: SystemClock;
  readonly reporter: MemoryReporter;
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  ask(draft: AskedDraft): Promise<CommandAnswer>;
  /** A Workspace with a connected Channel on each Network. */
  workspace(
    name: string,
  ): Promise<{ readonly workspaceId: string; readonly channels: Readonly<Record<string, string>> }>;
  /** Connects a Channel again, with its own account. */
  reconnect(workspaceId: string, channel: ToReconnect): Promise<void>;
  post(
    workspaceId: string,
    channelIds: readonly string[],
    text: string,
    scheduledAt: number | null,
  ): Promise<CommandAnswer>;
  read(workspaceId: string, postId: string): Promise<Post | null>;
  /** The items that are really live. */
  items(): Promise<readonly { network: string; text: string; permalink: string; accountId: string }[]>;
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface MemoryWorldOptions {
  /** The Networks on which each Workspace has a Channel. Default: x and threads. */
  readonly connected?: readonly Network[];
  /** The files of every Variant, whatever its Post says; limits then accept everything. */
  readonly files?: readonly Rendition[];
  /** As CRIER_NETWORK_BUDGETS. */
  readonly budgets?: string;
  readonly missedWindowSeconds?: number;
  /** What is called before and after each call of the table store. */
  readonly hooks?: TableHooks;
}

export async function openMemoryWorld({
  connected = ['x', 'threads'],
  files,
  budgets = '',
  missedWindowSeconds = 3600,
  hooks,
}: MemoryWorldOptions = {}): Promise<MemoryWorld> {
  const clock = createSystemClock();
  const ids = createSystemIds();
  const reporter = createMemoryReporter();
  const sandbox = createSandbox({
    clock,
    ids,
    store: createMemoryStore(),
    baseUrl: () => SANDBOX_URL,
    redirectUris: () => [REDIRECT],
  });
  const http = sandboxHttp(sandbox);
  const real = createNetworks(sandboxEndpoints(SANDBOX_URL), { waitFactor: 0.01 });
  const there = { ...real, budgets: changeBudgets(real.budgets, budgets) };
  const networks =
    files === undefined ? there : { ...there, limits: perNetwork((network) => ({ network, judge: () => [] })) };
  const ports: Ports = {
    log: createMemoryLog({ topics: TOPICS, clock }),
    store: createMemoryTableStore({ clock, ...(hooks && { hooks }) }),
    blobs: createMemoryBlobStore(),
    codec: createCodec({ registry: createBuiltInRegistry() }),
    writtenFormat: new WrittenFormat(),
    clock,
    ids,
    reporter,
    http,
    publicHttp: unanswered,
    secretBox: createSecretBox({ secret: 'a secret that is only for this test' }),
  };
  await fillTables(ports);
  const settings = {
    earliestScheduleSeconds: 900,
    duplicateWindowSeconds: 600,
    missedWindowSeconds,
    uploadWindowSeconds: 900,
    unusedUploadDays: 7,
    filesKeptDays: 90,
    postsKeptDays: 400,
    publishNetworks: publishPartsOf(['all']),
  };
  const requests = createCommandRequests(ports);
  const factory = createRoleFactory({
    ports,
    requests,
    answer: (_replyTo, answer) => requests.receiveAnswer(answer),
    networks,
    soleProcess: null,
    media: NO_MEDIA,
    settings,
    instance: 'the only process',
    renditions: files === undefined ? undefined : { filesOf: async () => ({ kind: 'ready', files }) },
  });
  const scheduler = factory.scheduler();
  const publishers = factory.publishers();
  const services: Service[] = [factory.workspace(), scheduler, ...publishers.ofNetworks, ...publishers.others];
  for (const service of services) await service.start();

  const ask = (draft: AskedDraft): Promise<CommandAnswer> => {
    const issuedAt = clock.now();
    return requests.request({
      ...draft,
      requestId: ids.uuid7(issuedAt),
      issuedAt,
      notAfter: issuedAt + 60_000,
      replyTo: '',
      credential: null,
    } as RequestedCommand);
  };
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await sandbox.handle({
      method,
      url: path,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    });
    if ('cut' in answer || answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return JSON.parse(textOf(answer) || 'null');
  };
  const connect = async (workspaceId: string, network: Network, before?: ToReconnect): Promise<string> => {
    const channelId = before?.id ?? ids.uuid7(clock.now());
    const connected = await connectSandboxAccount({
      http,
      clock,
      ids,
      auth: networks.auths[network]!,
      redirectUri: REDIRECT,
      name: `${network} of ${workspaceId}`,
      ...(before !== undefined && { accountId: before.accountId }),
    });
    if (!connected.ok) throw new Error(connected.detail);
    await factory.connections.save({ id: channelId, workspaceId, network }, connected.tokens, connected.profile);
    const { accountId, name, avatarUrl, kind } = connected.profile;
    const answer = await ask({
      type: 'ConnectChannel',
      workspaceId,
      channelId,
      network,
      name,
      avatarUrl,
      accountId,
      kind,
    });
    if (!answer.result.ok) throw new Error(answer.result.message);
    return channelId;
  };
  return {
    factory,
    ports,
    clock,
    reporter,
    sandbox,
    scheduler,
    ask,
    control,
    workspace: async (name) => {
      const workspaceId = ids.uuid7(clock.now());
      const owner = { memberId: ids.uuid7(clock.now()), name: 'Ada', email: 'ada@example.com', emailVerified: true };
      await ask({ type: 'CreateWorkspace', workspaceId, name, plan: 'agency', owner });
      await ask({ type: 'AddCredits', workspaceId, credits: 1000 });
      const channels = Object.fromEntries(
        await Promise.all(connected.map(async (network) => [network, await connect(workspaceId, network)])),
      );
      return { workspaceId, channels };
    },
    reconnect: async (workspaceId, channel) => void (await connect(workspaceId, channel.network, channel)),
    post: (workspaceId, channelIds, text, scheduledAt) => {
      const body: Pick<CreatePost, 'text' | 'channelIds' | 'scheduledAt' | 'media' | 'channelOptions'> = {
        text,
        channelIds,
        scheduledAt,
        media: [],
        channelOptions: {},
      };
      return ask({
        type: 'CreatePost',
        workspaceId,
        postId: newPostId(ids.uuid7(clock.now()), workspaceId),
        ...body,
        digest: digestOf(body),
        idempotencyKey: null,
        dryRun: false,
      });
    },
    read: (workspaceId, postId) => factory.ingressPorts.posts.read(workspaceId, postId),
    items: async () =>
      (
        (await control('GET', '/sandbox/items')) as {
          items: { network: string; text: string; permalink: string; accountId: string }[];
        }
      ).items,
    [Symbol.asyncDispose]: async () => {
      for (const service of services.toReversed()) await service.stop();
      await ports.log.close();
      await ports.store.close();
    },
  };
}
