import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { send } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { formsOf, TestBrowser } from '#testing/test-browser.ts';
import {
  approved,
  askToken,
  authorizePath,
  callTool,
  doorsOf,
  followLink,
  mailedLink,
  pathOf,
  redeem,
  REDIRECT,
  refresh,
  registered,
  type Doors,
} from './authorized-app.ts';

/** The sandbox stands for the mail server, so the letters of people are its to keep. */
const OF_THE_SANDBOX = /sandbox/;

/** By where they come from. */
type Secrets = Map<string, string>;

/** Each cookie, and the secret part of one that names its account, too. */
function addCookies(secrets: Secrets, { cookies }: TestBrowser): void {
  for (const [name, value] of cookies)
    for (const part of value.split('.')) if (/^[\w-]{27,60}$/.test(part)) secrets.set(`cookie ${name}`, part);
}

async function signIn(crier: CrierUnderTest, doors: Doors, secrets: Secrets): Promise<TestBrowser> {
  const email = 'planted@example.com';
  const { workspaceId } = crier.ready.demo!;
  await crier.admin().call('members.invite', { workspaceId, email, name: 'Planted', role: 'editor' });
  const invitation = await mailedLink(doors, email);
  const asking = new TestBrowser(doors.app);
  await asking.send(formsOf((await asking.get('/sign-in')).html)[0]!, { email });
  const unused = await mailedLink(doors, email, 2);
  addCookies(secrets, asking);
  const browser = await followLink(doors.app, invitation);
  addCookies(secrets, browser);
  secrets.set('link that was used', invitation.split('/').at(-1)!).set('link that is open', unused.split('/').at(-1)!);
  return browser;
}

/** Tokens that are good, used up and refused, with every error on the way. */
async function connect(doors: Doors, browser: TestBrowser, workspaceId: string, secrets: Secrets): Promise<void> {
  const mcp = `${doors.publicUrl}/mcp`;
  const { body: client } = await send('POST', `${doors.app}/oauth/register`, {
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'client_secret_post',
  });
  secrets.set('client secret', client.client_secret).set('registration token', client.registration_access_token);
  const withSecret = await approved(browser, doors, { clientId: client.client_id, workspaceId });
  secrets.set('code of the client with a secret', withSecret.code);
  const grant = { grant_type: 'authorization_code', client_id: client.client_id, code: withSecret.code };
  const proof = { code_verifier: withSecret.verifier, redirect_uri: REDIRECT };
  const wrong = 'planted-client-secret-that-is-wrong';
  secrets.set('wrong client secret', wrong);
  expect((await askToken(doors.app, { ...grant, ...proof, client_secret: wrong })).status).toBe(401);
  expect((await askToken(doors.app, { ...grant, ...proof, client_secret: client.client_secret })).status).toBe(200);

  const clientId = await registered(doors.app);
  const open = await approved(browser, doors, { clientId, workspaceId });
  secrets.set('code that is open', open.code);
  const code = await approved(browser, doors, { clientId, workspaceId });
  secrets.set('code', code.code).set('verifier', code.verifier);
  const { body: first } = await redeem(doors.app, code, mcp);
  const { body: next } = await refresh(doors.app, clientId, first.refresh_token, mcp);
  for (const [which, tokens] of Object.entries({ first, next }))
    secrets.set(`${which} access token`, tokens.access_token).set(`${which} refresh token`, tokens.refresh_token);
  expect((await callTool(doors, next.access_token, 'get_post', { postId: next.refresh_token })).status).toBe(200);
  expect((await callTool(doors, next.refresh_token, 'list_channels')).status).toBe(401);
  expect((await send('GET', `${doors.ingress}/api/channels?token=${next.access_token}`)).status).toBe(401);
  expect((await redeem(doors.app, code, mcp)).status).toBe(400);
  expect((await refresh(doors.app, clientId, next.refresh_token, mcp)).status).toBe(400);
  const begun = await browser.get(authorizePath(doors, { clientId }).path);
  expect((await browser.get(pathOf(begun.headers.get('location')!))).status).toBe(200);
  addCookies(secrets, browser);
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !OF_THE_SANDBOX.test(path.slice(folder.length)));
}

/** Null for what the process removed since its folder was read, as it does with files that arrive. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

test('links, cookies, codes, tokens and secrets of clients are in no file, log, metric or answer for operators', async () => {
  await using crier = await CrierUnderTest.start({ name: 'sign-in-secrets', env: { CRIER_LOG_LEVEL: 'debug' } });
  const doors = doorsOf(crier);
  const { workspaceId } = crier.ready.demo!;
  const secrets: Secrets = new Map();
  await connect(doors, await signIn(crier, doors, secrets), workspaceId, secrets);
  expect(secrets.size).toBeGreaterThan(15);
  for (const [what, secret] of secrets) expect(secret.length, what).toBeGreaterThan(25);

  const admin = crier.admin();
  const shown: Record<string, string> = { log: crier.output() };
  shown['metrics'] = String((await admin.get('/metrics')).body);
  for (const procedure of ['deadLetters.list', 'parked.list', 'system.status'])
    shown[procedure] = JSON.stringify(await admin.call(procedure, {}));
  for (const procedure of ['workspaces.get', 'apps.list'])
    shown[procedure] = JSON.stringify(await admin.call(procedure, { workspaceId }));
  // While the process runs, so that what is only in the write-ahead log is seen, too.
  for (const path of filesBelow(crier.dataDir)) {
    const text = readIfThere(path);
    if (text !== null) shown[path] = text;
  }
  expect(Object.keys(shown).some((path) => path.endsWith('.db') || path.endsWith('.sqlite'))).toBe(true);
  expect(Object.values(shown).some((text) => text.includes('Planted'))).toBe(true);
  expect(shown['metrics']).toContain('crier_');

  const found = Object.entries(shown).flatMap(([where, text]) =>
    [...secrets].filter(([, secret]) => text.includes(secret)).map(([what]) => `${what} in ${where}`),
  );
  expect(found).toEqual([]);
});
