/** How requests to an address of the authorization server are handled. */
export interface OAuthEndpoint {
  readonly kind: 'document' | 'authorize' | 'resume' | 'token' | 'revoke' | 'register' | 'client' | 'consent';
  /** The path by which the library knows it. */
  readonly path: string;
  readonly methods: readonly string[];
  /** Whether pages of any origin may read its answers. */
  readonly open: boolean;
}

const READ = ['GET', 'HEAD'];
const METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
/** Clients that take a resource's address for the issuer put its path behind. */
const SUFFIXES = ['', '/mcp', '/api'];

const document = (path: string): OAuthEndpoint => ({ kind: 'document', path, methods: READ, open: true });
const AUTHORIZE: OAuthEndpoint = { kind: 'authorize', path: '/oauth/authorize', methods: ['GET'], open: false };
const TOKEN: OAuthEndpoint = { kind: 'token', path: '/oauth/token', methods: ['POST'], open: true };
const REGISTER: OAuthEndpoint = { kind: 'register', path: '/oauth/register', methods: ['POST'], open: true };

const BY_PATH: ReadonlyMap<string, OAuthEndpoint> = new Map([
  ...METADATA.flatMap((path) => SUFFIXES.map((suffix) => [`${path}${suffix}`, document(path)] as const)),
  ['/oauth/jwks', document('/oauth/jwks')],
  ['/oauth/revoke', { kind: 'revoke', path: '/oauth/revoke', methods: ['POST'], open: true }],
  // Clients that find no metadata guess these at the root.
  ...['/oauth/authorize', '/authorize'].map((path) => [path, AUTHORIZE] as const),
  ...['/oauth/token', '/token'].map((path) => [path, TOKEN] as const),
  ...['/oauth/register', '/register'].map((path) => [path, REGISTER] as const),
]);

const BELOW = /^\/oauth\/(authorize|register|consent)\/([\w-]{1,100})$/;

/** Null: it is no address of the authorization server. */
export function endpointOf(path: string): OAuthEndpoint | null {
  const known = BY_PATH.get(path);
  if (known !== undefined) return known;
  switch (BELOW.exec(path)?.[1]) {
    case 'authorize':
      return { kind: 'resume', path, methods: ['GET'], open: false };
    case 'register':
      return { kind: 'client', path, methods: ['GET'], open: true };
    case 'consent':
      return { kind: 'consent', path, methods: ['GET', 'HEAD', 'POST'], open: false };
    default:
      return null;
  }
}
