import type { FileFacts } from '#domain/media/file-facts.ts';
import type { Network, Placement } from '#domain/network.ts';
import type { Fetched, FetchOrder } from '#media/fetch-address.ts';
import type { Targets } from '#networks/targets.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import type { ConsumerParts } from '#runtime/consumer/keyed-consumer.ts';
import type { TimerParts } from '#runtime/timers.ts';
import type { RenditionRows } from '#tables/renditions.ts';
import type { Slots } from '#runtime/slots.ts';

/** What a Network takes, made of the files of a Post. */
export type TargetsOf = (network: Network, placement: Placement, files: readonly FileFacts[], accountKind: string) => Targets;

export interface MediaParts extends ConsumerParts, TimerParts {
  readonly blobs: BlobStore;
  readonly tools: MediaTools;
  readonly fetchAddress: <T>(order: FetchOrder<T>) => Promise<Fetched<T>>;
  readonly rows: RenditionRows;
  readonly targetsOf: TargetsOf;
  /** Cores of this machine that conversions may keep busy. */
  readonly cores: number;
  /** A folder of this process alone, for files under way. */
  readonly scratchFolder: string;
}

export interface Workshop extends MediaParts {
  readonly slots: Slots;
  /** Aborted, with a `PortError`, once this process lets go of its work: what takes long is cut off then. */
  readonly signal: AbortSignal;
}
