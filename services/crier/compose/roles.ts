import { decide } from '#domain/workspace/decide.ts';
import type { MediaUrl } from '#domain/post/render.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import { loadsOf } from '#domain/workspace/loads.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import { createAccountChoices } from '#connections/account-choices.ts';
import { createConnections, type Connections } from '#connections/connections.ts';
import { fetchAddress } from '#media/fetch-address.ts';
import { targetsOf, type Networks } from '#networks/registry.ts';
import { SignIns } from '#connections/sign-in.ts';
import type { Conversions } from '#concurrency/conversions.ts';
import type { Pools } from '#concurrency/pools.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { ScratchDisk } from '#ports/scratch-disk.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { CommandRequests } from '#commands/request-command.ts';
import type { Config } from '#config/config.ts';
import type { OwnAddresses } from '#config/own-addresses.ts';
import { SuspectLock } from '#consumer/suspect-lock.ts';
import { createOperatorCommands } from '#commands/operator-command.ts';
import type { Service } from '#runtime/service.ts';
import { createStoredRenditions } from '#media/stored-renditions.ts';
import type { Workload } from '#consumer/workload.ts';
import { createDeadLetterKeeper } from '#services/admin/dead-letter-keeper.ts';
import { createPictureService } from '#services/media/picture-service.ts';
import { createRemovalService } from '#services/media/removal-service.ts';
import { createMediaService } from '#services/media/service.ts';
import type { MediaServiceOptions } from '#services/media/dependencies.ts';
import { createMetricsService } from '#services/publisher/insights/metrics-service.ts';
import type { SoleProcess } from '#services/publisher/publish/attempt.ts';
import { createPublisherServices, type PublisherService } from '#services/publisher/publish/service.ts';
import { createUpkeepService } from '#services/publisher/upkeep/upkeep-service.ts';
import { SchedulerService, type Scheduler } from '#services/scheduler/service.ts';
import { createWebhooksServices, type WebhooksOptions, type WebhooksServices } from '#services/webhooks/service.ts';
import { createWorkspaceService, type WorkspaceService } from '#services/workspace/service.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { PublishingBrake } from '#tables/repositories/publishing-brake.ts';
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
  | 'postsKeptDays'
  | 'publishNetworks'
>;

export interface RoleFactoryOptions {
  readonly ports: Ports;
  readonly settings: RoleSettings;
  readonly networks: Networks;
  /** Where no other process can publish at the same time; null: others may. */
  readonly soleProcess: SoleProcess | null;
  /** The commands that this process waits for. */
  readonly requests: CommandRequests;
  /** Hints an answer to the process at `replyTo`, which waits for it. */
  readonly answer: (replyTo: string, answer: CommandAnswer) => void;
  /** Of this process; left out: each role has its own. */
  readonly slices?: TimeSlices;
  readonly media: MediaOptions;
  /** Has the people told whose endpoint was disabled; left out: nobody is. */
  readonly tellDisabled?: WebhooksOptions['tellDisabled'];
  /** This process, as operators read it. */
  readonly instance: string;
  /** How much a bucket of a period of a Workspace holds; left out: as much as is good for Cassandra. */
  readonly bucketBytes?: number;
  /** Where the files of Posts come from; left out: from the media role's renditions. */
  readonly renditions?: RenditionSource | undefined;
}

/** What the media role works with. */
export interface MediaOptions {
  /** Where Networks and people fetch a stored file. */
  readonly url: MediaUrl;
  readonly tools: MediaTools;
  readonly conversions: Conversions;
  readonly pools: Pools;
  readonly disk: ScratchDisk;
  /** Folders of this process alone. */
  readonly scratchFolder: string;
  readonly pictureFolder: string;
  /** Fetches pictures of accounts from the addresses that Networks name. */
  readonly pictureHttp: PublicHttp;
}

/** What the publisher role runs: one service for each Network, and those for figures and upkeep. */
export interface PublisherServices {
  readonly ofNetworks: readonly PublisherService[];
  readonly others: readonly (Service & Workload)[];
}

/** Creates the roles of one process over its ports, each on demand; they share the rows and caches named here. */
export interface RoleFactory {
  readonly connections: Connections;
  readonly uploads: UploadRows;
  readonly ingressPorts: IngressPorts;
  readonly brake: PublishingBrake;
  workspace(): WorkspaceService;
  scheduler(): Scheduler;
  publishers(): PublisherServices;
  media(): readonly (Service & Workload)[];
  webhooks(): WebhooksServices;
  deadLetterKeeper(): Service & Workload;
  signIns(addresses: Pick<OwnAddresses, 'publicUrl' | 'internalUrl'>): SignIns;
}

