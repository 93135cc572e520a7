import { expect, test } from 'vitest';
import { openIngressWorld, type IngressHarnessOptions } from '../ingress-harness.fixture.ts';
import { ASKED } from './sign-in-answers.fixture.ts';

const PER_MINUTE = 10;
const STRANGER = { 'x-forwarded-for': '203.0.113.7' };
const FORM = { ...STRANGER, 'content-type': 'application/x-www-form-urlencoded' };

const stale = async () => ({ kind: 'problem', message: 'It is over.', passing: false, isUnknown: true }) as const;
const said = async () => ({ kind: 'problem', message: 'x said no.', passing: false }) as const;
async function open(options: IngressHarnessOptions = {}) {
  const reads: string[] = [];
  const known = (shown: string) => shown === 'good';
  const world = await openIngressWorld({
    ...{ publicUrl: 'https://crier.test', trustedProxies: ['loopback'], strangersPerMinute: PER_MINUTE },
    signIns: {
      look: async (ticket) => (known(ticket) ? ASKED : stale()),
      start: stale,
      choose: stale,
      finish: async ({ state }) => (known(state) ? said() : stale()),
      begunIn: async (state) => (reads.push(state), null),
    },
    workspaces: { state: async () => ({ name: 'Tea House' }) as never, channels: async () => ({}) },
    personRequests: {
      isServed: (network) => network !== 'x',
      read: (network, text) => (text === 'signed' ? { network, personId: '7', requestedAt: 1 } : null),
      deauthorize: async () => {},
      deleteData: async () => 'code-1',
      deletionStatus: async (_network, code) => (code === 'code-1' ? 'done' : null),
    },
    ...options,
  });
  const ask = (method: string, path: string, body?: string) =>
    world.harness.call(method, path, {
      headers: method === 'POST' ? FORM : STRANGER,
      ...(body !== undefined && { body }),
    });
  const useUp = async (): Promise<void> => {
    for (let count = 0; count < PER_MINUTE; count++) await ask('GET', '/connect/x/start?ticket=guess');
  };
  return { world, reads, ask, useUp, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

test.each([
  ['GET', '/connect/x/start?ticket=guess', undefined],
  ['GET', '/connect/x/start', undefined],
  ['GET', '/connect/nowhere/start', undefined],
  ['POST', '/connect/x/start', 'ticket=guess'],
  ['GET', '/connect/x/callback?state=guess&code=c', undefined],
  ['POST', '/connect/x/choose', 'state=guess'],
  ['POST', '/connect/x/choose', 'x'.repeat(70_000)],
  ['POST', '/connect/threads/deauthorize', 'signed_request=guess'],
  ['POST', '/connect/x/deauthorize', 'signed_request=guess'],
  ['POST', '/connect/threads/data-deletion', 'signed_request=guess'],
  ['POST', '/connect/threads/data-deletion', 'x'.repeat(70_000)],
  ['GET', '/connect/threads/data-deletion/guess', undefined],
])('%s %s of who shows nothing that opens a sign-in is bounded by address', async (method, path, body) => {
  await using site = await open();
  for (let count = 0; count < PER_MINUTE; count++)
    expect((await site.ask(method, path, body)).status).toBeLessThan(429);
  const refused = await site.ask(method, path, body);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '6']);
  expect(JSON.stringify(refused.body)).toContain('10 requests a minute without a valid key');
  expect(site.world.harness.reporter.of('stranger-refused')).toMatchObject([{ facts: { door: 'connect' } }]);
  // Another address is not concerned.
  const other = await site.world.harness.call('GET', '/connect/x/start?ticket=guess');
  expect(other.status).toBe(400);
});

test('a good link, an answer of a Network and what a Network signed are served at an address that is used up', async () => {
  await using site = await open();
  await site.useUp();
  expect((await site.ask('GET', '/connect/x/start?ticket=guess')).status).toBe(429);
  expect((await site.ask('GET', '/connect/x/start?ticket=good')).status).toBe(200);
  const back = await site.ask('GET', '/connect/x/callback?state=good&error=denied');
  expect([back.status, String(back.body)]).toEqual([400, expect.stringContaining('x said no.')]);
  expect((await site.ask('POST', '/connect/threads/deauthorize', 'signed_request=signed')).status).toBe(200);
  expect((await site.ask('GET', '/connect/threads/data-deletion/code-1')).status).toBe(200);
});

test('who is refused causes no second look-up, and good requests use nothing up', async () => {
  await using site = await open();
  for (let count = 0; count < 2 * PER_MINUTE; count++)
    expect((await site.ask('GET', '/connect/x/start?ticket=good')).status).toBe(200);
  await site.useUp();
  const before = site.reads.length;
  expect((await site.ask('GET', '/connect/x/callback?state=guess&code=c')).status).toBe(429);
  expect(site.reads.length).toBe(before);
});
