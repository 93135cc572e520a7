import type { Codec } from '#messages/messages.ts';
import type { Chore } from '#adapters/node-cron/housekeeping.ts';
import type { SystemClock } from '#adapters/system/clock.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Secrets } from './secrets.ts';

/** Where data lives and records go, for one process. */
export interface Engine {
  readonly log: Log;
  readonly store: TableStore;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly clock: SystemClock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  /**
   * Resolves when what this release needs is there, however long the engines are away; at once when `signal` is
   * aborted. Rejects with `PortError` `refused` when it is not there and only an operator can make it. Before that,
   * nothing works.
   */
  ready(signal: AbortSignal): Promise<void>;
  /** What is good for the data now and then, and never needed. */
  readonly chores: readonly Chore[];
  close(): Promise<void>;
}
