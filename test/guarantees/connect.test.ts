import { afterAll, beforeAll, expect, test } from 'vitest';
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
  const started = await visit(connectUrl);
  expect(started.status).toBe(302);
  const setCookie = started.headers.get('set-cookie') ?? '';
  expect(setCookie).toMatch(/HttpOnly; SameSite=Lax/);
  const approved = await visit(`${started.headers.get('location')}&auto_approve=1&account_name=Grace`);
  return { callback: approved.headers.get('location')!, cookie: setCookie.split(';')[0]! };
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
