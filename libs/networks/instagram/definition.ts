import type { DefinitionOf } from '../contract/definition.ts';
import { createInstagramAdapter } from './adapter.ts';
import { createInstagramComments } from './comments.ts';
import { GRAPH_VERSION, inGraphVersion } from '../graph/version.ts';
import { instagramLimits } from './limits.ts';
import { byFacebookLogin, createInstagramAuth, SCOPES } from './auth.ts';
import { instagramTargets } from './targets.ts';

const DIALOG = `/${GRAPH_VERSION}/dialog/oauth`;
const DAY_MS = 24 * 3_600_000;

/**
 * People sign in with Instagram; `byFacebookLogin` changes that. `hosts.token`: where their codes are exchanged.
 * `hosts.facebook`: the host of the calls of accounts that were connected by Facebook Login, whose dialog is at
 * `hosts.facebookAuthorize`.
 */
export const instagramNetwork: DefinitionOf<'instagram'> = {
  adapter: createInstagramAdapter,
  auth: createInstagramAuth,
  comments: createInstagramComments,
  scopes: SCOPES,
  limits: instagramLimits,
  targets: instagramTargets,
  budget: { account: [{ uses: 100, windowMs: DAY_MS }], app: [], atOnce: 256 },
  fetches: 'pictures and videos',
  live: {
    api: 'https://graph.instagram.com',
    authorize: 'https://www.instagram.com/oauth/authorize',
    site: 'https://www.instagram.com',
    hosts: {
      token: 'https://api.instagram.com',
      facebook: 'https://graph.facebook.com',
      facebookAuthorize: `https://www.facebook.com${DIALOG}`,
    },
  },
  sandbox: {
    api: '/sim/instagram',
    authorize: '/sim/instagram/oauth/authorize',
    site: '/sim/instagram',
    hosts: { token: '/sim/instagram', facebook: '/sim/facebook', facebookAuthorize: `/sim/facebook${DIALOG}` },
  },
  addressesFor: (live, { graphVersion, instagramLogin }) => {
    const versioned = inGraphVersion(live, graphVersion);
    return instagramLogin === 'facebook' ? byFacebookLogin(versioned) : versioned;
  },
  signInOf: ({ instagramConfigId, instagramScopes }) => ({
    ...(instagramConfigId !== '' && { configId: instagramConfigId }),
    ...(instagramScopes !== '' && { scopes: instagramScopes.trim().split(/[\s,]+/) }),
  }),
  loginOf: ({ instagramLogin }) => (instagramLogin === 'facebook' ? 'Facebook Login' : null),
};
