/**
 * The sizes of the runs. Published figures come from FULL; QUICK is for development; SMOKE only shows that every row
 * can still be produced.
 */
export interface Sizes {
  readonly name: 'full' | 'quick' | 'smoke';
  /** The number of runs whose median is taken. */
  readonly runs: number;
  readonly workspaces: number;
  readonly channelsAWorkspace: number;
  readonly latencyRequests: number;
  readonly latencyWarmUp: number;
  readonly clients: number;
  readonly throughputSeconds: number;
  readonly throughputWarmUpSeconds: number;
  readonly dueASecond: number;
  readonly dueSeconds: number;
  readonly atOneInstant: number;
  /** Variants that come due while everything is held. */
  readonly held: number;
  readonly outstanding: number;
  /** Variants whose bytes and processor time are counted. */
  readonly footprint: number;
  /** Creates, and fires, in one round against the empty and the filled installation. */
  readonly backlogRound: number;
  readonly backlogRounds: number;
  /** Rounds before those, which are not counted. */
  readonly backlogWarmUpRounds: number;
  readonly listPosts: number;
  readonly listRequests: number;
  readonly listRounds: number;
  /** In each round, at each door. */
  readonly toolCalls: number;
  /** The time between creating and the first due time, where it must not be an estimate of how long creating takes. */
  readonly leadMs: number;
  /** Posts to all six Networks per second, for so long, in each run. */
  readonly everywhereASecond: number;
  readonly everywhereSeconds: number;
  /** How long a hanging Network does not answer. */
  readonly hangsMs: number;
  /** Posts to all six Networks, due at one instant. */
  readonly everywhereAtOnce: number;
  /** Events in the log before the server starts. */
  readonly webhookEvents: number;
  readonly webhookPostsASecond: number;
  readonly webhookEndpoints: number;
  readonly webhookTestsASecond: number;
  readonly webhookSeconds: number;
  readonly picture: { readonly width: number; readonly height: number };
  /** Upright, as phones film. */
  readonly video: { readonly width: number; readonly height: number; readonly seconds: number };
  /** Pictures in one round through the tools, and without them. */
  readonly picturesARound: number;
  /** Workspaces that the app is measured with, and Posts in a week of each. */
  readonly appWorkspaces: number;
  readonly appPostsAWeek: number;
  /** How often a first view is measured. */
  readonly appViews: number;
  readonly appFrames: number;
  /** Weeks that one tab goes through. */
  readonly appPagedWeeks: number;
  readonly appTabs: number;
  readonly appChangesASecond: number;
  readonly appLiveSeconds: number;
  /** Rounds of a victim's Workspace without an attack and amid one, and the seconds of either. */
  readonly fairnessRounds: number;
  readonly fairnessSeconds: number;
  /** How long an attack goes on before the victim is measured. */
  readonly fairnessLeadMs: number;
  /** Channels of the attacker, whose pictures are copied. */
  readonly fairnessChannels: number;
  /** Posts of the attacker, where it reads pages. */
  readonly fairnessPosts: number;
  readonly fairnessFilm: Sizes['video'];
  readonly fairnessPicture: { readonly width: number; readonly height: number };
  /** Posts a second of a load that goes on and on, and the seconds of each part of it that is compared with others. */
  readonly steadyASecond: number;
  readonly steadyPartSeconds: number;
  readonly steadyParts: number;
  /** Longer than any stall of the disk: a Post that arrives after its due time would be refused. */
  readonly steadyLeadMs: number;
  readonly turnsOfALargeWorkspace: number;
  readonly idleSeconds: number;
  readonly floorSeconds: number;
}

