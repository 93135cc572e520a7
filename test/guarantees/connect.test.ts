import { afterAll, beforeAll, expect, test } from 'vitest';
import { followConnectLink } from '#testing/connect-link.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';

let crier: CrierUnderTest;
beforeAll(async () => {
  crier = await CrierUnderTest.start();
});
afterAll(() => crier[Symbol.asyncDispose]());

const visit = (url: string, cookie = '') =>
  fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });

async function link(network: string): Promise<string> {
  const { workspaceId } = crier.ready.demo!;
  return ((await crier.admin().call('channels.connect', { workspaceId, network })) as { connectUrl: string })
    .connectUrl;
}

/**
 * Opens the link and consents at the sandbox's consent page. Returns the address of the redirect, and the browser's
 * cookies.
 */
async function consented(connectUrl: string): Promise<{ readonly callback: string; readonly cookie: string }> {
  const { consentUrl, cookie } = await followConnectLink(connectUrl);
  const approved = await visit(`${consentUrl}&auto_approve=1&account_name=Grace`);
  return { callback: approved.headers.get('location')!, cookie };
}

test.each(['x', 'threads'])('a person connects %s with a link, in one browser, once', async (network) => {
  const before = (await crier.api().channels()).length;
  const { callback, cookie } = await consented(await link(network));
  const stolen = await visit(callback);
  expect([stolen.status, await stolen.text()]).toEqual([400, expect.stringContaining('another browser')]);
  const done = await visit(callback, cookie);
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Grace')]);
  expect(done.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect((await visit(callback, cookie)).status).toBe(400);
  const channels = await crier.api().channels();
  expect(channels).toHaveLength(before + 1);
  expect(channels.filter((each) => each.network === network).map(({ state }) => state)).toEqual([
    'connected',
    'connected',
  ]);
});

test('programs that open the link, in any number and at any time, end no sign-in that a person began', async () => {
  const connectUrl = await link('threads');
  const lookedAt = async (method: string): Promise<number> =>
    (await fetch(connectUrl, { method, redirect: 'manual' })).status;
  expect(await Promise.all(['GET', 'HEAD', 'GET'].map(lookedAt))).toEqual([200, 200, 200]);
  const { callback, cookie } = await consented(connectUrl);
  expect(await Promise.all(['GET', 'HEAD', 'GET'].map(lookedAt))).toEqual([200, 200, 200]);
  const done = await visit(callback, cookie);
  expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Grace')]);
});

test('the page of the link names Workspace and Network, and its button is no other page’s to press', async () => {
  const connectUrl = await link('x');
  const page = await visit(connectUrl);
  const text = await page.text();
  expect(text).toContain('Connect X');
  expect(text).toContain('to the Workspace <strong><bdi>Demo</bdi></strong>');
  const ticket = new URL(connectUrl).searchParams.get('ticket')!;
  const press = (headers: Record<string, string>, more = {}) =>
    fetch(connectUrl.split('?')[0]!, {
      ...{ method: 'POST', redirect: 'manual', headers, body: new URLSearchParams({ ticket, ...more }) },
    });
  const cookie = page.headers.getSetCookie()[0]!.split(';')[0]!;
  const [, proof] = /name="form_token" value="([^"]+)"/.exec(text)!;
  const refused = [
    await press({}),
    await press({ cookie }),
    await press({}, { form_token: proof }),
    await press({ cookie, origin: 'https://evil.test' }, { form_token: proof }),
    await press({ cookie, 'sec-fetch-site': 'cross-site' }, { form_token: proof }),
  ];
  expect(refused.map(({ status, headers }) => [status, headers.get('location')])).toEqual(
    refused.map(() => [403, null]),
  );
  expect((await press({ cookie }, { form_token: proof })).status).toBe(303);
});

test.each([
  '/connect/x/start',
  '/connect/x/start?ticket=none',
  '/connect/x/callback?code=c&state=s',
  '/connect/threads/callback',
  '/connect/myspace/start?ticket=x',
])('%s leads nowhere and says so', async (path) => {
  const { baseUrl } = crier.ready;
  const page = await visit(`${baseUrl}${path}`);
  expect([400, 404]).toContain(page.status);
  expect(await page.text()).toContain('<h1>');
});

test('other methods are refused with the envelope', async () => {
  const { baseUrl } = crier.ready;
  const refused = await fetch(`${baseUrl}/connect/x/callback`, { method: 'POST' });
  expect(refused.status).toBe(405);
  expect(await refused.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
});

test('a form of a megabyte is not read', async () => {
  const { baseUrl } = crier.ready;
  const answer = await fetch(`${baseUrl}/connect/x/choose`, { method: 'POST', body: 'x'.repeat(1_000_000) }).catch(
    () => null,
  );
  expect(answer === null || answer.status === 413).toBe(true);
});
