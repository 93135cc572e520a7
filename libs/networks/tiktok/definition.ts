import type { DefinitionOf } from '../contract/definition.ts';
import { createTikTokAdapter } from './adapter.ts';
import { createTikTokAuth } from './auth.ts';
import { createTikTokChoices } from './choices.ts';
import { tiktokLimits } from './limits.ts';
import { SCOPES, scopesIn } from './scopes.ts';
import { tiktokTargets } from './targets.ts';

const MINUTE_MS = 60_000;

/**
 * The posts of a day, about 15, are no budget: TikTok counts those of every app, names no number, and says no before
 * anything is published. Upload addresses come with TikTok's answers.
 */
export const tiktokNetwork: DefinitionOf<'tiktok'> = {
  adapter: createTikTokAdapter,
  auth: createTikTokAuth,
  choices: createTikTokChoices,
  scopes: SCOPES,
  limits: tiktokLimits,
  targets: tiktokTargets,
  budget: { account: [{ uses: 6, windowMs: MINUTE_MS }], app: [], atOnce: 256 },
  fetches: 'pictures (its app must have this address as a verified URL prefix)',
  live: {
    api: 'https://open.tiktokapis.com',
    authorize: 'https://www.tiktok.com/v2/auth/authorize/',
    site: 'https://www.tiktok.com',
    hosts: {},
  },
  sandbox: { api: '/sim/tiktok', authorize: '/sim/tiktok/v2/auth/authorize/', site: '/sim/tiktok', hosts: {} },
  signInOf: ({ tiktokScopes }) => {
    const scopes = scopesIn(tiktokScopes);
    return scopes === null ? {} : { scopes };
  },
};
