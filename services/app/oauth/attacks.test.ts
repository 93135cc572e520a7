import * as oauth from 'oauth4webapi';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Browser, fieldsOf, wayToApp } from './browser.fixture.ts';
import { BASE, membership, OAuthHarness, REDIRECT } from './oauth-harness.fixture.ts';

let server: OAuthHarness;

beforeEach(async () => {
  server = await OAuthHarness.start();
});
afterEach(() => server.stop());

const CHALLENGE = 'x'.repeat(43);
const isAlive = () => [...server.approvals.values()].every(({ revoked }) => !revoked);

/** The token endpoint, asked as an attacker asks it. */
async function asked(parameters: Readonly<Record<string, string>>) {
  const body = new URLSearchParams(parameters);
  const response = await server.fetch(`${BASE}/oauth/token`, { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const codeGrant = (client: oauth.Client, callback: URL, more: Readonly<Record<string, string>> = {}) => ({
  grant_type: 'authorization_code',
  client_id: client.client_id,
  code: callback.searchParams.get('code')!,
  redirect_uri: REDIRECT,
  ...more,
});

describe('a code', () => {
  test('used a second time is refused, and ends the approval with all its tokens', async () => {
    const client = await server.register();
    const { callback, verifier } = await server.approve(client);
    const tokens = await server.redeem(client, { callback, verifier });
    const again = await asked(codeGrant(client, callback, { code_verifier: verifier }));
    expect([again.status, again.body['error'], isAlive()]).toEqual([400, 'invalid_grant', false]);
    await expect(server.refresh(client, tokens.refresh)).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test.each([
    ['without its verifier', {}],
    ['with a wrong verifier', { code_verifier: 'y'.repeat(43) }],
    ['with the challenge for a verifier', { code_verifier: CHALLENGE }],
  ])('stolen, and used %s, is refused, and stays good for who has the verifier', async (_what, more) => {
    const client = await server.register();
    const { callback, verifier } = await server.approve(client);
    const stolen = await asked(codeGrant(client, callback, more));
    expect(stolen.status).toBe(400);
    expect(stolen.body['error']).toMatch(/^invalid_(grant|request)$/);
    await server.redeem(client, { callback, verifier });
    expect(isAlive()).toBe(true);
  });

  test('is refused to another client, and for another redirect address', async () => {
    const client = await server.register();
    const thief = await server.register({ client_name: 'Thief' });
    const { callback, verifier } = await server.approve(client);
    const good = { code_verifier: verifier };
    expect((await asked(codeGrant(thief, callback, good))).body['error']).toBe('invalid_grant');
    const elsewhere = { ...good, redirect_uri: 'https://claude.ai/other' };
    expect((await asked(codeGrant(client, callback, elsewhere))).body['error']).toBe('invalid_grant');
    await server.redeem(client, { callback, verifier });
  });
});

describe('a request without PKCE by S256', () => {
  test.each([
    ['no challenge', { code_challenge: '', code_challenge_method: '' }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
    ['a challenge without method, which means plain', { code_challenge_method: '' }],
  ])('%s is refused, with a secret and without, and the app can be told', async (_what, replaced) => {
    for (const method of ['none', 'client_secret_basic']) {
      const client = await server.register({ token_endpoint_auth_method: method });
      expect(await refusalTo(client, replaced)).toEqual(['https://claude.ai', 'invalid_request']);
    }
  });

  async function refusalTo(client: oauth.Client, replaced: Readonly<Record<string, string>>) {
    const url = new URL(server.authorizeUrl(client, CHALLENGE));
    for (const [name, value] of Object.entries(replaced)) {
      if (value === '') url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    const answer = wayToApp(await (await server.browser().get(url.href)).text());
    return [answer.origin, answer.searchParams.get('error')];
  }
});

describe('a redirect address that was not registered', () => {
  test.each([
    ['a longer path', `${REDIRECT}/more`, [REDIRECT]],
    ['a prefix of the host', 'https://claude.ai.evil.test/api/mcp/auth_callback', [REDIRECT]],
    ['a user name', 'https://claude.ai@evil.test/api/mcp/auth_callback', [REDIRECT]],
    ['another port of https', 'https://claude.ai:444/api/mcp/auth_callback', [REDIRECT]],
    ['a query that leads on', `${REDIRECT}?next=https://evil.test`, [REDIRECT]],
    ['a path that climbs', 'https://claude.ai/api/mcp/auth_callback/../../evil', [REDIRECT]],
    ['another scheme', 'http://claude.ai/api/mcp/auth_callback', [REDIRECT]],
    ['another path of this computer', 'http://127.0.0.1:5000/evil', ['http://127.0.0.1/callback']],
    ['another name of this computer', 'http://localhost:5000/callback', ['http://127.0.0.1/callback']],
    ['a host that begins as this computer', 'http://127.0.0.1.evil.test/callback', ['http://127.0.0.1/callback']],
    ['this computer over https', 'https://127.0.0.1/callback', ['http://127.0.0.1/callback']],
    ['another path of a scheme', 'cursor://evil/callback', ['cursor://anysphere/callback']],
  ])('by %s is refused on a page of ours: nobody is sent there', async (_what, redirectUri, registered) => {
    const client = await server.register({ redirect_uris: registered });
    const answer = await server.browser().get(server.authorizeUrl(client, CHALLENGE, { redirectUri }));
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    expect(await answer.text()).toContain('did not register');
  });

  test('does not include another port of this computer', async () => {
    const client = await server.register({ redirect_uris: ['http://127.0.0.1/callback'] });
    const redirectUri = 'http://127.0.0.1:61234/callback';
    const { callback, verifier } = await server.approve(client, { redirectUri });
    expect(callback.origin).toBe('http://127.0.0.1:61234');
    await server.redeem(client, { callback, verifier }, { redirectUri });
  });
});

describe('a link to this installation', () => {
  const wrong = [
    ['asks for no consent', { prompt: 'none' }, 'consent_required'],
    ['asks for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['names a resource of others', { resource: 'https://other.test' }, 'invalid_target'],
    ['has its answer sent by a form', { prompt: 'none', response_mode: 'form_post' }, 'invalid_request'],
  ] as const;

  async function followed(redirectUri: string, fields: Readonly<Record<string, string>>) {
    const client = await server.register({ redirect_uris: [redirectUri] });
    const url = new URL(server.authorizeUrl(client, CHALLENGE, { redirectUri }));
    for (const [name, value] of Object.entries(fields)) url.searchParams.set(name, value);
    return server.browser().get(url.href);
  }

  test.each(wrong)(
    'that %s leads nobody to a page that somebody registered: its host is shown first',
    async (_what, fields, error) => {
      const answer = await followed('https://evil.example/page', fields);
      const html = await answer.text();
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(html).toContain(error);
      expect([html.includes('<script'), html.includes('<form'), wayToApp(html).host]).toEqual([
        ...[false, false, 'evil.example'],
      ]);
    },
  );

  test('that a program on this computer waits for is answered there at once', async () => {
    const answer = await followed('http://127.0.0.1:5000/callback', { prompt: 'none' });
    const location = new URL(answer.headers.get('location')!);
    expect([location.host, location.searchParams.get('error')]).toEqual(['127.0.0.1:5000', 'consent_required']);
  });
});

test('a client that mixes two servers up sees by iss whose answer it has', async () => {
  const client = await server.register();
  const { callback } = await server.approve(client);
  const other = { ...(await server.discover()), issuer: 'https://other.test' };
  expect(() => oauth.validateAuthResponse(other, client, callback, 'a state')).toThrow(/iss/);
});

describe('the consent of somebody else', () => {
  const begun = async () => {
    const client = await server.register();
    const browser = server.browser();
    return { browser, page: await server.reachConsent(browser, server.authorizeUrl(client, CHALLENGE)) };
  };

  test('is not given by a form that another site made', async () => {
    const { browser, page } = await begun();
    for (const csrfToken of ['', 'guessed', undefined]) {
      const form = new URLSearchParams({ workspaceId: 'w-1', decision: 'approve' });
      if (csrfToken !== undefined) form.set('csrfToken', csrfToken);
      expect((await browser.post(page, form)).status).toBe(403);
    }
    expect(server.commands).toEqual([]);
  });

  test.each([{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])(
    'is not given by a page of another origin that knows the token: %j',
    async (headers) => {
      const { browser, page } = await begun();
      const form = fieldsOf(await (await browser.get(page)).text());
      form.set('decision', 'approve');
      expect((await browser.post(page, form, headers)).status).toBe(403);
      expect(server.commands).toEqual([]);
    },
  );

  test('is not given with the token of another request, or of another person', async () => {
    const { browser, page } = await begun();
    const other = await begun();
    const stolen = fieldsOf(await (await other.browser.get(other.page)).text());
    stolen.set('decision', 'approve');
    expect((await browser.post(page, stolen)).status).toBe(403);

    server.memberships = { ...server.memberships, bob: [membership('w-2', 'Bob’s', { memberId: 'm-bob' })] };
    const own = fieldsOf(await (await browser.get(page)).text());
    own.set('decision', 'approve');
    browser.setCookie('who', 'bob');
    expect((await browser.post(page, own)).status).toBe(403);
    expect(server.commands).toEqual([]);
  });

  test('is not given in another browser: a link to the page is good for nothing there', async () => {
    const { page } = await begun();
    const victim = server.browser('ada');
    const answer = await victim.get(page);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('another browser')]);
    const posted = await victim.post(page, new URLSearchParams({ workspaceId: 'w-1', decision: 'approve' }));
    expect([posted.status, server.commands]).toEqual([400, []]);
  });

  test('is not picked up by another browser after it was given', async () => {
    const { browser, page } = await begun();
    const form = fieldsOf(await (await browser.get(page)).text());
    form.set('decision', 'approve');
    const resume = (await browser.post(page, form)).headers.get('location')!;
    const picked = await server.browser('bob').get(resume);
    expect([picked.status, picked.headers.get('location')]).toEqual([400, null]);
    expect(new URL((await browser.get(resume)).headers.get('location')!).searchParams.has('code')).toBe(true);
  });

  test('is not forged by a cookie that this installation did not sign', async () => {
    const { page } = await begun();
    const forger = server.browser();
    forger.setCookie('crier_interaction', page.slice(page.lastIndexOf('/') + 1));
    forger.setCookie('crier_interaction.sig', 'x'.repeat(27));
    expect((await forger.get(page)).status).toBe(400);
  });

  test('is for Workspaces of who is signed in alone', async () => {
    server.memberships = { ...server.memberships, bob: [membership('w-2', 'Bob’s', { memberId: 'm-bob' })] };
    const { browser, page } = await begun();
    const form = fieldsOf(await (await browser.get(page)).text());
    form.set('decision', 'approve');
    form.set('workspaceId', 'w-2');
    expect([(await browser.post(page, form)).status, server.commands]).toEqual([400, []]);
  });
});

test('no secret is found in any row', async () => {
  const client = await server.register({ token_endpoint_auth_method: 'client_secret_post' });
  const { callback, verifier } = await server.approve(client);
  const tokens = await server.redeem(client, { callback, verifier });
  const rows = server.written;
  expect(rows.length).toBeGreaterThan(3);
  const code = callback.searchParams.get('code')!;
  const registration = client['registration_access_token'] as string;
  for (const secret of [code, tokens.access, tokens.refresh, client.client_secret as string, registration, verifier])
    expect(rows.filter((row) => row.includes(secret))).toEqual([]);
});

test('requests that nobody decides about are bounded for who begins them: the oldest is forgotten, the newest stands', async () => {
  const client = await server.register();
  const begun: (readonly [Browser, string])[] = [];
  for (let count = 0; count < 51; count++) {
    const browser = new Browser(server.fetch);
    const response = await browser.get(server.authorizeUrl(client, CHALLENGE));
    begun.push([browser, new URL(response.headers.get('location')!, BASE).href]);
  }
  const statusOf = async ([browser, url]: (typeof begun)[number]) => (await browser.get(url)).status;
  // Who is asked about a request that is there is sent to sign in.
  expect([await statusOf(begun[0]!), await statusOf(begun[1]!), await statusOf(begun[50]!)]).toEqual([400, 303, 303]);
});
