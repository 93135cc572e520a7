import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ReadAccountChoices } from '#connections/account-choices.ts';
import type { MediaUrl } from '#domain/post/render.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { Tracer } from '#ports/tracer.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { FrontDoor } from '#http-server/front-door.ts';
import { Listening, type ListeningService } from '#runtime/listening.ts';
import type { MediaAddresses } from '#media/media-addresses.ts';
import { MIN_CLIENT_PACE } from '#media/min-pace.ts';
import { CredentialCache } from '#tables/repositories/credential-cache.ts';
import type { UploadRows } from '#tables/repositories/uploads.ts';
import { createAuthenticate, isBudgetOfApp } from './authenticate.ts';
import { createFileOwners } from './file-owners.ts';
import { createServedFiles } from './served-files.ts';
import type { FindAppAccess, FindAssetOwner, FindCredential, NoteUse } from './dependencies.ts';
import type {
  RequestCommand,
  AssetReader,
  AttemptReader,
  InspectAddress,
  JudgeFile,
  MetricsOfPost,
  PostReader,
  VideosUnavailable,
  WebhookReader,
  WorkspaceReader,
} from '#use-cases/dependencies.ts';
import { RateLimiter } from '#rate-limit/rate-limiter.ts';
import { atWallTime } from '#rate-limit/wall-time.ts';
import type { RequestRows } from '#tables/repositories/requests.ts';
import { McpEndpoint } from './mcp/endpoint.ts';
import { createOrigins } from './mcp/origins.ts';
import { createProtocol } from './mcp/server.ts';
import { createTools } from './mcp/tools.ts';
import { createApp } from './rest/app.ts';
import type { ConnectPagesOptions } from './rest/connect-pages.ts';
import type { PersonRequestRoutesOptions } from './rest/person-requests.ts';
import { createListener, type ListenerOptions, type ListenerTls } from '#http-server/listener.ts';
import { createRoutes } from './rest/routes.ts';
import type { DoorParts } from '#use-cases/door-parts.ts';

export interface IngressOptions {
  readonly request: RequestCommand;
  readonly posts: PostReader;
  readonly workspaces: WorkspaceReader;
  readonly metrics: MetricsOfPost;
  readonly mediaUrl: MediaUrl;
  readonly inspectAddress: InspectAddress;
  readonly ledger: AttemptReader;
  readonly accountChoices: ReadAccountChoices;
  readonly webhooks: WebhookReader;
  /** Reads the table at each call: the service caches. */
  readonly findCredential: FindCredential;
  /** Reads the tables at each call: the service caches. */
  readonly findAppAccess: FindAppAccess;
  readonly noteUse: NoteUse;
  readonly requests: RequestRows;
  readonly signIns: ConnectPagesOptions['signIns'];
  readonly personRequests: PersonRequestRoutesOptions['personRequests'];
  readonly blobs: BlobStore;
  readonly assets: AssetReader;
  readonly findAssetOwner: FindAssetOwner;
  readonly uploads: UploadRows;
  readonly judge: JudgeFile;
  readonly videosOff: VideosUnavailable;
  readonly mediaAddresses: MediaAddresses;
  readonly uploadsAtOnce: number;
  readonly mediaReadersAtOnce: number;
  readonly publicHttp: PublicHttp;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly tracer?: Tracer;
  /** This process's internal address, to which answers are hinted. */
  readonly replyTo: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Where clients reach the API; null: where the service listens. */
  readonly publicUrl: string | null;
  /** Null: plain HTTP. */
  readonly tls: ListenerTls | null;
  readonly trustedProxies: readonly string[];
  readonly hstsSeconds?: number;
  /** What other roles of this process serve on the same listener. */
  readonly doors: readonly FrontDoor[];
  /** Origins whose pages may use the MCP server, besides that of the public address. */
  readonly allowedOrigins: readonly string[];
  /** 0: no limit. */
  readonly requestsPerMinute: number;
  /** Shared with what else of this process calls the use cases. */
  readonly doorParts: DoorParts;
  /** Counts the requests that are being answered. */
  readonly inFlight?: ListenerOptions['inFlight'];
}

/** Of one person of a Network: a Network sends one for each wish, and repeats it at most a few times. */
const PERSON_REQUESTS_PER_MINUTE = 10;

