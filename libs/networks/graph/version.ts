import type { NetworkAddresses } from '../contract/adapter.ts';

/** Of the Graph API, where an address doesn't end in another one (`https://graph.facebook.com/v26.0`). */
export const GRAPH_VERSION = 'v25.0';

const VERSION = /\/v[0-9]+\.[0-9]+$/;

/** Where versioned calls go. */
export function versioned(api: string): string {
  return VERSION.test(api) ? api : `${api}/${GRAPH_VERSION}`;
}

/** Where the calls go that have no version, those for tokens at Instagram. */
export function unversioned(api: string): string {
  return api.replace(VERSION, '');
}

/**
 * `addresses` with `version` where they name the one we would call, or none; one that an operator wrote at the end of
 * an address stays.
 */
export function inGraphVersion(addresses: NetworkAddresses, version: string): NetworkAddresses {
  const { api, authorize, hosts } = addresses;
  const calls = (address: string): string => (VERSION.test(address) ? address : `${address}/${version}`);
  const dialog = (address: string): string => address.replace(`/${GRAPH_VERSION}/dialog/`, `/${version}/dialog/`);
  const { video, facebook, facebookAuthorize } = hosts;
  return {
    ...addresses,
    api: calls(api),
    authorize: dialog(authorize),
    hosts: {
      ...hosts,
      ...(video !== undefined && { video: calls(video) }),
      ...(facebook !== undefined && { facebook: calls(facebook) }),
      ...(facebookAuthorize !== undefined && { facebookAuthorize: dialog(facebookAuthorize) }),
    },
  };
}
