import type { Sizes } from '../sizes.ts';

/** The sizes of the workloads beside peers, by the name of the benchmark's own sizes. */
export interface PeerSizes {
  readonly rounds: number;
  /** As those of the benchmark's own floors. */
  readonly floorSeconds: number;
  /** How long the check waits for what does not come. */
  readonly checkMs: number;
  readonly warmUpPosts: number;
  /** Posts that one client creates, one after the other. */
  readonly creates: number;
  readonly clients: number;
  readonly workspaces: number;
  readonly throughputSeconds: number;
  readonly dueASecond: number;
  readonly dueSeconds: number;
  /** Variants at one instant, two for each Post. */
  readonly atOneInstant: number;
  /** Of the rows that are made for few channels and for many. */
  readonly manyChannels: number;
  readonly listRequests: number;
  readonly outstanding: number;
  /** Variants whose worker is killed amid them: by a rate, and at one instant. */
  readonly killedSeconds: number;
  readonly killedAtOneInstant: number;
  /** How long after the instant the worker is killed. */
  readonly burstKillMs: number;
  /** When the worker that was killed is started again. */
  readonly downMs: number;
  /** How long after that all that was due may take to end. */
  readonly settleMs: number;
  /** Posts whose syncs are counted, one after the other. */
  readonly syncedPosts: number;
  /** Between the last Post of a plan that is created and the first that is due. */
  readonly leadMs: number;
}

const FULL: PeerSizes = {
  rounds: 3,
  floorSeconds: 3,
  checkMs: 30_000,
  warmUpPosts: 600,
  creates: 1_000,
  clients: 64,
  workspaces: 16,
  throughputSeconds: 10,
  dueASecond: 150,
  dueSeconds: 20,
  atOneInstant: 10_000,
  manyChannels: 96,
  listRequests: 200,
  outstanding: 100_000,
  killedSeconds: 20,
  killedAtOneInstant: 6_000,
  burstKillMs: 3_000,
  downMs: 1_000,
  settleMs: 150_000,
  syncedPosts: 50,
  leadMs: 3_000,
};

const QUICK: PeerSizes = {
  ...FULL,
  rounds: 1,
  floorSeconds: 1,
  warmUpPosts: 300,
  creates: 300,
  throughputSeconds: 4,
  dueSeconds: 6,
  atOneInstant: 2_000,
  listRequests: 50,
  outstanding: 20_000,
  killedSeconds: 6,
  killedAtOneInstant: 2_000,
  burstKillMs: 500,
  settleMs: 75_000,
  syncedPosts: 20,
  leadMs: 2_000,
};

const SMOKE: PeerSizes = {
  ...QUICK,
  floorSeconds: 0.1,
  warmUpPosts: 10,
  creates: 5,
  clients: 4,
  workspaces: 2,
  throughputSeconds: 0.3,
  dueSeconds: 0.2,
  atOneInstant: 40,
  manyChannels: 4,
  listRequests: 3,
  outstanding: 150,
  killedSeconds: 0.4,
  killedAtOneInstant: 40,
  burstKillMs: 5,
  downMs: 100,
  settleMs: 2_000,
  syncedPosts: 2,
  leadMs: 700,
};

export const PEER_SIZES: Readonly<Record<Sizes['name'], PeerSizes>> = { full: FULL, quick: QUICK, smoke: SMOKE };
