import type { DefinitionOf } from '../contract/definition.ts';
import { GRAPH_VERSION, inGraphVersion } from '../graph/version.ts';
import { createFacebookAdapter } from './adapter.ts';
import { createFacebookAuth, SCOPES } from './auth.ts';
import { createFacebookComments } from './comments.ts';
import { facebookLimits } from './limits.ts';
import { facebookTargets } from './targets.ts';

const DIALOG = `/${GRAPH_VERSION}/dialog/oauth`;

/**
 * `hosts.video`: where the bytes of feed videos go. The 30 reels a day are no budget of the Page: they are for reels
 * alone.
 */
export const facebookNetwork: DefinitionOf<'facebook'> = {
  adapter: createFacebookAdapter,
  auth: createFacebookAuth,
  comments: createFacebookComments,
  scopes: SCOPES,
  limits: facebookLimits,
  targets: facebookTargets,
  budget: { account: [], app: [], atOnce: 256 },
  fetches: null,
  live: {
    api: 'https://graph.facebook.com',
    authorize: `https://www.facebook.com${DIALOG}`,
    site: 'https://www.facebook.com',
    hosts: { video: 'https://graph-video.facebook.com' },
  },
  sandbox: {
    api: '/sim/facebook',
    authorize: `/sim/facebook${DIALOG}`,
    site: '/sim/facebook',
    hosts: { video: '/sim/facebook' },
  },
  addressesFor: (live, { graphVersion }) => inGraphVersion(live, graphVersion),
  signInOf: ({ facebookConfigId }) => (facebookConfigId === '' ? {} : { configId: facebookConfigId }),
};
