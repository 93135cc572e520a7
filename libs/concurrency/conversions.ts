import type { FairPool } from './fair-pool.ts';
import type { Pools } from './pools.ts';

export type ConversionKind = 'image' | 'video';

export interface ConversionLoad {
  readonly running: number;
  readonly waiting: number;
}

/** A Workspace may hold this many times the permits that are free: alone, it gets three quarters of the pool. */
const TIMES_FREE = 3;

/** Beyond `atOnce`, for a Workspace that has none at work: else it would wait for the end of another's conversion. */
export const SPARE_CONVERSIONS = 1;
/** Beside those, a video of another Workspace than the one that has a video at work, which may go on for an hour. */
export const SPARE_VIDEOS = 1;

/**
 * The conversions of one process: `atOnce` and a spare one, pictures and videos together. Of videos a Workspace has one
 * at a time, since each keeps up to four cores busy, and a second one is at work beside it only for another Workspace,
 * beyond what goes on at once. So with two or more at once a picture never waits for videos. All are shared by
 * Workspace.
 *
 * A conversion waits -> runs -> has ended; a video waits for its turn among videos first, so that videos which wait
 * hold no permit that a picture needs.
 */
export class Conversions {
  readonly #all: FairPool<'workspace'>;
  readonly #videos: FairPool<'workspace'>;
  /** A video holds, or waits for, one of the conversions that go on at once. */
  #hasVideo = false;
  readonly #load: Record<ConversionKind, { running: number; waiting: number }> = {
    image: { running: 0, waiting: 0 },
    video: { running: 0, waiting: 0 },
  };

  constructor(atOnce: number, pools: Pools) {
    this.#all = pools.open('conversions', {
      ...{ permits: atOnce + SPARE_CONVERSIONS, spare: SPARE_CONVERSIONS },
      ...{ maxOf: { workspace: atOnce }, timesFree: TIMES_FREE },
    });
    this.#videos = pools.open('videos', { permits: 1 + SPARE_VIDEOS, maxOf: { workspace: 1 } });
  }

  /** Rejects with the signal's reason when it is aborted before the work begins. */
  async run<T>(
    { kind, workspace }: { readonly kind: ConversionKind; readonly workspace: string },
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const load = this.#load[kind];
    let isWaiting = true;
    load.waiting += 1;
    const begun = async (): Promise<T> => {
      isWaiting = false;
      load.waiting -= 1;
      load.running += 1;
      return work().finally(() => (load.running -= 1));
    };
    const inTurn = (): Promise<T> => this.#all.run({ workspace }, begun, signal);
    const asVideo = (): Promise<T> => {
      if (this.#hasVideo) return begun();
      this.#hasVideo = true;
      return inTurn().finally(() => (this.#hasVideo = false));
    };
    try {
      return await (kind === 'video' ? this.#videos.run({ workspace }, asVideo, signal) : inTurn());
    } finally {
      if (isWaiting) load.waiting -= 1;
    }
  }

  load(): Readonly<Record<ConversionKind, ConversionLoad>> {
    return { image: { ...this.#load.image }, video: { ...this.#load.video } };
  }
}
