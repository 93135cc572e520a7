import type { Codec } from '#codec/codec.ts';
import type { SystemClock } from '#adapters/system/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Secrets } from './secrets.ts';

/** Where data lives and records go, opened for one process. */
export interface Engine {
  readonly log: Log;
  readonly store: TableStore;
  readonly codec: Codec;
  readonly clock: SystemClock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  close(): Promise<void>;
}
