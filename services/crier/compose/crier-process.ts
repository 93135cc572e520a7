import { hostname } from 'node:os';
import { internalTokenOf } from '#adapters/node-crypto/internal-token.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { Metrics } from '#adapters/prometheus/metrics.ts';
import { createAnswerHints } from '#adapters/trpc/answers.ts';
import { createDownload } from '#adapters/undici/download.ts';
import { createHttpClient } from '#adapters/undici/http-client.ts';
import { Pools } from '#concurrency/pools.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import { createCommandRequests } from '#commands/request-command.ts';
import type { Config } from '#config/config.ts';
import { NETWORKS } from '#domain/network.ts';
import { ownerAccountOf } from '#domain/workspace/owner-account.ts';
import { ownAddressesOf, type OwnAddresses } from '#config/own-addresses.ts';
import type { Networks } from '#networks/registry.ts';
import { RequestsInFlight } from '#http-server/requests-in-flight.ts';
import type { PortError } from '#ports/errors.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import { NO_TRACER, type Tracer } from '#ports/tracer.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { ListeningService } from '#runtime/listening.ts';
import { Supervisor } from '#runtime/supervisor.ts';
import { KnownAddresses } from '#tables/repositories/known-addresses.ts';
import { createRequestRows } from '#tables/repositories/requests.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import { createDoorParts } from '#use-cases/door-parts.ts';
import type { AdminCaller } from '#services/admin/router.ts';
import type { SandboxService } from '#services/sandbox/service.ts';
import type { Engine } from '../engines/engine.ts';
import { measuredStore } from '../engines/measured-store.ts';
import { createAdminRole } from './admin.ts';
import { advanceClockOf } from './advance-clock.ts';
import { createAppRole, type AppRole } from './app.ts';
import { createAdminTls } from './admin-tls.ts';
import { createAnnouncement } from './announcement.ts';
import { ClockCheck } from './clock-check.ts';
import { ClockLead } from './clock-lead.ts';
import { LeapHold } from './leap-hold.ts';
import { withDates } from './dated-http.ts';
import { createCanary } from './canary.ts';
import { createEgress } from './egress.ts';
import { createSecretCheck } from './secret-check.ts';
import { createEngineGate } from './engine-gate.ts';
import { watchClock, watchGauges } from './gauges.ts';
import { createProcessHousekeeping } from './housekeeping.ts';
import { createIngressRole, personRequestsOf } from './ingress.ts';
import type { LogLevel } from './log-level.ts';
import { knownSeriesOf } from './known-series.ts';
import { createDisabledEndpointMail, createInvitationMail, createMailQueue } from './mail.ts';
import { processMediaOf } from './media.ts';
import { networksOf, passingAppsOf } from './networks.ts';
import { createOpsRole } from './ops.ts';
import { createOutboundClients } from './outbound-clients.ts';
import { createPictureHttp } from './picture-http.ts';
import type { Ports } from './ports.ts';
import { createPresence } from './presence.ts';
import type { ProcessCore } from './process-core.ts';
import { createProcessRoles } from './process-roles.ts';
import { createPublicTls } from './public-tls.ts';
import { createRoleFactory, servedOf } from './roles.ts';
import { downloadFromSandbox, httpToSandbox } from './sandbox-calls.ts';
import { createSandboxRole } from './sandbox.ts';
import { userAgentOf } from './user-agent.ts';
import { WorkspaceBudgets } from './workspace-budgets.ts';
import { createPublishingHolds } from '#use-cases/publishing-holds.ts';

export interface CrierProcess {
  readonly supervisor: Supervisor;
  /** Null where the role is off. */
  readonly ingress: ListeningService | null;
  readonly sandbox: SandboxService | null;
  readonly ops: ListeningService;
  /** See `AppRole.demoLink`. Null where the role is off. */
  readonly demoLink: AppRole['demoLink'] | null;
  /** The procedures of admin, in process. Null where the role is off. */
  readonly admin: AdminCaller | null;
}

/** What tests put in the place of what a process has by itself. */
export interface Substitutes {
  readonly renditions?: RenditionSource;
  readonly limits?: Networks['limits'];
}

