import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { createOpsServer } from '#services/ops/server.ts';
import type { Metrics } from '#adapters/prometheus/metrics.ts';
import { createHousekeeping, type Chore } from '#adapters/node-cron/housekeeping.ts';
import { createAnswersRouter } from '#adapters/trpc/answers-router.ts';
import { createAnswerHints, type AnswerHints } from '#adapters/trpc/answers.ts';
import { createDownload } from '#adapters/undici/download.ts';
import { createHttpClient } from '#adapters/undici/http-client.ts';
import { answerRegistryRequest } from '#codec/registry/http-answers.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import { NETWORKS } from '#domain/network.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { Networks } from '#networks/registry.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { Config } from '#config/config.ts';
import { createHealth } from '#runtime/health.ts';
import type { ListeningService } from '#runtime/listening.ts';
import { internalUrlOf, sandboxUrlOf } from '#config/own-addresses.ts';
import type { Service } from '#runtime/service.ts';
import { removeOrphans, type OrphanOptions } from '#media/orphans.ts';
import { Supervisor } from '#runtime/supervisor.ts';
import type { Workload } from '#consumer/workload.ts';
import { DeadLetterReader } from '#services/admin/dead-letter-reader.ts';
import { createAdminCaller, createAdminRouter, type AdminCaller } from '#services/admin/router.ts';
import { createIngressService, type IngressOptions } from '#services/ingress/service.ts';
import type { SandboxService } from '#services/sandbox/service.ts';
import type { Scheduler } from '#services/scheduler/service.ts';
import type { WebhooksServices } from '#services/webhooks/service.ts';
import { addClockAhead } from '#tables/repositories/clock-ahead.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { createEgress } from './egress.ts';
import type { Engine } from '../engines/engine.ts';
import { processMediaOf } from './media.ts';
import { networksOf } from './networks.ts';
import { createSandboxRole } from './sandbox.ts';
import type { IngressPorts } from './ingress.ts';
import { createRoleFactory, type RoleFactory } from './roles.ts';
import { readTlsFiles } from './tls-files.ts';

/** Every port given, 0 replaced by a free one. */
export type ListeningConfig = Config;

export interface CrierProcess {
  readonly supervisor: Supervisor;
  /** Null where the role is off. */
  readonly ingress: ListeningService | null;
  readonly sandbox: SandboxService | null;
  readonly ops: ListeningService;
  /** The procedures of admin, in process. Null where the role is off. */
  readonly admin: AdminCaller | null;
}

/** What tests put in the place of what a process has by itself. */
export interface Substitutes {
  readonly renditions?: RenditionSource;
  readonly limits?: Networks['limits'];
}

export interface ProcessOptions {
  readonly config: ListeningConfig;
  readonly engine: Engine;
  readonly reporter: Reporter;
  readonly metrics: Metrics;
  readonly version: string;
  readonly substitutes?: Substitutes;
}

