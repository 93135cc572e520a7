import { createHash, randomBytes } from 'node:crypto';
import { HeadlessPerson } from '#testing/headless-person.ts';
import type { CrierServer } from './crier-server.ts';
import { ownerOf, type Home } from './population.ts';

const REDIRECT_URI = 'http://127.0.0.1:9/callback';

/** A token for /mcp that may do everything in this Workspace, got as an app gets it: its owner signs in and approves. */
export async function appToken(
  { baseUrl, sandboxUrl }: CrierServer,
  { workspaceId, number }: Pick<Home, 'workspaceId' | 'number'>,
): Promise<string> {
  const site = {
    ready: { baseUrl, demo: { email: ownerOf(number), workspaceId } },
    sandbox: () => ({ send: async (_method: string, path: string) => ({ body: await jsonOf(sandboxUrl + path) }) }),
  };
  const { client_id: clientId } = (await jsonOf(`${baseUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Bench',
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'none',
    }),
  })) as { readonly client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    resource: `${baseUrl}/mcp`,
    scope: 'posts:schedule posts:publish',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  const back = await new HeadlessPerson(site).follow(`${baseUrl}/oauth/authorize?${asked}`);
  const tokens = (await jsonOf(`${baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: REDIRECT_URI,
      code: back.searchParams.get('code')!,
      code_verifier: verifier,
      resource: `${baseUrl}/mcp`,
    }),
  })) as { readonly access_token: string };
  return tokens.access_token;
}

async function jsonOf(url: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(url, init);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
