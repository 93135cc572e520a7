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
import { createCommandRequests, type CommandRequests } from '#commands/request-command.ts';
import type { Config } from '#config/config.ts';
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
  /** Hints an answer to the asker at `replyTo`; left out: it is always this process's own. */
  readonly hint?: (replyTo: string, answer: CommandAnswer) => void;
  readonly media: MediaOptions;
  /** Where the files of Posts come from; left out: the media service's. */
  readonly renditions?: RenditionSource;
}

/** What files need of the world. */
export interface MediaOptions {
  /** Where Networks and people fetch a stored file. */
  readonly url: MediaUrl;
  readonly tools: MediaTools;
  /** That conversions may keep busy. */
  readonly cores: number;
  /** A folder of this process alone. */
  readonly scratchFolder: string;
}

/** The way of a Post through one process, whatever it runs on; each role is made on demand. */
export interface RoleFactory {
  readonly requests: CommandRequests;
  readonly connections: Connections;
  readonly uploads: UploadRows;
  readonly ingressPorts: IngressPorts;
  workspace(): Service & Workload;
  scheduler(): Scheduler;
  publishers(): readonly (Service & Workload)[];
  media(): readonly (Service & Workload)[];
  webhooks(): WebhooksServices;
  /** `publicUrl`: where clients reach ingress, known once it listens. `replyTo`: this process's internal address. */
  signIns(at: { readonly publicUrl: () => string; readonly replyTo: string }): SignIns;
}

const DAY_MS = 86_400_000;
const TWO_YEARS_MS = 2 * 365 * DAY_MS;
const IDEMPOTENCY_KEY_MS = DAY_MS;

export function createRoleFactory({
  ports,
  settings,
  networks,
  hint,
  media,
  renditions,
}: RoleFactoryOptions): RoleFactory {
  const { store, clock, ids } = ports;
  const due = createDueTimers(store);
  const requests = createCommandRequests(ports);
  const connections = createConnections({ ...ports, auths: networks.auths });
  const rules: Rules = {
    earliestScheduleMs: settings.earliestScheduleSeconds * 1000,
    latestScheduleMs: TWO_YEARS_MS,
    duplicateWindowMs: settings.duplicateWindowSeconds * 1000,
    missedWindowMs: settings.missedWindowSeconds * 1000,
    idempotencyKeyMs: IDEMPOTENCY_KEY_MS,
    mediaUrl: media.url,
    uploadWindowMs: settings.uploadWindowSeconds * 1000,
    unusedUploadMs: settings.unusedUploadDays * DAY_MS,
    filesKeptMs: settings.filesKeptDays * DAY_MS,
    limits: networks.limits,
  };
  const answer = hint ?? ((_replyTo: string, heard: CommandAnswer) => requests.receiveAnswer(heard));
  const ledger = createLedger(store);
  const uploads = createUploadRows(store, () => ids.token());
  const files = createRenditionRows(store, () => ids.token());
  const shared = { ...ports, suspectLock: new SuspectLock(clock) };
  const stored = createStoredRenditions({ rows: files, blobs: ports.blobs, mediaUrl: media.url });
  return {
    requests,
    connections,
    uploads,
    ingressPorts: ingressPortsOf(ports, {
      ask: (command) => requests.request(command),
      ledger,
      uploads,
      mediaUrl: media.url,
    }),
    workspace: () => createWorkspaceService({ ...shared, due, decide, needsOf: loadsOf, rules, answer }),
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
    signIns: ({ publicUrl, replyTo }) =>
      new SignIns({
        ...ports,
        auths: networks.auths,
        connections,
        sendCommand: createOperatorCommands({ request: (command) => requests.request(command), clock, ids, replyTo }),
        redirectUri: (network) => callbackAddress(publicUrl(), network),
      }),
  };
}
