import type { NetworkDefinition } from '../contract/adapter.ts';
import { createThreadsAuth } from './auth.ts';
import { threadsLimits } from './limits.ts';
import { createThreadsAdapter } from './publish.ts';
import { threadsTargets } from './targets.ts';

export const threadsNetwork: NetworkDefinition = {
  adapter: createThreadsAdapter,
  auth: createThreadsAuth,
  limits: threadsLimits,
  targets: threadsTargets,
  budget: { account: [{ uses: 250, windowMs: 24 * 3_600_000 }], app: [], atOnce: 256 },
  live: {
    api: 'https://graph.threads.net',
    authorize: 'https://threads.com/oauth/authorize',
    site: 'https://www.threads.com',
    hosts: {},
  },
  sandbox: { api: '/sim/threads', authorize: '/sim/threads/oauth/authorize', site: '/sim/threads', hosts: {} },
};
