import type { TraceCarrier } from '#domain/traceparent.ts';
import type { Tracer } from '#ports/tracer.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { Post } from '#domain/post/post.ts';
import type { PoolOfWorkspaces } from '#domain/pool.ts';
import type { Network, Placement } from '#domain/network.ts';
import type { FetchResult, FetchRequest } from '#media/fetch-address.ts';
import type { Targets } from '#networks/contract/targets.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import type { ScratchDisk } from '#ports/scratch-disk.ts';
import type { ConsumerPorts, HandlerContext } from '#consumer/consumer-options.ts';
import type { TimerOptions } from '#outbox/timers.ts';
import type { RenditionRows } from '#tables/repositories/renditions.ts';
import type { Conversions } from '#concurrency/conversions.ts';
import type { FairPool } from '#concurrency/fair-pool.ts';
import type { Pools } from '#concurrency/pools.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import type { Scratch } from './scratch.ts';

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
  /** Shared by all that converts in this process. */
  readonly conversions: Conversions;
  readonly shared: Pools;
  readonly slices: Pick<TimeSlices, 'run'>;
  readonly disk: ScratchDisk;
  /** A folder of this process alone, for files under way. */
  readonly scratchFolder: string;
}

type Pool = Pick<FairPool<'workspace'>, 'run'>;

/**
 * What jobs wait for beside conversions, each shared by Workspace. The pools are separate, so that a job that waits for
 * a slow address holds no permit that a picture needs.
 */
export interface MediaPools {
  /** Reading what a job is about. */
  readonly jobs: Pool;
  readonly fetches: Pool;
  /** Looking into what was fetched: a picture is in memory as a whole while it is opened. */
  readonly probes: Pool;
}

/** Files that were fetched, and that one process looks into at once. */
export const PROBES_AT_ONCE = 4;
/** A Workspace may hold this many times the permits that are free: alone, it gets three quarters of the pool. */
const TIMES_FREE = 3;

export function createMediaPools(pools: Pools): MediaPools {
  const open = (pool: PoolOfWorkspaces, permits: number): Pool =>
    pools.open(pool, { permits, maxOf: { workspace: permits }, timesFree: TIMES_FREE });
  return { jobs: open('media-jobs', 16), fetches: open('fetches', 32), probes: open('probes', PROBES_AT_ONCE) };
}

export interface MediaContext extends MediaServiceOptions {
  readonly tracer?: Tracer;
  readonly pools: MediaPools;
  /**
   * Around work that reads the bytes of a file, or rows of any size: it may end the process (see `HandlingMarks`).
   */
  readonly marked: HandlerContext['marked'];
  /** Aborted, with a `PortError`, when this process ends: work that takes long is cut off then. */
  readonly signal: AbortSignal;
}

/** What the steps of one job share. */
export interface JobContext extends MediaContext, TraceCarrier {
  readonly post: Post;
  readonly scratch: Scratch;
}
