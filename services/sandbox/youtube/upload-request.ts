import type { Account } from '../accounts.ts';
import type { Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { Limits } from '../limits.ts';
import type { SimulatorOptions } from '../simulator.ts';
import type { DailyQuota } from './quota.ts';
import type { Videos } from './videos.ts';

/** Calls of the project, and videos of a channel, per day, and the playlists of a channel; configurable. */
export const YOUTUBE_LIMITS = { insertsPerDay: 100, uploadsPerChannel: 50, playlists: 2 };
export type YoutubeLimit = keyof typeof YOUTUBE_LIMITS;

export interface YoutubeOptions extends SimulatorOptions {
  readonly videos: Videos;
  readonly limits: Limits<YoutubeLimit>;
  readonly quota: DailyQuota;
}

/** An admitted call in the name of a channel. */
export interface UploadRequest {
  readonly request: Incoming;
  readonly query: URLSearchParams;
  readonly account: Account;
  readonly fault: Fault<NetworkFault> | null;
  readonly now: number;
}
