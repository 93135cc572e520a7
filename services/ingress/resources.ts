/** What an app's token can be for: the REST API, or the MCP server. A token is for one of them. */
export type ResourceName = 'api' | 'mcp';

const PATHS: Readonly<Record<ResourceName, string>> = { api: '/api', mcp: '/mcp' };

/** Where the metadata of the resource at the public address itself is; those of its parts are below it. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The identifier of a resource, as tokens are asked for: its address, without a slash at its end. */
export function resourceOf(name: ResourceName, publicUrl: string): string {
  return publicUrl.replace(/\/$/, '') + PATHS[name];
}

/** Where the metadata of a resource is, by which clients find the authorization server. */
function metadataUrlOf(name: ResourceName, publicUrl: string): string {
  return publicUrl.replace(/\/$/, '') + METADATA_PATH + PATHS[name];
}

export interface Challenge {
  readonly publicUrl: string;
  readonly resource: ResourceName;
  /** Of RFC 6750; left out where the request had no token. */
  readonly error?: 'invalid_token' | 'insufficient_scope';
  /** For a person. */
  readonly description?: string;
  /** What the client should ask for. */
  readonly scopes?: readonly string[];
}

/** The value of `WWW-Authenticate`, which tells a client where and how to get a token. */
export function challengeOf({ publicUrl, resource, error, description, scopes }: Challenge): string {
  const parameters = {
    realm: 'crier',
    ...(error !== undefined && { error }),
    ...(description !== undefined && { error_description: description.replaceAll(/["\\]|[^\x20-\x7e]/g, "'") }),
    ...(scopes !== undefined && { scope: scopes.join(' ') }),
    resource_metadata: metadataUrlOf(resource, publicUrl),
  };
  return `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
}