export interface ProcessOptions {
  /** Every port given: 0 is replaced by a free port before, so that addresses are known before anything listens. */
  readonly config: Config;
  readonly engine: Engine;
  readonly reporter: Reporter;
  readonly metrics: Metrics;
  /** Left out: tracing is off. */
  readonly tracer?: Tracer | undefined;
  readonly version: string;
  /**
   * Called when the data has become that of a release which this one can not read, or the machine's clock has become
   * wrong: the process is to end, with the error's sentence.
   */
  readonly onMustEnd: (error: PortError) => void;
  /** Of the log behind `reporter`. */
  readonly logLevel: LogLevel;
  readonly substitutes?: Substitutes;
}

/**
 * Composes the roles of one process over its engine: addresses, clients, requests, roles, listeners, supervisor, each
 * from what stands above it. Nothing runs before the supervisor is started.
 */
export async function createCrierProcess({
  config,
  engine: given,
  reporter,
  metrics,
  tracer = NO_TRACER,
  version,
  onMustEnd,
  logLevel,
  substitutes = {},
}: ProcessOptions): Promise<CrierProcess> {
  const store = measuredStore(given.store, given.clock, reporter);
  const engine: Engine = { ...given, store };
  const addresses = ownAddressesOf(config);
  const supervisor = new Supervisor({
    clock: engine.clock,
    reporter,
    drainDelayMs: config.drainDelaySeconds * 1_000,
    drainMs: config.drainSeconds * 1_000,
  });

  const download = createDownload();
  const sandbox = createSandboxRole(config, engine, { download, reporter, addresses });
  const userAgent = userAgentOf({ version, publicUrl: addresses.publicUrl });
  const http = createHttpClient({ userAgent });
  const publicHttp = createEgress(config, { own: sandbox.overrides, userAgent });
  const secretBox = createSecretBox({ secret: engine.secrets.secret, previousSecrets: config.previousSecrets });
  // A cluster is judged by the clocks of its engine's machines alone.
  const isAlone = engine.clockReference === null;
  const lead = new ClockLead(isAlone ? 'network' : 'cassandra');
  const dated = withDates(httpToSandbox(http, addresses), { clock: engine.clock, reporter, ...(isAlone && { lead }) });
  const ports: Ports = { ...engine, reporter, tracer, http: dated, publicHttp, secretBox };

  const budgets = new WorkspaceBudgets({
    find: async (workspaceId) => {
      const state = (await readHead(store, workspaceId))?.state;
      return state === undefined ? null : { plan: state.plan, owner: ownerAccountOf(state) };
    },
    clock: engine.clock,
  });
  const pools = new Pools({ ...ports, budgetOf: (workspaceId) => budgets.budgetOf(workspaceId) });
  const slices = new TimeSlices({
    clock: engine.clock,
    weightOf: (workspaceId) => budgets.budgetOf(workspaceId).weight,
    accountOf: (workspaceId) => pools.accountOf(workspaceId),
  });
  const networks = withLimits(networksOf(config, addresses.sandboxUrl), substitutes);
  const pictureHttp = createPictureHttp(config, {
    ...{ publicHttp, sandboxUrl: addresses.sandboxUrl },
    download: downloadFromSandbox(download, addresses),
  });
  const media = processMediaOf(config, engine, { mediaUrl: addresses.mediaUrl, pictureHttp, pools });
  const requests = createCommandRequests(ports);
  const adminTls = createAdminTls(config, { clock: engine.clock, reporter });
  const knownAddresses = new KnownAddresses(ports);
  const hints = createAnswerHints({
    ownUrl: addresses.internalUrl,
    internalToken: internalTokenOf(engine.secrets.secret),
    hear: requests.receiveAnswer,
    // A sole process has nobody to hint to.
    standing: (address) => (engine.hasSoleProcess ? 'unknown' : knownAddresses.standing(address)),
    clock: engine.clock,
    reporter,
    fetch: adminTls.fetch,
  });
  const mail = await createMailQueue(config, ports, { pools, sandboxUrl: addresses.sandboxUrl });
  const factory = createRoleFactory({
    ports,
    tellDisabled: createDisabledEndpointMail(ports, mail, addresses.publicUrl),
    requests,
    answer: hints.answer,
    slices,
    settings: config,
    networks,
    soleProcess: engine.hasSoleProcess ? { id: engine.ids.token(8), startedAt: engine.clock.now() } : null,
    media,
    renditions: substitutes.renditions,
    instance: `${hostname()} at ${addresses.internalUrl}`,
  });
  const roles = createProcessRoles(config.roles, factory);
  const signIns = factory.signIns(addresses);
  const inFlight = new RequestsInFlight();
  const publicTls = createPublicTls(config, ports);
  const tls = publicTls.listener;
  const core: ProcessCore = { config, engine, ports, addresses, requests, inFlight, tls, supervisor };
  // One for all doors of this process: how much it does at once is a matter of the process.
  const doorParts = createDoorParts({
    ...{ ...ports, requests: createRequestRows(ports.store), secret: engine.secrets.secret },
    previousSecrets: config.previousSecrets,
    ...{ addressesPerMinute: config.addressesPerMinute, strangersPerMinute: config.strangersPerMinute, pools, slices },
  });
  const advanceClock = advanceClockOf(config, engine, roles);
  const publishingHolds = createPublishingHolds({ ...ports, brake: factory.brake });
  const app = await createAppRole(core, {
    ...{ ...factory.ingressPorts, ...media.ingressPorts, signIns, mail, version, advanceClock, publishingHolds },
    servesSandbox: sandbox.service !== null,
    doorParts,
    networks: NETWORKS.filter((network) => networks.auths[network] !== undefined),
  });
  const ingress = createIngressRole(config, {
    doorParts,
    tls,
    ...factory.ingressPorts,
    ...media.ingressPorts,
    signIns,
    personRequests: personRequestsOf(ports, passingAppsOf(config, addresses.sandboxUrl)),
    addresses,
    doors: app === null ? [] : [app.door],
    inFlight,
  });
  const canary = createCanary(core, metrics, {
    brake: factory.brake,
    posts: { ...factory.ingressPorts, ...media.ingressPorts, ...doorParts },
  });
  const { uploads } = factory;
  const presence = createPresence(core, { version, onUnreadable: onMustEnd });
  const admin = createAdminRole(core, {
    ...{ version, presence, networks, signIns, uploads, roles, advanceClock, publishingHolds, logLevel, pools },
    mailInvitation: createInvitationMail(ports, mail, addresses.publicUrl),
  });
  const { strangers } = doorParts;
  const ops = createOpsRole(core, { metrics, slices, admin, tls: adminTls.server, strangers });
  watchClock(metrics, { ...ports, leaps: engine.leaps, lead });
  metrics.bear(knownSeriesOf(config, roles));
  watchGauges(metrics, {
    ...{ requests, roles, store, pools, clock: engine.clock, brake: factory.brake },
    httpRequests: () => inFlight.count,
    storedFormat: () => presence.storedFormat,
    scratchFolder: config.dataDir,
    conversions: config.roles.includes('media') ? media.conversions : null,
    dataFolder: config.engine === 'embedded' ? config.dataDir : null,
  });

  supervisor.add(
    [
      ops,
      createEngineGate(engine),
      // Before anything is written: rows that a wrong clock orders hide what others write.
      engine.clockReference === null
        ? new LeapHold({ ...ports, leaps: engine.leaps, lead })
        : new ClockCheck({ ...ports, leaps: engine.leaps, reference: engine.clockReference, lead, onWrong: onMustEnd }),
      createSecretCheck(ports),
      createAnnouncement(
        { ...ports, brake: factory.brake, isSole: engine.hasSoleProcess },
        announced(config, addresses, secretBox),
      ),
      presence,
      createProcessHousekeeping(config, ports, { chores: engine.chores, uploads }),
      sandbox.service,
      createOutboundClients([http, download, publicHttp, media.tools, adminTls, publicTls], hints),
      mail,
      ...roles.consumers,
      roles.scheduler,
      app?.service ?? null,
      ingress,
      canary,
    ].filter((service) => service !== null),
  );
  const [demoLink, caller] = [app?.demoLink ?? null, admin?.caller ?? null];
  return { supervisor, ingress, sandbox: sandbox.service, ops, demoLink, admin: caller };
}

/** What this process tells the others of itself. */
function announced(
  config: Config,
  { internalUrl }: OwnAddresses,
  { keyIds }: SecretBox,
): Parameters<typeof createAnnouncement>[1] {
  return {
    address: internalUrl.replace(/\/+$/, ''),
    publishes: config.roles.includes('publisher') ? servedOf(config) : [],
    secretKeys: keyIds,
  };
}

function withLimits(networks: Networks, { limits }: Substitutes): Networks {
  return limits === undefined ? networks : { ...networks, limits };
}
