import type { Codec } from '#messages/messages.ts';
import type { Chore } from '#adapters/node-cron/housekeeping.ts';
import type { SystemClock } from '#adapters/system/clock.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { WrittenFormat } from '#tables/release.ts';
import type { Secrets } from './secrets.ts';

/** What the clock of another machine shows, compared with this machine's. */
export interface OtherClock {
  readonly machine: string;
  /** How far this machine's clock is ahead of it; negative: behind. */
  readonly aheadMs: number;
}

/** How the engine's clock follows that of the machine. */
export interface Leaps {
  /** How far this machine's clock has leapt without that `now` of the engine's clock followed; 0: it has not. */
  leapMs(): number;
  /** The leap was right, so `now` follows. */
  confirm(leapMs: number): void;
}

/** How the clock of this machine is known to be right. */
export interface ClockReference {
  /** The clocks of the engine's machines that answer. Rejects with `PortError`. */
  others(): Promise<readonly OtherClock[]>;
}

/** The storage, log and identity of one process. */
export interface Engine {
  readonly log: Log;
  readonly store: TableStore;
  readonly blobs: BlobStore;
  readonly codec: Codec;
  readonly clock: SystemClock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  /** Learnt while the process runs: see services/crier/presence. */
  readonly writtenFormat: WrittenFormat;
  /** Whether a lock proves that no other process works on the data, and that all that did before are dead. */
  readonly hasSoleProcess: boolean;
  /**
   * Resolves when everything that this release needs exists, however long the engines are away; at once when `signal`
   * is aborted. Rejects with `PortError` `refused` when something is missing that only an operator can make. Until it
   * resolves, no other part of the engine may be used.
   */
  ready(signal: AbortSignal): Promise<void>;
  readonly leaps: Leaps;
  /** null: the engine has no machine but this one. */
  readonly clockReference: ClockReference | null;
  /** Maintenance of the data, which may be skipped. */
  readonly chores: readonly Chore[];
  close(): Promise<void>;
}