/** Puts the roles of one process together over its engine. Nothing runs before the supervisor is started. */
export async function createCrierProcess({
  config,
  engine,
  reporter,
  metrics,
  version,
  substitutes = {},
}: ProcessOptions): Promise<CrierProcess> {
  const has = (role: Config['roles'][number]): boolean => config.roles.includes(role);
  const internalUrl = internalUrlOf(config);
  const download = createDownload();
  const { service: sandbox, overrides } = createSandboxRole(config, engine, {
    download,
    reporter,
    mediaUrl: () => mediaUrl(),
    publicUrl: () => publicUrl(),
  });
  const http = createHttpClient();
  const publicHttp = createEgress(
    config,
    overrides,
    config.publicUrl ?? `${config.tlsCert === null ? 'http' : 'https'}://${config.host}:${config.port}`,
  );
  const { renditions, limits } = substitutes;
  const networks = { ...networksOf(config, sandboxUrlOf(config)), ...(limits !== undefined && { limits }) };
  const ports = {
    ...engine,
    reporter,
    http,
    publicHttp,
    secretBox: createSecretBox({ secret: engine.secrets.secret, previousSecrets: config.previousSecrets }),
  };
  const media = processMediaOf(config, engine, () => mediaUrl());
  const hint = (replyTo: string, answer: CommandAnswer): void => hints.answer(replyTo, answer);
  const factory = createRoleFactory({
    ports,
    settings: config,
    networks,
    media,
    hint,
    ...(renditions === undefined ? {} : { renditions }),
  });
  const hints = createAnswerHints({
    ownUrl: internalUrl,
    adminToken: engine.secrets.adminToken,
    hear: (answer) => factory.requests.receiveAnswer(answer),
    clock: engine.clock,
    reporter,
  });
  const publicUrl = (): string => config.publicUrl ?? ingress?.address().url ?? `http://${config.host}:${config.port}`;
  const mediaUrl = (): string => config.mediaUrl ?? publicUrl();
  const orphans: OrphanOptions = { ...engine, reporter, uploads: factory.uploads };
  const signIns = factory.signIns({ publicUrl, replyTo: internalUrl });
  const scheduler = has('scheduler') ? factory.scheduler() : null;
  const webhooks = has('webhooks') ? factory.webhooks() : null;
  const consumers = consumersOf(config, factory, webhooks);
  const ingress = has('ingress')
    ? await ingressOf(config, engine, { ...factory.ingressPorts, ...media.ingressPorts, signIns, replyTo: internalUrl })
    : null;
  const deadLetters = new DeadLetterReader({ ...engine, reporter });
  const router = has('admin')
    ? createAdminRouter({
        ...engine,
        request: (command) => factory.requests.request(command),
        due: createDueTimers(engine.store),
        replyTo: internalUrl,
        deadLetters,
        orphans,
        sandbox: config.networks === 'sandbox' ? { http } : null,
        ...{
          networks: NETWORKS.filter((network) => networks.auths[network] !== undefined),
          signIns,
          publicUrl,
          connections: factory.connections,
        },
        advanceClock:
          scheduler !== null && config.engine === 'embedded' && config.networks === 'sandbox'
            ? advanceOf(engine, scheduler)
            : null,
        process: {
          ...{ version, engine: config.engine, networks: config.networks, roles: config.roles },
          services: () => supervisor.health(),
          workloads: () => [...consumers, ...(scheduler === null ? [] : [workloadOf(scheduler)])],
          timersHeld: () => scheduler?.held() ?? 0,
        },
      })
    : null;
  const ops = createOpsServer({
    host: config.adminHost,
    port: config.adminPort,
    url: internalUrl,
    adminToken: engine.secrets.adminToken,
    health: createHealth({
      running: () => supervisor.running,
      services: () => supervisor.health(),
      store: engine.store,
      log: engine.log,
      clock: engine.clock,
    }),
    metrics,
    answers: createAnswersRouter((answer) => factory.requests.receiveAnswer(answer)),
    router,
    registry:
      has('admin') && config.schemaRegistryUrl === null
        ? (request) => answerRegistryRequest(readSchemaHistory(), request)
        : null,
    reporter,
  });
  watch(metrics, factory, consumers, scheduler);
  if (webhooks !== null) watchWebhooks(metrics, webhooks);
  const services = [
    ops,
    gateOf(engine),
    createHousekeeping([...engine.chores, ...(has('media') ? [orphanChore(orphans)] : [])], reporter),
    ...(sandbox === null ? [] : [sandbox]),
    outsideCalls(hints, [http, download, publicHttp, media.tools]),
    ...consumers,
    ...(scheduler === null ? [] : [scheduler]),
    ...(router === null ? [] : [deadLetters]),
    ...(ingress === null ? [] : [ingress]),
  ];
  const supervisor = new Supervisor(services, { clock: engine.clock, reporter });
  return { supervisor, ingress, sandbox, ops, admin: router === null ? null : createAdminCaller(router) };
}

/** At an hour of little work: it walks through all there is. */
function orphanChore(parts: OrphanOptions): Chore {
  return { name: 'orphans', at: '41 3 * * *', run: async () => void (await removeOrphans(parts)) };
}

