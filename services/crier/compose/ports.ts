import type { Codec } from '#messages/messages.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log } from '#ports/log.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';

/** The world, as one process sees it. */
export interface Ports {
  readonly log: Log;
  readonly store: TableStore;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly http: HttpClient;
  readonly publicHttp: PublicHttp;
  readonly secretBox: SecretBox;
}