/** What a client asks to find out what there is counts apart from its calls, up to this many times their limit. */
const DISCOVERY_SHARE = 2;

/** The service of the role ingress: REST and MCP, uploads, media files, sign-in pages and the developers' pages. */
export function createIngressService(options: IngressOptions): ListeningService {
  const { clock, ids, requests: rows, tls } = options;
  const limiterOf = (limit: number, by: Clock = clock): RateLimiter | null =>
    limit === 0 ? null : new RateLimiter({ rows, clock: by, ids, limit });
  const wall = atWallTime(clock);
  const publicUrl = (): string => options.publicUrl ?? listening.address().url;
  const patientWith = new WeakSet<Duplex>();
  const judgedByHandler = new WeakSet<ServerResponse>();
  const authenticate = createAuthenticate(cachedLookUps({ ...options, publicUrl }));
  const useCases = { ...options, publicUrl, ...options.doorParts };
  const limiter = limiterOfCallers({
    ofKeys: limiterOf(options.requestsPerMinute),
    ofApps: limiterOf(options.requestsPerMinute, wall),
  });
  const draining = () => !listening.isListening;
  const { strangers, turns, slices } = options.doorParts;
  const shared = { ...options, strangers, turns, slices, authenticate, limiter, publicUrl, draining };
  const fileOwners = createFileOwners(options.findAssetOwner);
  const app = createApp({
    ...shared,
    uploadAddresses: useCases.uploadAddresses,
    patientWith,
    judgedByHandler,
    fileOwners,
    isServed: createServedFiles({ ...options, fileOwners }),
    pools: options.doorParts.pools,
    routes: createRoutes(useCases),
    mcp: new McpEndpoint({
      ...shared,
      tools: createTools(useCases),
      serveProtocol: createProtocol(options.clock),
      origins: createOrigins(shared),
      discoveryLimiter: limiterOf(options.requestsPerMinute * DISCOVERY_SHARE, wall),
    }),
    personLimiter: limiterOf(PERSON_REQUESTS_PER_MINUTE)!,
  });
  const listening = new Listening(
    'ingress',
    createListener(app, {
      ...{ tls, patientWith, publicUrl, inFlight: options.inFlight },
      answerPace: answerPaceOf(options, judgedByHandler),
      newRequestId: () => options.ids.uuid7(options.clock.now()),
    }),
    {
      ...options,
      scheme: tls === null ? 'http' : 'https',
      onDrain: () => options.doors.forEach((door) => door.drain?.()),
    },
  );
  return listening;
}

/** Of all answers but files by address: their readers hold permits, and are judged where those are given. */
function answerPaceOf(
  { clock, reporter }: Pick<IngressOptions, 'clock' | 'reporter'>,
  judgedByHandler: WeakSet<ServerResponse>,
): ListenerOptions['answerPace'] {
  const onCutOff = (client: string | undefined): void =>
    reporter.report('slow-client-disconnected', { pool: 'answers', client });
  return { clock, pace: MIN_CLIENT_PACE, judgedByHandler, onCutOff };
}

/** Keys and tokens are looked up again after a few seconds only. */
function cachedLookUps<T extends Pick<IngressOptions, 'clock' | 'findCredential' | 'findAppAccess'>>(options: T): T {
  const { clock } = options;
  const keys = new CredentialCache({ clock, find: options.findCredential });
  const tokens = new CredentialCache({ clock, find: options.findAppAccess });
  return {
    ...options,
    findCredential: (tokenHash) => keys.find(tokenHash),
    findAppAccess: (tokenHash) => tokens.find(tokenHash),
  };
}

/** Budgets of apps go by wall time; those of keys by the Clock port, so that moving its clock lets a key go on. */
function limiterOfCallers({
  ofKeys,
  ofApps,
}: {
  readonly ofKeys: RateLimiter | null;
  readonly ofApps: RateLimiter | null;
}): Pick<RateLimiter, 'admit'> | null {
  if (ofKeys === null || ofApps === null) return null;
  return {
    admit: (budgetId, requestId, uses) => (isBudgetOfApp(budgetId) ? ofApps : ofKeys).admit(budgetId, requestId, uses),
  };
}