function consumersOf(
  { roles }: ListeningConfig,
  factory: RoleFactory,
  webhooks: WebhooksServices | null,
): readonly (Service & Workload)[] {
  return [
    ...(roles.includes('workspace') ? [factory.workspace()] : []),
    ...(roles.includes('publisher') ? factory.publishers() : []),
    ...(roles.includes('media') ? factory.media() : []),
    ...(webhooks?.services ?? []),
  ];
}

type IngressParts = IngressPorts &
  Pick<IngressOptions, 'signIns' | 'judge' | 'mediaAddresses' | 'videosOff' | 'replyTo'>;

async function ingressOf(config: ListeningConfig, engine: Engine, parts: IngressParts): Promise<ListeningService> {
  const tls =
    config.tlsCert !== null && config.tlsKey !== null ? await readTlsFiles(config.tlsCert, config.tlsKey) : null;
  return createIngressService({
    ...parts,
    uploadsAtOnce: config.uploadsAtOnce,
    mediaReadersAtOnce: config.mediaReadersAtOnce,
    secret: engine.secrets.secret,
    host: config.host,
    port: config.port,
    publicUrl: config.publicUrl,
    tls,
    trustedProxies: config.trustedProxies,
    requestsPerMinute: config.requestsPerMinute,
    addressesPerMinute: config.addressesPerMinute,
  });
}

/** Connections to siblings and Networks are let go of when nobody needs them any more. */
function outsideCalls(hints: AnswerHints, clients: readonly { close(): Promise<void> }[]): Service {
  const stop = async (): Promise<void> => {
    hints.stop();
    await Promise.all(clients.map((client) => client.close()));
  };
  return { name: 'outside calls', start: async () => {}, drain: async () => {}, stop, trouble: () => null };
}

/**
 * What comes after it starts only when the engine has all that this release needs; until then the process is up and not
 * ready.
 */
function gateOf(engine: Engine): Service {
  const ending = new AbortController();
  const end = async (): Promise<void> => ending.abort();
  return { name: 'engine', start: () => engine.ready(ending.signal), drain: end, stop: end, trouble: () => null };
}

/** Kept first: a crash in between must not let time go back at the next start. */
function advanceOf(engine: Engine, scheduler: Scheduler): (milliseconds: number) => Promise<number> {
  return async (milliseconds) => {
    await addClockAhead(engine.store, milliseconds, () => engine.ids.token());
    engine.clock.advance(milliseconds);
    await scheduler.caughtUp();
    return engine.clock.now();
  };
}

/** What it was given of timers.v1 waits for its time. */
function workloadOf(scheduler: Scheduler): Workload {
  return { name: scheduler.name, owned: () => scheduler.owned(), waiting: () => scheduler.held(), heldBack: () => 0 };
}

function watch(
  metrics: Metrics,
  factory: RoleFactory,
  consumers: readonly Workload[],
  scheduler: Scheduler | null,
): void {
  const ofEach = (value: (workload: Workload) => number) => () =>
    consumers.map((workload) => ({ labels: { consumer: workload.name }, value: value(workload) }));
  metrics.watch(
    'recordsWaiting',
    ofEach((workload) => workload.waiting()),
  );
  metrics.watch(
    'keysHeldBack',
    ofEach((workload) => workload.heldBack()),
  );
  metrics.watch('partitionsOwned', () => [
    ...consumers.map((workload) => ({ labels: { consumer: workload.name }, value: workload.owned().length })),
    ...(scheduler === null ? [] : [{ labels: { consumer: scheduler.name }, value: scheduler.owned().length }]),
  ]);
  metrics.watch('timersHeld', () => scheduler?.held() ?? 0);
  metrics.watch('answersAwaited', () => factory.requests.pending());
}

function watchWebhooks(metrics: Metrics, { load }: WebhooksServices): void {
  metrics.watch('webhookAttemptsRunning', () => load().running);
  metrics.watch('webhookDeliveriesWaiting', () => load().waiting);
  metrics.watch('webhookEndpointsFailing', () => load().failingEndpoints);
  metrics.watch('webhookOldestPending', () => load().oldestPendingMs / 1000);
}
