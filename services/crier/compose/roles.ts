import { decide } from '#domain/workspace/decide.ts';
import type { MediaUrl } from '#domain/post/render.ts';
import { loadsOf } from '#domain/workspace/loads.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import { createConnections, type Connections } from '#connections/connections.ts';
import { fetchAddress } from '#media/fetch-address.ts';
import { targetsOf, type Networks } from '#networks/registry.ts';
import { SignIns } from '#connections/sign-in.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import type { CommandRequests } from '#commands/request-command.ts';
import type { Config } from '#config/config.ts';
import type { OwnAddresses } from '#config/own-addresses.ts';
import { SuspectLock } from '#consumer/suspect-lock.ts';
import { createOperatorCommands } from '#commands/operator-command.ts';
import type { Service } from '#runtime/service.ts';
import { createStoredRenditions } from '#media/stored-renditions.ts';
import type { Workload } from '#consumer/workload.ts';
import { createRemovalService } from '#services/media/removal-service.ts';
import { createMediaService } from '#services/media/service.ts';
import type { MediaServiceOptions } from '#services/media/dependencies.ts';
import { createMetricsService } from '#services/publisher/insights/metrics-service.ts';
import { createPublisherServices } from '#services/publisher/publish/service.ts';
import { createUpkeepService } from '#services/publisher/upkeep/upkeep-service.ts';
import { SchedulerService, type Scheduler } from '#services/scheduler/service.ts';
import { createWebhooksServices, type WebhooksServices } from '#services/webhooks/service.ts';
import { createWorkspaceService } from '#services/workspace/service.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { createLedger } from '#tables/repositories/ledger.ts';
import { createRenditionRows } from '#tables/repositories/renditions.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { createUploadRows, type UploadRows } from '#tables/repositories/uploads.ts';
import { callbackAddress } from './callback-address.ts';
import { ingressPortsOf, type IngressPorts } from './ingress.ts';
import type { Ports } from './ports.ts';

export type RoleSettings = Pick<
  Config,
  | 'earliestScheduleSeconds'
  | 'duplicateWindowSeconds'
  | 'missedWindowSeconds'
  | 'uploadWindowSeconds'
  | 'unusedUploadDays'
  | 'filesKeptDays'
>;

export interface RoleFactoryOptions {
  readonly ports: Ports;
  readonly settings: RoleSettings;
  readonly networks: Networks;
  /** The commands that this process waits for. */
  readonly requests: CommandRequests;
  /** Hints an answer to the process at `replyTo`, which waits for it. */
  readonly answer: (replyTo: string, answer: CommandAnswer) => void;
  readonly media: MediaOptions;
  /** Where the files of Posts come from; left out: from the media role's renditions. */
  readonly renditions?: RenditionSource | undefined;
}

/** What the media role works with. */
export interface MediaOptions {
  /** Where Networks and people fetch a stored file. */
  readonly url: MediaUrl;
  readonly tools: MediaTools;
  /** How many cores conversions may use. */
  readonly cores: number;
  /** A folder of this process alone. */
  readonly scratchFolder: string;
}

/** Creates the roles of one process over its ports, each on demand; they share the rows and caches named here. */
export interface RoleFactory {
  readonly connections: Connections;
  readonly uploads: UploadRows;
  readonly ingressPorts: IngressPorts;
  workspace(): Service & Workload;
  scheduler(): Scheduler;
  publishers(): readonly (Service & Workload)[];
  media(): readonly (Service & Workload)[];
  webhooks(): WebhooksServices;
  signIns(addresses: Pick<OwnAddresses, 'publicUrl' | 'internalUrl'>): SignIns;
}

const DAY_MS = 86_400_000;
const TWO_YEARS_MS = 2 * 365 * DAY_MS;
const IDEMPOTENCY_KEY_MS = DAY_MS;

export function createRoleFactory({
  ports,
  settings,
  networks,
  requests,
  answer,
  media,
  renditions,
}: RoleFactoryOptions): RoleFactory {
  const { store, clock, ids } = ports;
  const due = createDueTimers(store);
  const connections = createConnections({ ...ports, auths: networks.auths });
  const rules = rulesOf(settings, networks, media.url);
  const ledger = createLedger(store);
  const uploads = createUploadRows(store, () => ids.token());
  const files = createRenditionRows(store, () => ids.token());
  const shared = { ...ports, suspectLock: new SuspectLock(clock) };
  const stored = createStoredRenditions({ rows: files, blobs: ports.blobs, mediaUrl: media.url });
  return {
    connections,
    uploads,
    ingressPorts: ingressPortsOf(ports, {
      request: requests.request,
      ledger,
      uploads,
      mediaUrl: media.url,
    }),
    workspace: () => createWorkspaceService({ ...shared, due, decide, loadsOf, rules, answer }),
    scheduler: () => new SchedulerService({ ...ports, due, shards: createShards(store) }),
    publishers: () => [
      ...createPublisherServices({
        ...shared,
        due,
        connections,
        renditions: renditions ?? stored,
        adapters: networks.adapters,
        budgets: networks.budgets,
      }),
      createMetricsService({ ...shared, due, connections, metrics: networks.metrics }),
      createUpkeepService({ ...shared, due, connections }),
    ],
    media: () => {
      const { tools, cores, scratchFolder } = media;
      const fetching: MediaServiceOptions['fetchAddress'] = (order) =>
        fetchAddress(order, { http: ports.publicHttp, clock });
      return [
        createMediaService({
          ...shared,
          due,
          rows: files,
          tools,
          fetchAddress: fetching,
          targetsOf,
          cores,
          scratchFolder,
        }),
        createRemovalService({ ...shared, uploads }),
      ];
    },
    webhooks: () => createWebhooksServices({ ...shared, due }),
    signIns: ({ publicUrl, internalUrl }) =>
      new SignIns({
        ...ports,
        auths: networks.auths,
        connections,
        sendCommand: createOperatorCommands({ request: requests.request, clock, ids, replyTo: internalUrl }),
        redirectUri: (network) => callbackAddress(publicUrl, network),
      }),
  };
}

function rulesOf(settings: RoleSettings, { limits }: Networks, mediaUrl: MediaUrl): Rules {
  return {
    earliestScheduleMs: settings.earliestScheduleSeconds * 1000,
    latestScheduleMs: TWO_YEARS_MS,
    duplicateWindowMs: settings.duplicateWindowSeconds * 1000,
    missedWindowMs: settings.missedWindowSeconds * 1000,
    idempotencyKeyMs: IDEMPOTENCY_KEY_MS,
    mediaUrl,
    uploadWindowMs: settings.uploadWindowSeconds * 1000,
    unusedUploadMs: settings.unusedUploadDays * DAY_MS,
    filesKeptMs: settings.filesKeptDays * DAY_MS,
    limits,
  };
}
