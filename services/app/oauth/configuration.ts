import { interactionPolicy, errors, type Adapter, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { OAuthKey } from '#tables/repositories/oauth-keys.ts';
import type { Sessions } from '../people/signed-in.ts';
import { INTERACTION_MS } from './open-interactions.ts';
import { OFFLINE_ACCESS, resourceOf, type Resources } from './resources.ts';

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
const ACCESS_TOKEN_SECONDS = 15 * MINUTE_SECONDS;

export interface LibraryOptions {
  readonly keys: readonly [OAuthKey, ...OAuthKey[]];
  readonly adapter: (model: string) => Adapter;
  readonly resources: Resources;
  readonly sessions: Sessions;
  /** Where a person decides about an interaction. */
  readonly consentUrl: (interactionId: string) => string;
  /** Hears of each request that a person is asked about, once it is kept. */
  readonly interactionBegun: (ctx: KoaContextWithOIDC, interactionId: string) => Promise<void>;
  /** Whether a document may be fetched that describes a client. */
  readonly mayFetchDocument: (ctx: KoaContextWithOIDC | undefined, address: string) => Promise<boolean>;
  readonly fetchDocument: typeof fetch;
  readonly renderError: NonNullable<Configuration['renderError']>;
}

/** The library as MCP wants it. Where this differs from its defaults, the defaults break clients or tokens. */
export function configurationOf(options: LibraryOptions): Configuration {
  const { keys, adapter, fetchDocument, renderError } = options;
  return {
    adapter,
    jwks: { keys: keys.map(({ jwk }) => ({ ...jwk, alg: 'RS256', use: 'sig' })) as never },
    cookies: {
      keys: keys.map(({ cookieKey }) => cookieKey),
      names: { session: UNUSED_COOKIE, interaction: 'crier_interaction', resume: 'crier_resume' },
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
      jwks: '/oauth/jwks',
    },
    scopes: [...PERMISSIONS, OFFLINE_ACCESS],
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'RS256',
    },
    pkce: { required: () => true },
    features: featuresOf(options),
    interactions: {
      policy: policyOf(options),
      url: async (ctx, { uid }) => {
        await options.interactionBegun(ctx, uid);
        return options.consentUrl(uid);
      },
    },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: MINUTE_SECONDS,
      RefreshToken: 30 * DAY_SECONDS,
      RegistrationAccessToken: 30 * DAY_SECONDS,
      Interaction: INTERACTION_MS / 1000,
      Session: 60 * MINUTE_SECONDS,
    } as NonNullable<Configuration['ttl']>,
    findAccount: (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    // Only what the person just approved: an earlier approval, of another Workspace, must not leak into this request.
    loadExistingGrant: async (ctx) => {
      const approvalId = ctx.oidc.result?.consent?.grantId;
      return approvalId === undefined ? undefined : ctx.oidc.provider.Grant.find(approvalId);
    },
    // A refresh token follows from the client's grant types alone, and no token ends with the browser's session.
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    rotateRefreshToken: () => true,
    fetch: fetchDocument,
    renderError,
  };
}

function featuresOf({ mayFetchDocument, resources }: LibraryOptions): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    registration: { enabled: true },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02', allowFetch: mayFetchDocument as never },
    resourceIndicators: {
      enabled: true,
      defaultResource: async (_ctx, _client, oneOf) =>
        oneOf === undefined || oneOf.includes(resources.mcp) ? resources.mcp : oneOf[0]!,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_ctx, named) => {
        const audience = resourceOf(resources, named);
        if (audience === null)
          throw new errors.InvalidTarget(`the resources here are ${resources.mcp} and ${resources.api}`);
        return {
          audience,
          scope: PERMISSIONS.join(' '),
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
          accessTokenFormat: 'opaque',
        };
      },
    },
  };
}

/** The library wants a session of its own. It is never kept: who is signed in is known by `Sessions`. */
export const UNUSED_COOKIE = 'crier_unused';

/** A person decides about every request; nothing decided before, and no other sign of will, stands for it. */
function policyOf({ sessions }: LibraryOptions): interactionPolicy.Prompt[] {
  const { Prompt, Check } = interactionPolicy;
  return [
    new Prompt(
      { name: 'login', requestable: true },
      new Check(
        'nobody_signed_in',
        'nobody is signed in',
        'login_required',
        async (ctx) => ctx.oidc.result?.login === undefined && (await sessions.current(ctx.req)) === null,
      ),
    ),
    new Prompt({ name: 'select_account', requestable: true }),
    new Prompt(
      { name: 'consent', requestable: true },
      new Check(
        'consent_needed',
        'a person has to approve each request',
        'consent_required',
        (ctx) => ctx.oidc.result?.consent === undefined,
      ),
    ),
  ];
}
