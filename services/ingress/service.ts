import type { Duplex } from 'node:stream';
import type { MediaUrl } from '#domain/post/render.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import { Listening, type ListeningService } from '#runtime/listening.ts';
import type { MediaAddresses } from '#media/media-addresses.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import { CredentialCache } from '#tables/repositories/credential-cache.ts';
import type { UploadRows } from '#tables/repositories/uploads.ts';
import { createCursors } from './cursors.ts';
import { createFileOwners } from './file-owners.ts';
import type {
  RequestCommand,
  AssetReader,
  AttemptReader,
  FindAssetOwner,
  FindCredential,
  InspectAddress,
  JudgeFile,
  MetricsOfPost,
  PostReader,
  VideosUnavailable,
  WebhookReader,
  WorkspaceReader,
} from './dependencies.ts';
import { RateLimiter } from './rate-limit/rate-limiter.ts';
import type { RequestRows } from './rate-limit/rate-limit-options.ts';
import { createApp } from './rest/app.ts';
import type { ConnectPagesOptions } from './rest/connect-pages.ts';
import { createListener, type TlsFiles } from './rest/listener.ts';
import { createRoutes } from './rest/routes.ts';
import { createUploadAddresses } from './uploads/upload-addresses.ts';
import { createInspections } from './use-cases/inspect-media.ts';

export interface IngressOptions {
  readonly request: RequestCommand;
  readonly posts: PostReader;
  readonly workspaces: WorkspaceReader;
  readonly metrics: MetricsOfPost;
  readonly mediaUrl: MediaUrl;
  readonly inspectAddress: InspectAddress;
  readonly ledger: AttemptReader;
  readonly webhooks: WebhookReader;
  /** Reads the table at each call: the service caches. */
  readonly findCredential: FindCredential;
  readonly requests: RequestRows;
  readonly signIns: ConnectPagesOptions['signIns'];
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
  /** The installation's master secret: cursors and upload addresses are signed under keys derived from it. */
  readonly secret: string;
  /** This process's internal address, to which answers are hinted. */
  readonly replyTo: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Where clients reach the API; null: where the service listens. */
  readonly publicUrl: string | null;
  /** PEM; null: plain HTTP. */
  readonly tls: TlsFiles | null;
  readonly trustedProxies: readonly string[];
  /** 0: no limit. */
  readonly requestsPerMinute: number;
  /** Addresses of files that the Posts of one Workspace may name in a minute; 0: no limit. */
  readonly addressesPerMinute: number;
}

/** The service of the role ingress: the REST API, uploads, media files, sign-in pages and the developers' pages. */
export function createIngressService(options: IngressOptions): ListeningService {
  const { clock, ids, findCredential, requests: rows, secret, tls } = options;
  const limiterOf = (limit: number): RateLimiter | null =>
    limit === 0 ? null : new RateLimiter({ rows, clock, ids, limit });
  const cache = new CredentialCache({ clock, find: findCredential });
  const publicUrl = (): string => options.publicUrl ?? listening.address().url;
  const patientWith = new WeakSet<Duplex>();
  const uploadAddresses = createUploadAddresses(secret);
  const app = createApp({
    ...options,
    uploadAddresses,
    patientWith,
    fileOwners: createFileOwners(options.findAssetOwner),
    routes: createRoutes({
      ...options,
      publicUrl,
      slices: new TimeSlices(clock),
      uploadAddresses,
      cursors: createCursors(secret),
      inspections: createInspections(),
      addressLimiter: limiterOf(options.addressesPerMinute),
    }),
    findCredential: (tokenHash) => cache.find(tokenHash),
    limiter: limiterOf(options.requestsPerMinute),
    publicUrl,
    draining: () => !listening.isListening,
  });
  const listening = new Listening('ingress', createListener(app, tls, patientWith), {
    ...options,
    scheme: tls === null ? 'http' : 'https',
  });
  return listening;
}
