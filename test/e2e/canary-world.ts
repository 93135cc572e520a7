import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { createCommandRequests } from '#commands/request-command.ts';
import { createOperatorCommands, type OperatorCommand, type SendOperatorCommand } from '#commands/operator-command.ts';
import type { Codec, Message } from '#messages/messages.ts';
import { publishPartsOf } from '#config/values.ts';
import { digestOf } from '#domain/post/digest.ts';
import { idFloor } from '#domain/post/ids.ts';
import type { Result } from '#domain/workspace/results.ts';
import { createNetworks } from '#networks/registry.ts';
import { HttpFailure, type HttpClient } from '#ports/http-client.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Service } from '#runtime/service.ts';
import { Canary } from '#services/canary/canary.ts';
import { fillTables } from '#services/crier/migrate/migrate.ts';
import type { Ports } from '#services/crier/compose/ports.ts';
import { createRoleFactory, type RoleFactory } from '#services/crier/compose/roles.ts';
import { TABLES } from '#tables/declarations/tables.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { createRequestRows } from '#tables/repositories/requests.ts';
import { readCanary } from '#tables/repositories/canary.ts';
import { WrittenFormat } from '#tables/release.ts';
import { createDoorParts } from '#use-cases/door-parts.ts';
import { createPublishingHolds, type PublishingHolds } from '#use-cases/publishing-holds.ts';
import { NO_MEDIA } from '#testing/no-media.ts';

type Part = 'workspace' | 'scheduler' | 'publisher' | 'webhooks';

