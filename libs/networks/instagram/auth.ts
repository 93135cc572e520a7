import type { NetworkAddresses, NetworkAuth, NetworkEndpoints } from '../contract/adapter.ts';
import { facebookLogin } from '../graph/facebook-login.ts';
import { authByPages } from '../graph/page-auth.ts';
import { NEVER_EXPIRES_AT } from '../graph/token-answer.ts';
import { createInstagramLogin } from './instagram-login.ts';
import { askedScopes, FACEBOOK_SCOPES, INSTAGRAM_SCOPES } from './scopes.ts';

/** A sign-in asks for those of its own login only. */
export const SCOPES = [...askedScopes(INSTAGRAM_SCOPES), ...askedScopes(FACEBOOK_SCOPES)];

/**
 * The same addresses, for new accounts to come by Facebook Login, as those that belong to a Page, rather than by
 * Instagram Login. The app's id and secret are Facebook's then.
 */
export function byFacebookLogin<A extends NetworkAddresses>(addresses: A): A {
  return { ...addresses, authorize: addresses.hosts['facebookAuthorize'] ?? addresses.authorize };
}

/**
 * Either login, as the address says that people are sent to. Accounts that came by the other one are kept up all the
 * same.
 */
export function createInstagramAuth(endpoints: NetworkEndpoints): NetworkAuth {
  const instagram = createInstagramLogin(endpoints);
  const facebook = createFacebookLogin(endpoints);
  const chosen = endpoints.authorize === endpoints.hosts['facebookAuthorize'] ? facebook : instagram;
  return {
    ...chosen,
    refresh: (http, tokens, now) =>
      (tokens.expiresAt >= NEVER_EXPIRES_AT ? facebook : instagram).refresh(http, tokens, now),
    refreshDueAt: (tokens, issuedAt) =>
      (tokens.expiresAt >= NEVER_EXPIRES_AT ? facebook : instagram).refreshDueAt(tokens, issuedAt),
  };
}

/**
 * Instagram accounts that belong to Pages of the person: each is published to with its Page's token, which doesn't
 * expire.
 */
function createFacebookLogin(endpoints: NetworkEndpoints): NetworkAuth {
  const api = endpoints.hosts['facebook'] ?? endpoints.api;
  const login = facebookLogin({ ...endpoints, api }, askedScopes(FACEBOOK_SCOPES, endpoints.signIn));
  return authByPages({
    network: 'instagram',
    login,
    api,
    scope: 'pages_show_list',
    withInstagram: true,
    accountOf: ({ instagram, accessToken, personId }) =>
      instagram === null
        ? null
        : {
            accountId: instagram.id,
            username: instagram.username,
            name: instagram.name ?? instagram.username,
            avatarUrl: instagram.pictureUrl,
            kind: 'business',
            // Meta names a person who removed the app by `personId`.
            facts: { login: 'facebook', personId },
            tokens: { accessToken, refreshToken: null, expiresAt: NEVER_EXPIRES_AT },
          },
  });
}
