import type { NetworkDefinition } from '../contract/adapter.ts';
import { createTikTokAuth } from './auth.ts';
import { tiktokLimits } from './limits.ts';
import { createTikTokAdapter } from './publish.ts';
import { tiktokTargets } from './targets.ts';

const MINUTE_MS = 60_000;

/**
 * The posts of a day, about 15, are no budget: TikTok counts those of every app, names no number, and says no before
 * anything is published. Upload addresses come with TikTok's answers.
 */
export const tiktokNetwork: NetworkDefinition = {
  adapter: createTikTokAdapter,
  auth: createTikTokAuth,
  limits: tiktokLimits,
  targets: tiktokTargets,
  budget: { account: [{ uses: 6, windowMs: MINUTE_MS }], app: [], atOnce: 256 },
  live: {
    api: 'https://open.tiktokapis.com',
    authorize: 'https://www.tiktok.com/v2/auth/authorize/',
    site: 'https://www.tiktok.com',
    hosts: {},
  },
  sandbox: { api: '/sim/tiktok', authorize: '/sim/tiktok/v2/auth/authorize/', site: '/sim/tiktok', hosts: {} },
};
