import type { Network } from '#domain/network.ts';
import type { ConnectableAccount, NetworkAuth } from '../contract/adapter.ts';
import type { FacebookLogin } from './facebook-login.ts';
import { pagesOf, type FacebookPage } from './pages.ts';

export interface PageAuthOptions {
  readonly network: Network;
  readonly login: FacebookLogin;
  /** Facebook's. */
  readonly api: string;
  /** The scope that a Page must have given. */
  readonly scope: string;
  readonly withInstagram: boolean;
  /** null: the Page has no account of this Network. */
  readonly accountOf: (page: FacebookPage) => ConnectableAccount | null;
}

/**
 * A sign-in with Facebook whose accounts are Pages of the person, or belong to them. Their tokens don't expire. None is
 * revoked: Facebook can end only what the person granted the app altogether, which other Channels live on.
 */
export function authByPages({ network, login, api, accountOf, ...wanted }: PageAuthOptions): NetworkAuth {
  return {
    network,
    authorizeUrl: login.authorizeUrl,
    exchange: login.exchange,
    refresh: login.refresh,
    accounts: async (http, { accessToken }) => {
      const pages = await pagesOf(http, accessToken, api, { login, ...wanted });
      if (pages.kind !== 'ok') return pages;
      return { kind: 'ok', value: pages.value.map(accountOf).filter((account) => account !== null) };
    },
    refreshDueAt: ({ expiresAt }) => expiresAt,
  };
}