export const FULL: Sizes = {
  name: 'full',
  runs: 5,
  workspaces: 16,
  channelsAWorkspace: 6,
  latencyRequests: 1_000,
  latencyWarmUp: 1_000,
  clients: 64,
  throughputSeconds: 8,
  throughputWarmUpSeconds: 6,
  dueASecond: 150,
  dueSeconds: 20,
  atOneInstant: 10_000,
  held: 10_000,
  outstanding: 1_000_000,
  footprint: 10_000,
  backlogRound: 200,
  backlogRounds: 9,
  backlogWarmUpRounds: 1,
  listPosts: 100_000,
  listRequests: 100,
  listRounds: 9,
  toolCalls: 300,
  leadMs: 4_000,
  everywhereASecond: 4,
  everywhereSeconds: 8,
  hangsMs: 120_000,
  everywhereAtOnce: 1_667,
  webhookEvents: 5_000,
  webhookPostsASecond: 20,
  webhookEndpoints: 1_000,
  webhookTestsASecond: 50,
  webhookSeconds: 20,
  picture: { width: 4032, height: 3024 },
  video: { width: 1080, height: 1920, seconds: 5 },
  picturesARound: 24,
  appWorkspaces: 50,
  appPostsAWeek: 2_000,
  appViews: 5,
  appFrames: 300,
  appPagedWeeks: 200,
  appTabs: 100,
  appChangesASecond: 10,
  appLiveSeconds: 20,
  fairnessRounds: 3,
  fairnessSeconds: 8,
  fairnessLeadMs: 2_000,
  fairnessChannels: 100,
  fairnessPosts: 1_000,
  fairnessPicture: { width: 4032, height: 3024 },
  fairnessFilm: { width: 1080, height: 1920, seconds: 15 },
  steadyASecond: 100,
  steadyPartSeconds: 600,
  steadyParts: 12,
  steadyLeadMs: 30_000,
  turnsOfALargeWorkspace: 1_000,
  idleSeconds: 10,
  floorSeconds: 3,
};

export const QUICK: Sizes = {
  ...FULL,
  name: 'quick',
  runs: 2,
  latencyRequests: 300,
  latencyWarmUp: 300,
  throughputSeconds: 4,
  throughputWarmUpSeconds: 3,
  dueSeconds: 6,
  atOneInstant: 2_000,
  held: 1_000,
  outstanding: 50_000,
  footprint: 2_000,
  backlogRound: 50,
  backlogRounds: 3,
  listPosts: 20_000,
  listRequests: 50,
  listRounds: 3,
  toolCalls: 200,
  everywhereSeconds: 4,
  everywhereAtOnce: 200,
  webhookEvents: 1_000,
  webhookEndpoints: 200,
  webhookSeconds: 8,
  picturesARound: 8,
  appWorkspaces: 5,
  appViews: 3,
  appPagedWeeks: 40,
  appLiveSeconds: 8,
  fairnessRounds: 2,
  fairnessSeconds: 8,
  fairnessLeadMs: 2_000,
  steadyPartSeconds: 60,
  steadyParts: 5,
  turnsOfALargeWorkspace: 200,
  idleSeconds: 4,
  floorSeconds: 1,
};

export const SMOKE: Sizes = {
  ...QUICK,
  name: 'smoke',
  runs: 1,
  workspaces: 2,
  channelsAWorkspace: 2,
  latencyRequests: 5,
  latencyWarmUp: 2,
  clients: 4,
  throughputSeconds: 0.3,
  throughputWarmUpSeconds: 0.1,
  dueASecond: 20,
  dueSeconds: 0.5,
  atOneInstant: 20,
  held: 20,
  outstanding: 50,
  footprint: 20,
  backlogRound: 3,
  backlogRounds: 1,
  backlogWarmUpRounds: 0,
  listPosts: 150,
  listRequests: 3,
  listRounds: 1,
  toolCalls: 3,
  leadMs: 4_000,
  everywhereASecond: 2,
  everywhereSeconds: 1,
  hangsMs: 500,
  everywhereAtOnce: 2,
  webhookEvents: 10,
  webhookPostsASecond: 10,
  webhookEndpoints: 20,
  webhookTestsASecond: 40,
  webhookSeconds: 0.5,
  picture: { width: 800, height: 600 },
  video: { width: 360, height: 640, seconds: 3.2 },
  picturesARound: 2,
  appWorkspaces: 2,
  appPostsAWeek: 60,
  appViews: 1,
  appFrames: 10,
  appPagedWeeks: 2,
  appTabs: 3,
  appChangesASecond: 4,
  appLiveSeconds: 1,
  fairnessRounds: 1,
  fairnessSeconds: 0.5,
  fairnessLeadMs: 200,
  fairnessChannels: 10,
  fairnessPosts: 10,
  fairnessPicture: { width: 800, height: 600 },
  fairnessFilm: { width: 360, height: 640, seconds: 1 },
  steadyASecond: 20,
  steadyPartSeconds: 0.3,
  steadyParts: 2,
  steadyLeadMs: 2_000,
  turnsOfALargeWorkspace: 5,
  idleSeconds: 0.2,
  floorSeconds: 0.1,
};
