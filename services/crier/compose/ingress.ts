import { sendCommand } from '#commands/send-command.ts';
import { PersonRequests, type PersonRequestsOptions } from '#connections/person-requests.ts';
import { inspectAddress } from '#media/inspect-address.ts';
import type { Clock } from '#ports/clock.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { AppAccess } from '#services/ingress/dependencies.ts';
import type { InspectAddress } from '#use-cases/dependencies.ts';
import type { Config } from '#config/config.ts';
import type { OwnAddresses } from '#config/own-addresses.ts';
import type { ListeningService } from '#runtime/listening.ts';
import { createIngressService, type IngressOptions } from '#services/ingress/service.ts';
import { findApproval } from '#tables/repositories/approvals.ts';
import { findAsset, readAsset } from '#tables/repositories/assets.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { createFailingEndpoints, disabledSince } from '#tables/repositories/failing-endpoints.ts';
import { findCredential } from '#tables/repositories/credentials.ts';
import { findAppToken } from '#tables/repositories/oauth-records.ts';
import { listPosts } from '#tables/repositories/post-list.ts';
import { createMetricsRows } from '#tables/repositories/variant-metrics.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { createRequestRows } from '#tables/repositories/requests.ts';
import { readChannels, readEndpoints, readHead } from '#tables/repositories/workspaces.ts';
import type { Ledger } from '#tables/repositories/ledger.ts';
import { credentialUsesOf } from './credential-uses.ts';
import type { Ports } from './ports.ts';

/** What ingress reads and calls, without how it is reached. */
export type IngressPorts = Pick<
  IngressOptions,
  | 'request'
  | 'posts'
  | 'workspaces'
  | 'metrics'
  | 'mediaUrl'
  | 'inspectAddress'
  | 'ledger'
  | 'accountChoices'
  | 'webhooks'
  | 'findCredential'
  | 'findAppAccess'
  | 'noteUse'
  | 'requests'
  | 'blobs'
  | 'assets'
  | 'findAssetOwner'
  | 'uploads'
  | 'publicHttp'
  | 'secretBox'
  | 'clock'
  | 'ids'
  | 'reporter'
  | 'tracer'
>;

export type IngressRoleOptions = IngressPorts &
  Pick<IngressOptions, 'signIns' | 'personRequests' | 'judge' | 'mediaAddresses' | 'videosOff' | 'doorParts'> & {
    readonly addresses: Pick<OwnAddresses, 'publicUrl' | 'internalUrl'>;
    readonly doors: IngressOptions['doors'];
    readonly inFlight: IngressOptions['inFlight'];
    readonly tls: IngressOptions['tls'];
  };

/** Null where the role is off. */
export function createIngressRole(
  config: Config,
  { addresses, tls, ...ports }: IngressRoleOptions,
): ListeningService | null {
  if (!config.roles.includes('ingress')) return null;
  return createIngressService({
    ...ports,
    replyTo: addresses.internalUrl,
    uploadsAtOnce: config.uploadsAtOnce,
    mediaReadersAtOnce: config.mediaReadersAtOnce,
    host: config.host,
    port: config.port,
    publicUrl: addresses.publicUrl,
    tls,
    hstsSeconds: config.hstsSeconds,
    trustedProxies: config.trustedProxies,
    allowedOrigins: config.allowedOrigins,
    requestsPerMinute: config.requestsPerMinute,
  });
}

export interface IngressPortsOptions extends Pick<
  IngressOptions,
  'request' | 'uploads' | 'mediaUrl' | 'accountChoices'
> {
  readonly ledger: Pick<Ledger, 'newestAttempts'>;
}

export function ingressPortsOf(
  ports: Ports,
  { request, ledger, uploads, mediaUrl, accountChoices }: IngressPortsOptions,
): IngressPorts {
  const { store, clock, ids, reporter, tracer } = ports;
  const deliveries = createDeliveryRows(store);
  const failing = createFailingEndpoints(store, () => ids.token());
  const uses = credentialUsesOf(ports);
  const metricsRows = createMetricsRows(store, () => ids.token());
  return {
    request,
    posts: {
      read: (workspaceId, postId) => readPost(store, workspaceId, postId),
      list: (workspaceId, filter) => listPosts(store, workspaceId, filter, clock.now()),
    },
    workspaces: {
      channels: (workspaceId) => readChannels(store, workspaceId),
      state: async (workspaceId) => (await readHead(store, workspaceId))?.state ?? null,
    },
    metrics: (postId) => metricsRows.ofPost(postId),
    mediaUrl,
    accountChoices,
    inspectAddress: createInspector(ports.publicHttp, clock),
    ledger: { attempts: (variantId, newest) => ledger.newestAttempts(variantId, newest) },
    findCredential: (tokenHash) => findCredential(store, tokenHash),
    findAppAccess: (tokenHash) => findAppAccess(store, tokenHash),
    noteUse: (credentialId) => uses.noteUse(credentialId),
    requests: createRequestRows(store),
    blobs: ports.blobs,
    assets: (workspaceId, assetId) => readAsset(store, workspaceId, assetId),
    findAssetOwner: async (assetId) => (await findAsset(store, assetId))?.workspaceId ?? null,
    uploads,
    webhooks: {
      endpoints: (workspaceId) => readEndpoints(store, workspaceId),
      latest: (endpoint, limit) => deliveries.latest(endpoint.id, endpoint.createdAt, clock.now(), limit),
      find: (deliveryId) => deliveries.find(deliveryId),
      disabledSince: async (endpointId) => disabledSince(await failing.find(endpointId)),
    },
    publicHttp: ports.publicHttp,
    secretBox: ports.secretBox,
    clock,
    ids,
    reporter,
    ...(tracer && { tracer }),
  };
}

async function findAppAccess(store: TableStore, tokenHash: string): Promise<AppAccess | null> {
  const token = await findAppToken(store, tokenHash);
  const approval = token === null ? null : await findApproval(store, token.approvalId);
  return token === null || approval === null ? null : { ...token, approval };
}

function createInspector(http: PublicHttp, clock: Clock): InspectAddress {
  return async (url, signal) => {
    const found = await inspectAddress(url, { http, clock, signal });
    return found.kind === 'acceptable'
      ? { contentType: found.contentType, bytes: found.bytes, problem: null }
      : { contentType: null, bytes: null, problem: found.detail };
  };
}

/** `apps`: at the Networks that pass on what people ask of our app. */
export function personRequestsOf(ports: Ports, apps: PersonRequestsOptions['apps']): PersonRequests {
  return new PersonRequests({ ...ports, apps, sendCommand: (command) => sendCommand(ports, command) });
}
