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
