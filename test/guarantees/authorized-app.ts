import { createHash, randomBytes } from 'node:crypto';
import { send, type ClientAnswer } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { formsOf, TestBrowser } from '#testing/test-browser.ts';
import { until } from '#testing/until.ts';

export const REDIRECT = 'https://claude.ai/api/mcp/auth_callback';
const ALL_PERMISSIONS = ['posts:schedule', 'posts:publish', 'webhooks:manage'];

/** Where an installation is reached. Its replicas may have doors of their own, apart from the public address. */
export interface Doors {
  readonly publicUrl: string;
  /** Of the role app. */
  readonly app: string;
  /** Of the role ingress. */
  readonly ingress: string;
  readonly sandbox: string;
}

export function doorsOf({ ready: { baseUrl, sandboxUrl } }: CrierUnderTest): Doors {
  return { publicUrl: baseUrl!, app: baseUrl!, ingress: baseUrl!, sandbox: sandboxUrl! };
}

export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** The newest of at least `count` links that were mailed to the address. */
export async function mailedLink({ sandbox }: Doors, address: string, count = 1): Promise<string> {
  const mails = await until(
    async () => {
      const { body } = await send('GET', `${sandbox}/sandbox/mail?to=${encodeURIComponent(address)}`);
      return body.messages.length >= count ? (body.messages as { text: string }[]) : null;
    },
    { what: `mail to ${address}`, withinMs: 90_000 },
  );
  return pathOf(/http\S+\/sign-in\/links\/[\w-]+/.exec(mails.at(-1)!.text)![0]);
}

/** Presses the button behind a link, and answers with the browser that is signed in then. */
export async function followLink(origin: string, path: string): Promise<TestBrowser> {
  const browser = new TestBrowser(origin);
  const page = await browser.get(path);
  const answer = await browser.send(formsOf(page.html)[0]!);
  if (answer.status !== 303) throw new Error(`the link did not sign in: ${answer.status} ${answer.html}`);
  return browser;
}

/** A Member who was invited, and accepted. */
export async function invited(
  crier: CrierUnderTest,
  doors: Doors,
  { workspaceId, email, role = 'editor' }: { workspaceId: string; email: string; role?: string },
): Promise<{ browser: TestBrowser; memberId: string }> {
  await crier.admin().call('members.invite', { workspaceId, email, name: email.split('@')[0], role });
  const browser = await followLink(doors.app, await mailedLink(doors, email));
  const { members } = await crier.admin().call('workspaces.get', { workspaceId });
  const { memberId } = members.find((member: { email: string }) => member.email === email);
  return { browser, memberId };
}

export async function registered(origin: string, metadata: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const sent = { client_name: 'Claude', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', ...metadata };
  const { status, body } = await send('POST', `${origin}/oauth/register`, sent);
  if (status !== 201) throw new Error(`not registered: ${status} ${JSON.stringify(body)}`);
  return body.client_id;
}

export interface Asked {
  readonly clientId: string;
  readonly workspaceId: string;
  readonly permissions?: readonly string[];
  readonly redirectUri?: string;
}

export interface Code {
  readonly clientId: string;
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

export function authorizePath({ publicUrl }: Doors, { clientId, redirectUri = REDIRECT }: Omit<Asked, 'workspaceId'>) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: 'a state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  for (const resource of ['/mcp', '/api']) query.append('resource', publicUrl + resource);
  return { path: `/oauth/authorize?${query.toString()}`, verifier };
}

/** Presses Allow on the consent page at this path, and answers with where the browser is sent. */
async function allow(
  browser: TestBrowser,
  page: string,
  { workspaceId, permissions = ALL_PERMISSIONS }: Pick<Asked, 'workspaceId' | 'permissions'>,
): Promise<URL> {
  const shown = await browser.get(page);
  const csrfToken = /name="csrfToken" value="([^"]*)"/.exec(shown.html)?.[1];
  if (csrfToken === undefined) throw new Error(`no consent page: ${shown.status} ${shown.html}`);
  const form = new URLSearchParams({ csrfToken, workspaceId, decision: 'approve' });
  for (const permission of permissions) form.append('permissions', permission);
  const decided = await browser.ask('POST', page, { body: form });
  if (decided.status !== 303) throw new Error(`not decided: ${decided.status} ${decided.html}`);
  const answered = await browser.get(pathOf(decided.headers.get('location')!));
  const location = answered.headers.get('location');
  if (location === null) throw new Error(`not sent back: ${answered.status} ${answered.html}`);
  return new URL(location);
}

/** From the app's request to its code. */
export async function approved(browser: TestBrowser, doors: Doors, asked: Asked): Promise<Code> {
  const { clientId, redirectUri = REDIRECT } = asked;
  const { path, verifier } = authorizePath(doors, asked);
  const begun = await browser.get(path);
  const page = begun.headers.get('location');
  if (page === null) throw new Error(`no consent: ${begun.status} ${begun.html}`);
  const callback = await allow(browser, pathOf(page), asked);
  const code = callback.searchParams.get('code');
  if (code === null) throw new Error(`no code: ${callback.href}`);
  return { clientId, code, verifier, redirectUri };
}

/** Asks the token endpoint. */
export async function askToken(
  origin: string,
  parameters: Readonly<Record<string, string>>,
  path = '/oauth/token',
): Promise<ClientAnswer> {
  return send('POST', `${origin}${path}`, new URLSearchParams(parameters).toString(), {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

export function redeem(origin: string, { clientId, code, verifier, redirectUri }: Code, resource: string) {
  return askToken(origin, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    resource,
  });
}

export function refresh(origin: string, clientId: string, token: string, resource: string) {
  return askToken(origin, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, resource });
}

export interface Grant {
  readonly clientId: string;
  readonly mcp: string;
  readonly api: string;
  readonly refresh: string;
}

/** An app with tokens for both resources. */
export async function connected(
  browser: TestBrowser,
  doors: Doors,
  { clientId, ...asked }: Omit<Asked, 'clientId'> & { readonly clientId?: string },
): Promise<Grant> {
  const id = clientId ?? (await registered(doors.app));
  const code = await approved(browser, doors, { clientId: id, ...asked });
  const first = await redeem(doors.app, code, `${doors.publicUrl}/mcp`);
  if (first.status !== 200) throw new Error(`no token: ${JSON.stringify(first.body)}`);
  const second = await refresh(doors.app, id, first.body.refresh_token, `${doors.publicUrl}/api`);
  if (second.status !== 200) throw new Error(`no second token: ${JSON.stringify(second.body)}`);
  return {
    clientId: id,
    mcp: first.body.access_token,
    api: second.body.access_token,
    refresh: second.body.refresh_token,
  };
}

/** Calls a tool as clients of before 2026-07-28 do. */
export function callTool(doors: Doors, token: string, name: string, args: object = {}): Promise<ClientAnswer> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return send('POST', `${doors.ingress}/mcp`, body, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      // As the proxy in front of replicas says it.
      'x-forwarded-host': new URL(doors.publicUrl).host,
    },
  });
}