/** All that Posts pass through, over memory adapters and a clock that only moves when it is told to. */
export interface CanaryWorld {
  readonly clock: MemoryClock;
  readonly ports: Ports;
  readonly factory: RoleFactory;
  readonly holds: PublishingHolds;
  readonly reporter: MemoryReporter;
  /** Requests that left for a Network or an endpoint; each is refused, and none is expected. */
  readonly left: readonly string[];
  /** Another process that runs the canary, or would. */
  canary(): Promise<Canary>;
  /** One that takes a step only when it is told to; time passes until it has. */
  steps(everySeconds: number): () => Promise<void>;
  /** A tenant's Posts to facebook, which answers nobody. */
  postsOfTenant(count: number): Promise<void>;
  /** How many rows there are in each table. */
  rows(): Promise<Readonly<Record<string, number>>>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface CanaryWorldOptions {
  /** Parts of the way that are not there. */
  readonly without?: readonly Part[];
  /** Messages of this type get lost on their way into the log. */
  readonly losing?: Message['type'];
}

const SETTINGS = {
  earliestScheduleSeconds: 900,
  duplicateWindowSeconds: 600,
  missedWindowSeconds: 3600,
  uploadWindowSeconds: 900,
  unusedUploadDays: 7,
  filesKeptDays: 90,
  postsKeptDays: 400,
  publishNetworks: publishPartsOf(['all']),
};
const APP = { clientId: 'an app', clientSecret: 'its secret', hosts: {} };
const REAL = { api: 'https://real.example', authorize: 'https://real.example', site: 'https://real.example', ...APP };

export async function openCanaryWorld({ without = [], losing }: CanaryWorldOptions = {}): Promise<CanaryWorld> {
  const clock = createMemoryClock();
  const ids = createSeededIds(1);
  const reporter = createMemoryReporter();
  const left: string[] = [];
  const refuse = async ({ url }: { readonly url: string }): Promise<never> => {
    left.push(url);
    throw new HttpFailure(`${url} was requested`, false);
  };
  const http: HttpClient = { send: refuse };
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const ports: Ports = {
    log: lossy(createMemoryLog({ topics: TOPICS, clock }), codec, losing),
    store: createMemoryTableStore({ clock }),
    blobs: createMemoryBlobStore(),
    codec,
    writtenFormat: new WrittenFormat(),
    ...{ clock, ids, reporter, http, publicHttp: { send: refuse } },
    secretBox: createSecretBox({ secret: 'a secret that is only for this test' }),
  };
  await fillTables(ports);
  const requests = createCommandRequests(ports);
  const factory = createRoleFactory({
    ...{ ports, requests, settings: SETTINGS, soleProcess: null, media: NO_MEDIA, instance: 'the only process' },
    answer: (_replyTo, answer) => requests.receiveAnswer(answer),
    networks: createNetworks({ facebook: REAL, threads: REAL }),
  });
  const publishers = factory.publishers();
  const made: readonly (readonly [Part, readonly Service[]])[] = [
    ['workspace', [factory.workspace()]],
    ['scheduler', [factory.scheduler()]],
    ['publisher', [...publishers.ofNetworks, ...publishers.others]],
    ['webhooks', factory.webhooks().services],
  ];
  const services = made.flatMap(([part, all]) => (without.includes(part) ? [] : all));
  for (const service of services) await service.start();
  const canaries: Canary[] = [];
  const doorParts = createDoorParts({
    ...{ ...ports, requests: createRequestRows(ports.store), secret: 'a secret' },
    addressesPerMinute: 300,
  });
  const sendCommand = createOperatorCommands({ ...ports, request: requests.request, replyTo: '', door: 'app' });
  const make = (everySeconds: number): Canary => {
    const canary = new Canary({
      ...ports,
      everySeconds,
      brake: factory.brake,
      posts: { ...factory.ingressPorts, ...doorParts, videosOff: async () => null, replyTo: '' },
      sendCommand,
    });
    canaries.push(canary);
    return canary;
  };
  return {
    ...{ clock, ports, factory, reporter, left },
    holds: createPublishingHolds({ ...ports, brake: factory.brake }),
    canary: async () => {
      const canary = make(60);
      await canary.start();
      return canary;
    },
    steps: (everySeconds) => {
      const canary = make(everySeconds);
      return async () => {
        let isDone = false;
        const step = canary.step().finally(() => {
          isDone = true;
        });
        while (!isDone) await clock.advance(50);
        await step;
      };
    },
    postsOfTenant: (count) => postsOfTenant(count, { factory, clock, send: sendCommand }),
    rows: async () =>
      Object.fromEntries(
        await Promise.all(TABLES.map(async (table) => [table.name, await rowsOf(ports.store, table)] as const)),
      ),
    [Symbol.asyncDispose]: async () => {
      const stopping = Promise.all([...services, ...canaries].map((service) => service.stop()));
      await clock.advance(15_000);
      await stopping;
      await ports.log.close();
      await ports.store.close();
    },
  };
}

const TENANT = '01930000-0000-7000-8000-000000000001';
/** Of two accounts, since a Network that fails for one alone holds back that one alone. */
const TENANTS_CHANNELS = ['01930000-0000-7000-8000-000000000002', '01930000-0000-7000-8000-000000000003'] as const;

async function postsOfTenant(
  count: number,
  {
    factory,
    clock,
    send,
  }: { readonly factory: RoleFactory; readonly clock: MemoryClock; readonly send: SendOperatorCommand },
): Promise<void> {
  const tokens = { accessToken: 'a token', refreshToken: null, expiresAt: clock.now() + 30 * 86_400_000 };
  const channels = TENANTS_CHANNELS.map(
    (channelId) => ({ channelId, network: 'facebook', accountId: `page ${channelId}`, kind: '' }) as const,
  );
  for (const { channelId: id, network, accountId } of channels)
    await factory.connections.save({ id, workspaceId: TENANT, network }, tokens, { accountId, username: 'acme' });
  const owner = { memberId: TENANTS_CHANNELS[0], name: 'Ada', email: 'ada@example.com', emailVerified: true };
  const orders: OperatorCommand[] = [
    { type: 'CreateWorkspace', name: 'Acme', plan: 'agency', owner },
    ...channels.map((channel): OperatorCommand => ({
      type: 'ConnectChannel',
      ...channel,
      name: 'Acme',
      avatarUrl: null,
    })),
    ...Array.from({ length: count }, (_, index): OperatorCommand => {
      const content = {
        text: `Post ${index}`,
        channelIds: [TENANTS_CHANNELS[index % 2]!],
        scheduledAt: null,
        media: [],
      };
      const body = { ...content, channelOptions: {} };
      const postId = `${idFloor(clock.now())}-7000-8000-${String(index).padStart(10, '0')}00`;
      return { type: 'CreatePost', postId, ...body, digest: digestOf(body), idempotencyKey: null, dryRun: false };
    }),
  ];
  for (const order of orders) {
    let result: Awaited<ReturnType<SendOperatorCommand>> | null = null;
    void send(TENANT, order).then((answer) => {
      result = answer;
    });
    while (result === null) await clock.advance(10);
    if (!(result as Result).ok) throw new Error(JSON.stringify(result));
  }
}

function lossy(log: Ports['log'], codec: Codec, losing: Message['type'] | undefined): Ports['log'] {
  const append: Ports['log']['append'] = async (topic, records, options) => {
    const isLost = await Promise.all(
      records.map(async ({ value }) => {
        const decoded = await codec.decode(value);
        return 'message' in decoded && decoded.message.type === losing;
      }),
    );
    return log.append(
      topic,
      records.filter((_, index) => !isLost[index]),
      options,
    );
  };
  return new Proxy(log, {
    get: (target, name) => {
      if (name === 'append' && losing !== undefined) return append;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

async function rowsOf(store: TableStore, table: (typeof TABLES)[number]): Promise<number> {
  let count = 0;
  for (let after: string | null = null; ;) {
    const { keys, next } = await store.partitions(table, { after, limit: 1_000 });
    for (const key of keys) count += (await store.slice(table, key, { limit: 5_000 })).length;
    if (next === null) return count;
    after = next;
  }
}

/** The record as the store has it. */
export async function recordOf({ ports }: CanaryWorld) {
  return (await readCanary(ports.store)).record!;
}

/** Facts of events of the canary, in words. */
export function toldOf({ reporter }: CanaryWorld, event: 'canary-failed' | 'canary-stage-reached'): readonly string[] {
  return reporter.of(event).map(({ facts }) => String(facts['stage']));
}
