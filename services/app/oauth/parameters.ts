import { DEFAULT_PERMISSION, isPermission, OFFLINE_ACCESS, resourceOf, type Resources } from './resources.ts';

/** Parameters of OpenID Connect that change nothing here; the library refuses them without the scope `openid`. */
const WITHOUT_MEANING = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce'];

/**
 * What a client asks at the authorization endpoint, in the form that the library judges: the scopes that we know, at
 * least `posts:schedule`, and our resources as we write them. Whatever is wrong otherwise stays, to be refused.
 */
export function authorizeParametersOf(query: string, resources: Resources): URLSearchParams {
  const parameters = new URLSearchParams(query);
  for (const name of WITHOUT_MEANING) parameters.delete(name);
  if (parameters.getAll('scope').length <= 1) parameters.set('scope', knownScopesOf(parameters.get('scope') ?? ''));
  return withOurResources(parameters, resources);
}

/** The body of a request for a token, with our resources as we write them. */
export function tokenParametersOf(body: string, resources: Resources): URLSearchParams {
  return withOurResources(new URLSearchParams(body), resources);
}

function knownScopesOf(scope: string): string {
  const asked = [...new Set(scope.split(' '))];
  const permissions = asked.filter(isPermission);
  const known: string[] = permissions.length === 0 ? [DEFAULT_PERMISSION] : permissions;
  return (asked.includes(OFFLINE_ACCESS) ? [...known, OFFLINE_ACCESS] : known).join(' ');
}

function withOurResources(parameters: URLSearchParams, resources: Resources): URLSearchParams {
  const named = parameters.getAll('resource');
  parameters.delete('resource');
  const ours = new Set(named.map((resource) => resourceOf(resources, resource) ?? resource));
  for (const resource of ours) parameters.append('resource', resource);
  return parameters;
}
