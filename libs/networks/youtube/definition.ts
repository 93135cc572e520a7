import type { DefinitionOf } from '../contract/definition.ts';
import { createYouTubeAdapter } from './adapter.ts';
import { createYouTubeAuth, SCOPES } from './auth.ts';
import { createYouTubeChoices } from './choices.ts';
import { createYouTubeComments } from './comments.ts';
import { youtubeLimits } from './limits.ts';
import { createYouTubeMetrics } from './metrics.ts';
import { youtubeTargets } from './targets.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * The hundred uploads a day are those of our project, over all channels. A channel's own daily limit is not published,
 * and YouTube refuses what is over it before a video exists. `atOnce`: each holds a part of a video in memory.
 */
export const youtubeNetwork: DefinitionOf<'youtube'> = {
  adapter: createYouTubeAdapter,
  auth: createYouTubeAuth,
  scopes: SCOPES,
  comments: createYouTubeComments,
  choices: createYouTubeChoices,
  metrics: createYouTubeMetrics,
  limits: youtubeLimits,
  targets: youtubeTargets,
  budget: { account: [], app: [{ uses: 100, windowMs: DAY_MS }], atOnce: 64 },
  fetches: null,
  live: {
    api: 'https://www.googleapis.com/youtube/v3',
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    site: 'https://www.youtube.com',
    hosts: {
      token: 'https://oauth2.googleapis.com/token',
      upload: 'https://www.googleapis.com/upload/youtube/v3',
      analytics: 'https://youtubeanalytics.googleapis.com/v2',
    },
  },
  sandbox: {
    api: '/sim/youtube/youtube/v3',
    authorize: '/sim/youtube/o/oauth2/v2/auth',
    site: '/sim/youtube',
    hosts: { token: '/sim/youtube/token', upload: '/sim/youtube/upload/youtube/v3', analytics: '/sim/youtube/v2' },
  },
};
