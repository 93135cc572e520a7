import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { Pools } from '#concurrency/pools.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Codec, Message } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { deliveryIdOf } from '#domain/webhook/delivery.ts';
import { listeners, secretContext, type Endpoint } from '#domain/webhook/endpoint.ts';
import { HttpFailure } from '#ports/http-client.ts';
import type { Log } from '#ports/log.ts';
import type { PublicAnswer, PublicHttp, PublicRequest } from '#ports/public-http.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { Atom, TableStore } from '#ports/table-store.ts';
import { SchedulerService } from '#services/scheduler/service.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { createDeliveryRows, type StoredDelivery } from '#tables/repositories/deliveries.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import {
  createFailingEndpoints,
  type FailingEndpoint,
  type FailingEndpoints,
} from '#tables/repositories/failing-endpoints.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { WORKSPACE_VIEWS } from '#tables/declarations/tables.ts';
import { SHARDS, TOPICS, WEBHOOK_DELIVERIES, WORKSPACE_EVENTS } from '#tables/declarations/topics.ts';
import { ENDPOINTS_VIEW } from '#tables/repositories/workspaces.ts';
import { createWebhooksServices, type WebhooksServices } from './service.ts';
import type { FairQueueLimits } from './fair-queue.ts';

export const WORKSPACE = '01a20000-0000-7000-8000-000000000001';
export const SECRET = 'whsec_only-for-this-test';

/** Called before and after everything a worker does to the world: it may wait for ever, as a worker that died does. */
export type WebhookInterruption = (step: string) => Promise<void>;
/** What a receiver does with its n-th request, from 1. */
export type Receiver = (request: PublicRequest, count: number) => Promise<PublicAnswer> | PublicAnswer;

export interface ReceivedEvent {
  readonly endpoint: string;
  readonly eventId: string;
  readonly at: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Worker {
  readonly webhooks: WebhooksServices;
  /** Nothing more of it reaches the world. */
  crash(): void;
}

/** The webhooks service, and a scheduler that fires its timers, over memory and a clock that stands still. */
export interface WebhooksHarness {
  readonly clock: MemoryClock;
  readonly log: MemoryLog;
  readonly store: TableStore;
  readonly reporter: MemoryReporter;
  readonly failing: FailingEndpoints;
  /** Endpoints whose owners were told that they are disabled. */
  readonly told: readonly FailingEndpoint[];
  /** Requests that reached a receiver, in order. */
  readonly arrived: readonly ReceivedEvent[];
  worker(about?: { interrupt?: WebhookInterruption; limits?: FairQueueLimits }): Promise<Worker>;
  /** Registers an endpoint whose receiver answers so; its id. */
  endpoint(receiver: Receiver, about?: Partial<Endpoint>): Promise<string>;
  change(endpointId: string, change: Partial<Endpoint> | null): Promise<void>;
  /**
   * Appends a Variant's outcome for the endpoints that listen now; answers its event's id, which follows from `number`.
   */
  event(number: number, type?: 'VariantPublished' | 'VariantFailed', text?: string): Promise<string>;
  /** Appended in one go. */
  send(...messages: readonly (Message & { readonly endpointId: string })[]): Promise<void>;
  delivery(eventId: string, endpointId: string): Promise<StoredDelivery | null>;
  /** Lets time pass, and all that it caused come to rest. */
  pass(ms: number): Promise<void>;
  /** Jumps to where time is `ms` later: what became due meanwhile fires at the end, late. */
  jump(ms: number): Promise<void>;
}

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Receiver =>
  () => ({ status, headers, body: bodyOf(body) });
export const hanging =
  (clock: MemoryClock): Receiver =>
  async ({ timeoutMs }) => {
    await clock.sleep(timeoutMs);
    throw new HttpFailure(`hooks.test did not answer within ${timeoutMs / 1000} s`, true);
  };

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}

const STEP_MS = 500;
const TURNS_TO_REST = 25;

