import type { Reporter } from '#reporting/reporter.ts';
import type { BlobStore } from './blob-store.ts';
import type { Clock } from './clock.ts';
import type { HttpClient } from './http-client.ts';
import type { Ids } from './ids.ts';
import type { Log } from './log.ts';
import type { PublicHttp } from './public-http.ts';
import type { SecretBox } from './secret-box.ts';
import type { TableStore } from './table-store.ts';

/** The ports of one process. What needs some of them says `Pick<WorldPorts, ...>`. */
export interface WorldPorts {
  readonly log: Log;
  readonly store: TableStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly http: HttpClient;
  readonly publicHttp: PublicHttp;
  readonly secretBox: SecretBox;
}
