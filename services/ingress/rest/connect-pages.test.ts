import { expect, onTestFinished, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import type { IngressOptions } from '../service.ts';
import { openIngressWorld } from '../ingress-harness.fixture.ts';
import { leaveWhileSending } from './leaving-client.fixture.ts';
import { ASKED } from './sign-in-answers.fixture.ts';

const CHANNEL = { channelId: 'c-1', accountId: 'a', name: 'Grace' };
const connected = async () => ({ kind: 'connected', channels: [CHANNEL] }) as const;
const refused = async () => ({ kind: 'problem', message: 'x said <no>.', passing: false }) as const;

/** What the browser is answered when it comes back from the Network. */
async function cameBack(signIns: Partial<IngressOptions['signIns']>): Promise<Response> {
  const none = { begunIn: async () => null, look: refused, start: refused, choose: refused, finish: refused };
  const world = await openIngressWorld({ publicUrl: 'https://crier.test', signIns: { ...none, ...signIns } });
  onTestFinished(() => world[Symbol.asyncDispose]());
  return fetch(`${world.harness.url}/connect/x/callback?state=s&code=c`, { redirect: 'manual' });
}

test('who began in the app is led to its Channels, which name the new one', async () => {
  const answer = await cameBack({ finish: connected, begunIn: async () => ({ workspaceId: 'w-1' }) });
  expect([answer.status, answer.headers.get('location'), answer.headers.get('cache-control')]).toEqual([
    ...[303, 'https://crier.test/app/channels?workspace=w-1&connected=c-1', 'no-store'],
  ]);
});

test('the audit can say from which address a person came back', async () => {
  const addresses: unknown[] = [];
  await cameBack({ finish: ({ address }) => (addresses.push(address), connected()) });
  expect(addresses).toEqual([expect.stringContaining('127.0.0.1')]);
});

test('who began in the app and was refused reads why, and finds the way back', async () => {
  const answer = await cameBack({ begunIn: async () => ({ workspaceId: 'w-1' }) });
  const page = await answer.text();
  expect(answer.status).toBe(400);
  expect(page).toContain('x said &lt;no&gt;.');
  expect(page).toContain('<a href="https://crier.test/app/channels?workspace=w-1">');
});

test.each([
  ['was sent a link by an operator', async () => null],
  ['comes while the store is away', () => Promise.reject(new PortError('unavailable', 'away'))],
])('who %s reads that it is connected', async (_who, begunIn) => {
  const answer = await cameBack({ finish: connected, begunIn });
  const page = await answer.text();
  expect([answer.status, page]).toEqual([200, expect.stringContaining('Grace can be published to now')]);
  expect(page).not.toContain('/app/');
});

test('a name of a Workspace is text on the page, and a link of another Network is none', async () => {
  const world = await openIngressWorld({
    publicUrl: 'https://crier.test/base',
    signIns: { look: async () => ASKED, start: refused, choose: refused, finish: refused, begunIn: async () => null },
    workspaces: { state: async () => ({ name: '<b>A&B' }) as never, channels: async () => ({}) },
  });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const page = await fetch(`${world.harness.url}/connect/x/start?ticket=t`);
  const text = await page.text();
  expect(text).toContain('<bdi>&lt;b&gt;A&amp;B</bdi>');
  expect(text).toContain('action="/base/connect/x/start"');
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https:");
  expect((await fetch(`${world.harness.url}/connect/threads/start?ticket=t`)).status).toBe(404);
});

test('over https the cookie of a sign-in is bound to the host: what a neighbouring host plants counts for nothing', async () => {
  const keys: string[] = [];
  const started = { kind: 'started', authorizeUrl: 'https://x.com/consent', browserKey: 'the-key' } as const;
  const world = await openIngressWorld({
    publicUrl: 'https://crier.test',
    signIns: {
      look: async () => ASKED,
      start: async () => started,
      finish: ({ browserKey }) => (keys.push(browserKey), refused()),
      ...{ choose: refused, begunIn: async () => null },
    },
  });
  onTestFinished(() => world[Symbol.asyncDispose]());
  const { url } = world.harness;
  const page = await fetch(`${url}/connect/x/start?ticket=t`);
  const body = new URLSearchParams({ ticket: 't' });
  body.set('form_token', /name="form_token" value="([^"]+)"/.exec(await page.text())![1]!);
  const [own = ''] = page.headers.getSetCookie()[0]!.split(';');
  const sent = await fetch(`${url}/connect/x/start`, {
    ...{ method: 'POST', body, redirect: 'manual', headers: { cookie: own } },
  });
  expect(sent.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^__Host-crier_connect=the-key; Path=\/; HttpOnly; SameSite=Lax; Max-Age=900; Secure$/),
  ]);
  for (const cookie of ['crier_connect=planted', '__Host-crier_connect=the-key'])
    await fetch(`${url}/connect/x/callback?state=s&code=c`, { headers: { cookie } });
  expect(keys).toEqual(['', 'the-key']);
});

test.each(['/connect/x/choose', '/connect/x/start'])(
  'a client of %s that leaves while it sends its form is no failure of ours',
  async (path) => {
    const world = await openIngressWorld({ publicUrl: 'https://crier.test' });
    onTestFinished(() => world[Symbol.asyncDispose]());
    await leaveWhileSending(world.harness.url, path);
    expect(world.harness.reporter.failures()).toEqual([]);
  },
);
