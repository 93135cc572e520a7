import type { Network } from '#domain/network.ts';
import type { ApiClient, PostJson, VariantJson } from '#testing/crier-clients.ts';
import type { TestWorkspace } from '#testing/crier-workspace.ts';

/**
 * It takes text alone and gives a Post a handle before the Post is live, so after a kill the Network can be asked and
 * no Variant ends as unconfirmed.
 */
export const CERTAIN_NETWORK = 'threads';

export interface StoredPost extends Pick<PostJson, 'id' | 'text' | 'createdAt' | 'at'> {
  readonly media: readonly { readonly kind: string; readonly altText: string | null }[];
  readonly variants: readonly StoredVariant[];
}

export type StoredVariant = VariantJson & { readonly placement: string; readonly mediaReady: boolean };

/** A file by its bytes. */
export interface StoredFile {
  readonly assetId: string;
  readonly sha256: string;
  readonly bytes: number;
}

interface UsageFacts {
  readonly plan: string;
  readonly used: object;
  readonly xCredits: { readonly available: number; readonly reserved: number };
}

/** What the REST API tells of a Workspace whose Posts are at rest, reduced to what every later release has to show. */
export interface WorkspaceFacts {
  /** Newest written first. */
  readonly posts: readonly StoredPost[];
  readonly channels: readonly object[];
  readonly usage: UsageFacts;
  readonly endpoints: readonly object[];
  /** By Variant, of those that have ended. */
  readonly attempts: Readonly<Record<string, readonly object[]>>;
}

export interface StoredEndpoint {
  readonly id: string;
  /** At the sandbox: `https://inbox.sandbox/<inbox>`. The inbox knows the endpoint's secret and judges signatures. */
  readonly inbox: string;
}

/** A Workspace that wrote Posts up to the last kill, each with its own text, on one Channel. */
export interface BusyWorkspace extends Pick<TestWorkspace, 'workspaceId' | 'apiKey'> {
  readonly endpoint: StoredEndpoint;
}

/** A message that a stored head owes: the log does not have it. */
export interface OwedMessage {
  readonly workspaceId: string;
  readonly variantId: string;
  /** Null: the job of an attempt at the Variant; else the event that tells the Variant's end. */
  readonly eventId: string | null;
}

/** `expected.json`: what is in the stored folder beside it. Instants are those of the stored installation's clock. */
export interface StoredFolder {
  readonly version: string;
  readonly commit: string;
  /** The instant of the last kill. */
  readonly writtenAt: string;
  readonly workspaceId: string;
  readonly apiKey: string;
  readonly revokedKey: string;
  readonly facts: WorkspaceFacts;
  /** Ids of Posts of the demo Workspace. */
  readonly posts: {
    readonly published: string;
    readonly withPicture: string;
    readonly withFilm: string;
    readonly failed: string;
    readonly cancelled: string;
    /** Sent with an Idempotency-Key. */
    readonly idempotent: string;
    /** Its files are those of a media job that ended three processes: its key is parked. */
    readonly parked: string;
    /** Due two hours after the writing began, its files ready. */
    readonly scheduledWithPicture: string;
    /** Due almost two years later, the latest that the API takes. */
    readonly farAhead: readonly string[];
    /** Due minutes after the last kill. */
    readonly dueMeanwhile: string;
  };
  readonly idempotencyKey: string;
  readonly picture: StoredFile;
  /** Completed, and no Post has it. */
  readonly unusedUpload: StoredFile;
  /** It came whole and was not completed. */
  readonly arrivedUpload: StoredFile;
  /** It took every event. */
  readonly well: StoredEndpoint;
  /** It answers 500, so a delivery waits for its next attempt. */
  readonly failing: StoredEndpoint & { readonly deliveryId: string; readonly eventId: string };
  readonly busy: readonly BusyWorkspace[];
  /**
   * Posts whose publishing calls were under way at the last kill: their ledgers are armed, and what the Network said is
   * unknown. `ends`: what becomes of each Variant when the folder is opened within the hour.
   */
  readonly underWay: readonly {
    readonly apiKey: string;
    readonly postId: string;
    readonly ends: Readonly<Partial<Record<Network, 'published' | 'unconfirmed'>>>;
  }[];
  readonly owed: readonly OwedMessage[];
}

/**
 * Leaves out what may differ between releases and starts: fields that are not known here, and the ports in addresses,
 * which are those of the process that answered the Network.
 */
export async function readFacts(api: ApiClient): Promise<WorkspaceFacts> {
  const posts = (await api.listPosts()).map((post) => postFacts(post as StoredPost));
  const ended = posts
    .flatMap(({ variants }) => variants)
    .filter(({ status }) => status === 'published' || status === 'failed');
  const attempts: Record<string, readonly object[]> = {};
  for (const { id } of ended) attempts[id] = (await read(api, `/api/variants/${id}/attempts`)).map(attemptFacts);
  const { plan, used, xCredits } = await api.usage();
  return {
    posts,
    channels: (await read(api, '/api/channels')).map(({ id, network, name, avatarUrl, state, canPostNow }) => ({
      id,
      network,
      name,
      avatar: pathOf(avatarUrl),
      state,
      canPostNow,
    })),
    usage: { plan, used, xCredits },
    endpoints: (await read(api, '/api/webhooks')).map(endpointFacts),
    attempts,
  };
}

function postFacts({ id, text, createdAt, at, media, variants }: StoredPost): StoredPost {
  return {
    id,
    text,
    createdAt,
    at,
    media: media.map(({ kind, altText }) => ({ kind, altText })),
    variants: variants.map(variantFacts),
  };
}

function variantFacts({ permalink, ...variant }: StoredVariant): StoredVariant {
  const { id, channelId, network, placement, status, scheduledAt, failureReason, failureDetail, mediaReady } = variant;
  return {
    id,
    channelId,
    network,
    placement,
    status,
    scheduledAt,
    failureReason,
    failureDetail,
    permalink: pathOf(permalink),
    mediaReady,
  };
}

function attemptFacts({ attempt, startedAt, finishedAt, step, outcome, detail, remoteId }: any): object {
  return { attempt, startedAt, finishedAt, step, outcome, detail, remoteId };
}

/** Attempts at a pending delivery go on while the folder is written, and as soon as it is opened. */
function endpointFacts({ id, url, events, state, createdAt, deliveries }: any): object {
  const told = deliveries.map(({ id, eventId, type, createdAt, ...more }: any) => {
    const rest =
      more.state === 'pending'
        ? {}
        : { attempts: more.attempts, lastAttemptAt: more.lastAttemptAt, responseStatus: more.responseStatus };
    return { id, eventId, type, createdAt, state: more.state, ...rest };
  });
  return { id, url, events, state, createdAt, deliveries: told };
}

async function read(api: ApiClient, path: string): Promise<any[]> {
  const { status, body } = await api.send('GET', path);
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  return body.data;
}

function pathOf(address: string | null): string | null {
  return address === null ? null : new URL(address).pathname;
}
