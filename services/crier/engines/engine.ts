import type { Codec } from '#messages/messages.ts';
import type { Chore } from '#adapters/node-cron/housekeeping.ts';
import type { SystemClock } from '#adapters/system/clock.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Secrets } from './secrets.ts';

/** The storage, log and identity of one process. */
export interface Engine {
  readonly log: Log;
  readonly store: TableStore;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly clock: SystemClock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  /**
   * Resolves when everything that this release needs exists, however long the engines are away; at once when `signal`
   * is aborted. Rejects with `PortError` `refused` when something is missing that only an operator can make. Until it
   * resolves, no other part of the engine may be used.
   */
  ready(signal: AbortSignal): Promise<void>;
  /** Maintenance of the data, which may be skipped. */
  readonly chores: readonly Chore[];
  close(): Promise<void>;
}
