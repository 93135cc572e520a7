import type { FileFacts } from '#domain/media/file-facts.ts';
import type { Network, Placement } from '#domain/network.ts';
import type { FetchResult, FetchRequest } from '#media/fetch-address.ts';
import type { Targets } from '#networks/contract/targets.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import type { TimerOptions } from '#outbox/timers.ts';
import type { RenditionRows } from '#tables/repositories/renditions.ts';
import type { HandlerContext } from '#consumer/consumer-options.ts';
import { FairPlaces } from '#concurrency/fair-places.ts';

/** What a Network takes, made of the files of a Post. */
export type TargetsOf = (
  network: Network,
  placement: Placement,
  files: readonly FileFacts[],
  accountKind: string,
) => Targets;

export interface MediaServiceOptions extends ConsumerPorts, TimerOptions {
  readonly blobs: BlobStore;
  readonly tools: MediaTools;
  readonly fetchAddress: <T>(order: FetchRequest<T>) => Promise<FetchResult<T>>;
  readonly rows: RenditionRows;
  readonly targetsOf: TargetsOf;
  /** Cores of this machine that conversions may keep busy. */
  readonly cores: number;
  /** A folder of this process alone, for files under way. */
  readonly scratchFolder: string;
}

/**
 * What jobs wait for, each shared by Workspace, and apart: who waits for a slow address, or converts a video, keeps no
 * place that a picture needs.
 */
export interface MediaPools {
  /** Reading what a job is about. */
  readonly jobs: FairPlaces;
  readonly fetches: FairPlaces;
  readonly pictures: FairPlaces;
  readonly videos: FairPlaces;
}

/** `cores` of this machine: a video keeps all of them busy, a picture one. */
export function createMediaPools(cores: number): MediaPools {
  return {
    jobs: new FairPlaces(16),
    fetches: new FairPlaces(32),
    pictures: new FairPlaces(cores),
    videos: new FairPlaces(1),
  };
}

export interface MediaContext extends MediaServiceOptions {
  readonly pools: MediaPools;
  /**
   * Around whatever looks at the bytes of a file, or at rows of any size: a process may end by it (see
   * `HandlingMarks`).
   */
  readonly marked: HandlerContext['marked'];
  /** Aborted, with a `PortError`, once this process lets go of its work: what takes long is cut off then. */
  readonly signal: AbortSignal;
}