const DAY_MS = 86_400_000;
const TWO_YEARS_MS = 2 * 365 * DAY_MS;
const IDEMPOTENCY_KEY_MS = DAY_MS;

export function createRoleFactory({
  ports,
  settings,
  networks,
  soleProcess,
  requests,
  answer,
  slices,
  media,
  renditions,
  instance,
  tellDisabled,
  ...sizes
}: RoleFactoryOptions): RoleFactory {
  const { store, clock, ids } = ports;
  const due = createDueTimers(store);
  const connections = createConnections({ ...ports, auths: networks.auths });
  const rules = rulesOf(settings, networks, media.url);
  const ledger = createLedger(store);
  // For who handles records that are not durable yet: what they stand on is not either.
  const early = store.unsynced ?? store;
  const brake = new PublishingBrake({ store: early, clock });
  const uploads = createUploadRows(store, () => ids.token());
  const files = createRenditionRows(store, () => ids.token());
  const shared = { ...ports, suspectLock: new SuspectLock(clock) };
  const storedIn = (of: TableStore): RenditionSource =>
    createStoredRenditions({
      rows: createRenditionRows(of, () => ids.token()),
      blobs: ports.blobs,
      mediaUrl: media.url,
    });
  return {
    connections,
    uploads,
    brake,
    ingressPorts: ingressPortsOf(ports, {
      request: requests.request,
      ledger,
      uploads,
      mediaUrl: media.url,
      accountChoices: createAccountChoices({ ...ports, connections, choices: networks.choices }),
    }),
    workspace: () =>
      createWorkspaceService({
        ...{ ...shared, slices, store: early, due, decide, loadsOf, rules, brake, answer },
        ...sizes,
      }),
    scheduler: () => new SchedulerService({ ...ports, due, shards: createShards(store, instance) }),
    publishers: () => ({
      ofNetworks: createPublisherServices({
        pools: media.pools,
        ...shared,
        store: early,
        served: servedOf(settings),
        due,
        connections: createConnections({ ...ports, store: early, auths: networks.auths }),
        renditions: renditions ?? storedIn(early),
        adapters: networks.adapters,
        comments: networks.comments,
        soleProcess,
        brake,
        budgets: networks.budgets,
      }),
      others: [
        settings.publishNetworks.includes('figures')
          ? createMetricsService({ ...shared, due, connections, metrics: networks.metrics })
          : null,
        settings.publishNetworks.includes('upkeep')
          ? createUpkeepService({ ...shared, due, connections, auths: networks.auths })
          : null,
      ].filter((service) => service !== null),
    }),
    media: () => {
      const { tools, conversions, pools, disk, scratchFolder } = media;
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
          conversions,
          shared: pools,
          slices: slices ?? new TimeSlices({ clock }),
          disk,
          scratchFolder,
        }),
        createRemovalService({ ...shared, uploads }),
        createPictureService({
          ...shared,
          due,
          tools,
          http: media.pictureHttp,
          disk,
          scratchFolder: media.pictureFolder,
        }),
      ];
    },
    webhooks: () =>
      createWebhooksServices({ ...shared, due, slices, pools: media.pools, ...(tellDisabled && { tellDisabled }) }),
    deadLetterKeeper: () => createDeadLetterKeeper(shared),
    signIns: ({ publicUrl, internalUrl }) =>
      new SignIns({
        ...ports,
        auths: networks.auths,
        connections,
        sendCommand: createOperatorCommands({
          request: requests.request,
          clock,
          ids,
          replyTo: internalUrl,
          // Of sign-ins at a Network that an operator began; those of Members name the app.
          door: 'admin',
        }),
        redirectUri: (network) => callbackAddress(publicUrl, network),
      }),
  };
}

/** The Networks among what the publisher role of this process does. */
export const servedOf = ({ publishNetworks }: Pick<Config, 'publishNetworks'>): readonly Network[] =>
  NETWORKS.filter((network) => publishNetworks.includes(network));

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
    postsKeptMs: settings.postsKeptDays * DAY_MS,
    limits,
  };
}
