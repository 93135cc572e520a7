import type { DefinitionOf } from '../contract/definition.ts';
import { createThreadsAdapter } from './adapter.ts';
import { createThreadsAuth, SCOPES } from './auth.ts';
import { createThreadsComments } from './comments.ts';
import { threadsLimits } from './limits.ts';
import { threadsTargets } from './targets.ts';

export const threadsNetwork: DefinitionOf<'threads'> = {
  adapter: createThreadsAdapter,
  auth: createThreadsAuth,
  comments: createThreadsComments,
  scopes: SCOPES,
  limits: threadsLimits,
  targets: threadsTargets,
  budget: { account: [{ uses: 250, windowMs: 24 * 3_600_000 }], app: [], atOnce: 256 },
  fetches: 'pictures and videos',
  live: {
    api: 'https://graph.threads.net',
    authorize: 'https://threads.com/oauth/authorize',
    site: 'https://www.threads.com',
    hosts: {},
  },
  sandbox: { api: '/sim/threads', authorize: '/sim/threads/oauth/authorize', site: '/sim/threads', hosts: {} },
};
