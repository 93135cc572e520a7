import type { Codec } from '#codec/codec.ts';
import { decide } from '#domain/workspace/decide.ts';
import { needsOf } from '#domain/workspace/needs.ts';
import type { Answer } from '#domain/workspace/results.ts';
import type { Rules } from '#domain/workspace/turn.ts';
import { createConnections, type Connections } from '#networks/connections.ts';
import type { Networks } from '#networks/registry.ts';
import { SignIns } from '#networks/sign-in.ts';
import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log } from '#ports/log.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import { noRenditions, type RenditionSource } from '#ports/rendition-source.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import { createAsker, type Asker } from '#runtime/ask.ts';
import type { Config } from '#runtime/config.ts';
import { appendMessages } from '#runtime/effects.ts';
import { createOrders } from '#runtime/order.ts';
import type { Service } from '#runtime/service.ts';
import type { Workload } from '#runtime/workload.ts';
import type { IngressOptions } from '#services/ingress/service.ts';
import { createMetricsService } from '#services/publisher/metrics-service.ts';
import { createPublisherServices } from '#services/publisher/service.ts';
import { createUpkeepService } from '#services/publisher/upkeep-service.ts';
import { SchedulerService, type Scheduler } from '#services/scheduler/service.ts';
import { createWebhooksServices, type WebhooksServices } from '#services/webhooks/service.ts';
import { createWorkspaceService } from '#services/workspace/service.ts';
import { createDeliveryRows } from '#tables/deliveries.ts';
import { findCredential } from '#tables/credentials.ts';
import { createDueTimers } from '#tables/due.ts';
import { createLedger } from '#tables/ledger.ts';
import { listPosts } from '#tables/post-list.ts';
import { createMetricsRows } from '#tables/variant-metrics.ts';
import { readPost } from '#tables/posts.ts';
import { insertClaims, readClaims, refuseClaims } from '#tables/requests.ts';
import { createShards } from '#tables/shards.ts';
import { WEBHOOK_DELIVERIES } from '#tables/topics.ts';
import { readChannels, readEndpoints, readHead } from '#tables/workspaces.ts';

/** The world, as one process sees it. */
export interface Ports {
  readonly log: Log;
  readonly store: TableStore;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly http: HttpClient;
  readonly publicHttp: PublicHttp;
  readonly secretBox: SecretBox;
}

export type SpineSettings = Pick<Config, 'earliestScheduleSeconds' | 'duplicateWindowSeconds' | 'missedWindowSeconds'>;

export interface SpineOptions {
  readonly ports: Ports;
  readonly settings: SpineSettings;
  readonly networks: Networks;
  /** Hints an answer to the asker at `replyTo`; left out: it is always this process's own. */
  readonly hint?: (replyTo: string, answer: Answer) => void;
  /** Where the files of Posts come from; left out: no Post has any. */
  readonly renditions?: RenditionSource;
}

/** What ingress reads and asks, without how it is reached. */
export type FrontDoor = Pick<
  IngressOptions,
  'ask' | 'posts' | 'workspaces' | 'metrics' | 'ledger' | 'webhooks' | 'findCredential' | 'requests' | 'publicHttp' | 'secretBox' | 'clock' | 'ids' | 'reporter'
>;

/** The way of a Post through one process, whatever it runs on; each role is made on demand. */
export interface Spine {
  readonly asker: Asker;
  readonly connections: Connections;
  readonly frontDoor: FrontDoor;
  workspace(): Service & Workload;
  scheduler(): Scheduler;
  publishers(): readonly (Service & Workload)[];
  webhooks(): WebhooksServices;
  /** `publicUrl`: where clients reach ingress, known once it listens. `replyTo`: this process's internal address. */
  signIns(at: { readonly publicUrl: () => string; readonly replyTo: string }): SignIns;
}

const TWO_YEARS_MS = 2 * 365 * 86_400_000;
const IDEMPOTENCY_KEY_MS = 86_400_000;

export function createSpine({ ports, settings, networks, hint, renditions = noRenditions }: SpineOptions): Spine {
  const { store, clock, ids, reporter } = ports;
  const due = createDueTimers(store);
  const asker = createAsker(ports);
  const connections = createConnections({ ...ports, auths: networks.auths });
  const rules: Rules = {
    earliestScheduleMs: settings.earliestScheduleSeconds * 1000,
    latestScheduleMs: TWO_YEARS_MS,
    duplicateWindowMs: settings.duplicateWindowSeconds * 1000,
    missedWindowMs: settings.missedWindowSeconds * 1000,
    idempotencyKeyMs: IDEMPOTENCY_KEY_MS,
    limits: networks.limits,
  };
  const answer = hint ?? ((_replyTo: string, heard: Answer) => asker.hear(heard));
  const ledger = createLedger(store);
  const deliveries = createDeliveryRows(store);
  const metricsRows = createMetricsRows(store, () => ids.token());
  return {
    asker,
    connections,
    frontDoor: {
      ask: (command) => asker.ask(command),
      posts: {
        read: (workspaceId, postId) => readPost(store, workspaceId, postId),
        list: (workspaceId, filter) => listPosts(store, workspaceId, filter, clock.now()),
      },
      workspaces: {
        channels: (workspaceId) => readChannels(store, workspaceId),
        state: async (workspaceId) => (await readHead(store, workspaceId))?.state ?? null,
      },
      metrics: (postId) => metricsRows.ofPost(postId),
      ledger: { attempts: (variantId) => ledger.attempts(variantId) },
      findCredential: (tokenHash) => findCredential(store, tokenHash),
      requests: {
        insert: (credentialId, claims) => insertClaims(store, credentialId, claims),
        refuse: (credentialId, claims) => refuseClaims(store, credentialId, claims),
        read: (credentialId, from) => readClaims(store, credentialId, from),
      },
      webhooks: {
        endpoints: (workspaceId) => readEndpoints(store, workspaceId),
        latest: (endpoint, limit) => deliveries.latest(endpoint.id, endpoint.createdAt, clock.now(), limit),
        find: (deliveryId) => deliveries.find(deliveryId),
        hand: (message) => appendMessages(ports, [{ topic: WEBHOOK_DELIVERIES.name, key: message.endpointId, message }]),
      },
      publicHttp: ports.publicHttp,
      secretBox: ports.secretBox,
      clock,
      ids,
      reporter,
    },
    workspace: () => createWorkspaceService({ ...ports, due, decide, needsOf, rules, answer }),
    scheduler: () => new SchedulerService({ ...ports, due, shards: createShards(store) }),
    publishers: () => [
      ...createPublisherServices({ ...ports, due, connections, renditions, adapters: networks.adapters, budgets: networks.budgets }),
      createMetricsService({ ...ports, due, connections, metrics: networks.metrics }),
      createUpkeepService({ ...ports, due, connections }),
    ],
    webhooks: () => createWebhooksServices({ ...ports, due }),
    signIns: ({ publicUrl, replyTo }) =>
      new SignIns({
        ...ports,
        auths: networks.auths,
        connections,
        order: createOrders({ ask: (command) => asker.ask(command), clock, ids, replyTo }),
        redirectUri: (network) => `${publicUrl()}/connect/${network}/callback`,
      }),
  };
}
