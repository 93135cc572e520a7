import type { NetworkAuth, NetworkEndpoints } from '../contract/adapter.ts';
import { facebookLogin } from '../graph/facebook-login.ts';
import { authByPages } from '../graph/page-auth.ts';
import { NEVER_EXPIRES_AT } from '../graph/token-answer.ts';

/** The last two are asked for and not missed: see `facebookLogin`. */
export const SCOPES = [
  'pages_show_list',
  'pages_read_engagement',
  'pages_manage_posts',
  'pages_manage_engagement',
  'business_management',
] as const;

/**
 * A person signs in with Facebook; each Page that they choose is an account, with a token of its own that doesn't
 * expire.
 */
export function createFacebookAuth(endpoints: NetworkEndpoints): NetworkAuth {
  const login = facebookLogin(endpoints, SCOPES);
  return authByPages({
    network: 'facebook',
    login,
    api: endpoints.api,
    scope: 'pages_manage_posts',
    withInstagram: false,
    accountOf: (page) => ({
      accountId: page.id,
      username: page.username ?? page.id,
      name: page.name,
      avatarUrl: page.pictureUrl,
      kind: 'page',
      // A person who removes the app is known by it.
      facts: { personId: page.personId },
      tokens: { accessToken: page.accessToken, refreshToken: null, expiresAt: NEVER_EXPIRES_AT },
    }),
  });
}
