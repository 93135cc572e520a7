const GRANTS = ['authorization_code', 'refresh_token'];

/** A redirect address longer than this is refused, as are more of them than any client has. */
const MAX_REDIRECT_LENGTH = 2_000;
const MAX_REDIRECTS = 20;
const FORBIDDEN_SCHEMES = ['javascript:', 'vbscript:', 'data:', 'blob:', 'file:', 'about:'];

/** Why a client can not be what its metadata says. `error` is the code of RFC 7591. */
export interface MetadataRefusal {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
  /** Says what to do. */
  readonly description: string;
}

export type ClientMetadata = Readonly<Record<string, unknown>>;

/**
 * What we take of the metadata by which a client describes itself; the rest is not used, and is left out:
 * - its `scope` would bound what it may ask for later, which breaks a step-up;
 * - grants that we do not know would have it refused, and clients list them for other servers' sake;
 * - its application type: with `native` a loopback address matches with any port, and schemes of its own are allowed.
 */
export function keptMetadataOf(metadata: ClientMetadata): ClientMetadata {
  const { redirect_uris, client_name, token_endpoint_auth_method, grant_types, response_types } = metadata;
  const kept = { redirect_uris, client_name, token_endpoint_auth_method, response_types };
  const grants = Array.isArray(grant_types) ? GRANTS.filter((grant) => grant_types.includes(grant)) : undefined;
  const all: Record<string, unknown> = { ...kept, grant_types: grants?.length === 0 ? undefined : grants };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
}

/** Null: its redirect addresses are https, loopback http, or a scheme of the client's own. */
export function refusalOf({ redirect_uris: redirects, client_name: name }: ClientMetadata): MetadataRefusal | null {
  if (name !== undefined && typeof name !== 'string')
    return { error: 'invalid_client_metadata', description: 'client_name must be a text.' };
  if (!Array.isArray(redirects) || redirects.length === 0)
    return { error: 'invalid_redirect_uri', description: 'redirect_uris must name at least one address.' };
  if (redirects.length > MAX_REDIRECTS)
    return { error: 'invalid_redirect_uri', description: `At most ${MAX_REDIRECTS} redirect_uris are taken.` };
  for (const redirect of redirects) {
    const problem = problemOf(redirect);
    if (problem !== null) return { error: 'invalid_redirect_uri', description: `redirect_uris: ${problem}` };
  }
  return null;
}

function problemOf(redirect: unknown): string | null {
  if (typeof redirect !== 'string' || redirect.length > MAX_REDIRECT_LENGTH)
    return `each must be an address of at most ${MAX_REDIRECT_LENGTH} characters.`;
  // Spaces and controls are dropped or moved by parsers, each in its own way.
  const url = /[\p{Cc}\s\\]/u.test(redirect) ? null : URL.parse(redirect);
  if (url === null) return 'each must be an absolute address.';
  if (redirect.includes('#')) return 'an address must not have a fragment.';
  if (url.username !== '' || url.password !== '') return 'an address must not hold a user name.';
  if (FORBIDDEN_SCHEMES.includes(url.protocol)) return `addresses of ${url.protocol} are not taken.`;
  if (url.protocol === 'http:' && !isThisComputer(url)) return 'http is for loopback addresses only; please use https.';
  return null;
}

/** Whether the address leads to a program on the computer of the person who follows it. */
export function isThisComputer({ protocol, hostname }: Pick<URL, 'protocol' | 'hostname'>): boolean {
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