/** `atom`: of the workers' stores. */
export async function openWebhooksHarness(atom: Atom = 'partition'): Promise<WebhooksHarness> {
  const clock = createMemoryClock();
  const log = createMemoryLog({ topics: TOPICS, clock });
  const tables = new MemoryTables();
  const store = createMemoryTableStore({ clock, tables });
  const reporter = createMemoryReporter();
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const secretBox = createSecretBox({ secret: 'a master secret for tests only, long enough' });
  const ids = createSeededIds(1);
  const shards = createShards(store);
  for (let shard = 0; shard < SHARDS; shard++) await shards.found(shard, minuteOf(clock.now()), `made ${shard}`);
  const scheduler = new SchedulerService({
    log: log.client('scheduler'),
    codec,
    clock,
    ids,
    reporter,
    due: createDueTimers(store),
    shards,
  });
  await scheduler.start();

  const rest = async (): Promise<void> => {
    for (let turn = 0; turn < TURNS_TO_REST; turn++) await clock.advance(0);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; ; left -= STEP_MS) {
      await clock.advance(Math.max(0, Math.min(left, STEP_MS)));
      await rest();
      if (left <= STEP_MS) return;
    }
  };
  const endpoints: Record<string, Endpoint> = {};
  const receivers = new Map<string, { readonly endpointId: string; readonly answer: Receiver; count: number }>();
  const arrived: ReceivedEvent[] = [];
  const receive: PublicHttp['send'] = async (request) => {
    const receiver = receivers.get(request.url)!;
    const headers = request.headers!;
    arrived.push({
      endpoint: receiver.endpointId,
      eventId: headers['Service-Event-Id']!,
      at: clock.now(),
      body: Buffer.from(request.body!).toString('utf8'),
      headers,
    });
    return receiver.answer(request, ++receiver.count);
  };
  let turn = 1;
  const show = (): Promise<void> =>
    store.upsert(WORKSPACE_VIEWS, [
      {
        partition: [WORKSPACE],
        clustering: ENDPOINTS_VIEW,
        body: encodeBody(endpoints),
        format: BODY_FORMAT,
        timestamp: turn++,
      },
    ]);

  let workers = 0;
  const told: FailingEndpoint[] = [];
  const tellDisabled = (about: FailingEndpoint): void => void told.push(about);
  const shared: Shared = { atom, clock, log, tables, reporter, codec, secretBox, receive, rest, tellDisabled };
  return {
    clock,
    log,
    store,
    reporter,
    arrived,
    pass,
    worker: (about = {}) => startWorker(shared, ++workers, about),
    failing: createFailingEndpoints(store, () => ids.token()),
    told,
    endpoint: async (answer, about = {}) => {
      const id = ids.uuid7(clock.now());
      const url = `https://${id.slice(-6)}.test/in`;
      const secrets = [{ sealed: secretBox.seal(SECRET, secretContext(id)), until: null }];
      endpoints[id] = {
        id,
        url,
        events: ['variant.published', 'variant.failed'],
        keyId: 'k',
        memberId: 'm',
        createdAt: clock.now(),
        secrets,
        stoppedAt: null,
        ...about,
      };
      receivers.set(endpoints[id].url, { endpointId: id, answer, count: 0 });
      await show();
      return id;
    },
    change: async (endpointId, change) => {
      if (change === null) delete endpoints[endpointId];
      else endpoints[endpointId] = { ...endpoints[endpointId]!, ...change };
      await show();
    },
    event: async (number, type = 'VariantPublished', text = 'Grüße 世界') => {
      const eventId = `01a20000-0000-8000-8000-${String(number).padStart(12, '0')}`;
      const endpointIds = listeners(endpoints, type === 'VariantPublished' ? 'variant.published' : 'variant.failed');
      const about = {
        workspaceId: WORKSPACE,
        eventId,
        postId: eventId,
        variantId: eventId,
        createdAt: clock.now(),
        endpointIds,
      };
      await log.append(WORKSPACE_EVENTS.name, [
        {
          key: WORKSPACE,
          value: codec.encode({ type, ...about, body: JSON.stringify({ id: eventId, text }) }),
        },
      ]);
      await rest();
      return eventId;
    },
    send: async (...messages) => {
      const records = messages.map((message) => ({ key: message.endpointId, value: codec.encode(message) }));
      await log.append(WEBHOOK_DELIVERIES.name, records);
      await rest();
    },
    delivery: (eventId, endpointId) => createDeliveryRows(store).find(deliveryIdOf(eventId, endpointId)),
    jump: async (ms) => {
      clock.moveWall(ms);
      await pass(1_000);
    },
  };
}

interface Shared {
  readonly atom: Atom;
  readonly clock: MemoryClock;
  readonly log: MemoryLog;
  readonly tables: MemoryTables;
  readonly reporter: MemoryReporter;
  readonly codec: Codec;
  readonly secretBox: SecretBox;
  readonly receive: PublicHttp['send'];
  readonly rest: () => Promise<void>;
  readonly tellDisabled: (about: FailingEndpoint) => void;
}

async function startWorker(
  { atom, log, tables, receive, rest, ...shared }: Shared,
  number: number,
  { interrupt = async () => {}, limits }: { interrupt?: WebhookInterruption; limits?: FairQueueLimits },
): Promise<Worker> {
  const name = `worker ${number}`;
  let dead = false;
  const step = async (what: string): Promise<void> => {
    if (dead) await new Promise(() => {});
    await interrupt(what);
    if (dead) await new Promise(() => {});
  };
  const around = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    await step(`before ${what}`);
    try {
      return await work();
    } finally {
      await step(`after ${what}`);
    }
  };
  const inserts: Promise<void>[] = [];
  const made = createMemoryTableStore({
    atom,
    clock: shared.clock,
    tables,
    hooks: {
      before: ({ name: call, table }) => step(`before ${call} ${table.name}`),
      after: ({ name: call, table }) => step(`after ${call} ${table.name}`),
    },
  });
  const insert = made.insert.bind(made);
  const store = Object.assign(made, {
    insert: (...of: Parameters<TableStore['insert']>) => {
      const inserted = insert(...of);
      inserts.push(inserted);
      return inserted;
    },
  });
  const client = log.client(name);
  const ownLog: Log = {
    append: (topic, records) => {
      const before = [...inserts];
      return around(`append ${topic}`, async () => {
        // What is appended stands on what was inserted before, where log and store are one.
        if (atom === 'store_and_log') await Promise.all(before);
        return client.append(topic, records);
      });
    },
    subscribe: (subscriber) => client.subscribe(subscriber),
    progress: (readings) => client.progress(readings),
    partitions: (topic) => client.partitions(topic),
    check: () => client.check(),
    close: () => client.close(),
  };
  const publicHttp: PublicHttp = { send: (request) => around('send', () => receive(request)) };
  const options = {
    ...shared,
    log: ownLog,
    store,
    ids: createSeededIds(100 + number),
    due: createDueTimers(store),
    publicHttp,
    pools: new Pools(shared),
  };
  const webhooks = createWebhooksServices({ ...options, ...(limits && { limits }) });
  for (const service of webhooks.services) await service.start();
  await rest();
  const crash = (): void => {
    dead = true;
    log.control.crash(name);
    for (const service of webhooks.services) void service.stop();
  };
  return { webhooks, crash };
}
