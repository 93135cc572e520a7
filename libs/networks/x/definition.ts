import type { DefinitionOf } from '../contract/definition.ts';
import { createXAdapter } from './adapter.ts';
import { createXComments } from './comments.ts';
import { createXAuth, SCOPES } from './auth.ts';
import { xLimits } from './limits.ts';
import { xTargets } from './targets.ts';

const MINUTE_MS = 60_000;

export const xNetwork: DefinitionOf<'x'> = {
  adapter: createXAdapter,
  auth: createXAuth,
  comments: createXComments,
  scopes: SCOPES,
  limits: xLimits,
  targets: xTargets,
  budget: {
    account: [{ uses: 100, windowMs: 15 * MINUTE_MS }],
    app: [{ uses: 10_000, windowMs: 24 * 60 * MINUTE_MS }],
    atOnce: 256,
  },
  fetches: null,
  live: { api: 'https://api.x.com', authorize: 'https://x.com/i/oauth2/authorize', site: 'https://x.com', hosts: {} },
  sandbox: { api: '/sim/x', authorize: '/sim/x/i/oauth2/authorize', site: '/sim/x', hosts: {} },
};
