import type { Site, WriteMode } from './installation.ts';

/** What the rows of full sizes are asked for. */
interface Bounds {
  /** POST /api/posts, one client, and many clients. */
  readonly createP50Ms: number;
  readonly createP99Ms: number;
  readonly createsPerSecond: number;
  /** Of Variants that come due one after another: live after. */
  readonly liveP99Ms: number;
  /** Of Variants that come due at one instant: the last one. */
  readonly handedOverS: number;
  readonly lastLiveS: number;
}

const EMBEDDED: Bounds = {
  ...{ createP50Ms: 2.5, createP99Ms: 8, createsPerSecond: 3_000 },
  ...{ liveP99Ms: 10, handedOverS: 2, lastLiveS: 10 },
};

/** With its engines on the same cores. */
const CLUSTER: Readonly<Record<WriteMode, Bounds>> = {
  periodic: {
    ...{ createP50Ms: 8, createP99Ms: 15, createsPerSecond: 700 },
    ...{ liveP99Ms: 150, handedOverS: 10, lastLiveS: 20 },
  },
  batch: {
    ...{ createP50Ms: 10, createP99Ms: 25, createsPerSecond: 450 },
    ...{ liveP99Ms: 500, handedOverS: 10, lastLiveS: 30 },
  },
  flushed: {
    ...{ createP50Ms: 10, createP99Ms: 25, createsPerSecond: 400 },
    ...{ liveP99Ms: 500, handedOverS: 10, lastLiveS: 30 },
  },
};

export function boundsOf({ writes }: Site): Bounds {
  return writes === null ? EMBEDDED : CLUSTER[writes];
}
