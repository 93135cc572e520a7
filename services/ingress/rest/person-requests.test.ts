import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import type { PersonRequest } from '#connections/person-requests.ts';
import { PortError } from '#ports/errors.ts';
import { IngressWorld, openIngressHarness, START, type IngressHarness } from '../ingress-harness.fixture.ts';
import { leaveWhileSending } from './leaving-client.fixture.ts';

let harness: IngressHarness;
let done: string[];
let isAway: boolean;

beforeEach(async () => {
  const clock = createMemoryClock();
  clock.moveWall(START - clock.now());
  done = [];
  isAway = false;
  harness = await openIngressHarness(new IngressWorld(clock), {
    publicUrl: 'https://crier.test/base',
    personRequests: {
      isServed: (network) => network !== 'x',
      read: (network, text): PersonRequest | null =>
        text.startsWith('signed-') ? { network, personId: text.slice(7), requestedAt: 1 } : null,
      deauthorize: async ({ network, personId }) => {
        if (isAway) throw new PortError('unavailable', 'the store is away');
        done.push(`deauthorize ${network} ${personId}`);
      },
      deleteData: async ({ network, personId }) => (done.push(`delete ${network} ${personId}`), 'code-1'),
      deletionStatus: async (network, code) => (network === 'threads' && code === 'code-1' ? 'under way' : null),
    },
  });
});
afterEach(() => harness[Symbol.asyncDispose]());

const post = (path: string, form: Record<string, string>) =>
  harness.call('POST', path, {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const sending = (path: string, text: string) => post(path, { signed_request: text });

test('a person who removed the app is passed on', async () => {
  const answer = await sending('/connect/threads/deauthorize', 'signed-7');
  expect([answer.status, answer.body, done]).toEqual([200, {}, ['deauthorize threads 7']]);
});

test('a deletion is answered with its code and the address of its status', async () => {
  const answer = await sending('/connect/threads/data-deletion', 'signed-7');
  const url = 'https://crier.test/base/connect/threads/data-deletion/code-1';
  expect([answer.status, answer.body]).toEqual([200, { url, confirmation_code: 'code-1' }]);
  const page = await harness.call('GET', '/connect/threads/data-deletion/code-1');
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(String(page.body)).toContain('is being deleted');
});

test.each(['/connect/threads/data-deletion/other', '/connect/facebook/data-deletion/code-1'])(
  'there is no status at %s',
  async (path) => {
    const page = await harness.call('GET', path);
    expect([page.status, String(page.body)]).toEqual([404, expect.stringContaining('no deletion of this code')]);
  },
);

test.each(['deauthorize', 'data-deletion'])('what is not signed changes nothing: %s', async (what) => {
  for (const form of [{ signed_request: 'forged' }, { other: 'signed-7' }, {}] as Record<string, string>[]) {
    const answer = await post(`/connect/facebook/${what}`, form);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_request']);
  }
  const long = await sending(`/connect/facebook/${what}`, `signed-${'7'.repeat(70_000)}`);
  expect([long.status, done]).toEqual([413, []]);
});

test('a Network that sends no such requests has no such addresses', async () => {
  for (const network of ['x', 'myspace'])
    expect((await sending(`/connect/${network}/deauthorize`, 'signed-7')).status).toBe(404);
  expect((await harness.call('GET', '/connect/threads/deauthorize')).status).toBe(405);
});

test('requests for one person are limited, and those for another are not', async () => {
  const statuses: number[] = [];
  for (let count = 0; count < 12; count++)
    statuses.push((await sending('/connect/threads/data-deletion', 'signed-7')).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);
  expect(statuses.at(-1)).toBe(429);
  expect((await sending('/connect/threads/data-deletion', 'signed-8')).status).toBe(200);
});

test('a store that is away is answered with a status after which the Network sends it again', async () => {
  isAway = true;
  const answer = await sending('/connect/threads/deauthorize', 'signed-7');
  expect([answer.status, answer.body.error.code]).toEqual([503, 'unavailable']);
});

test('a Network that leaves while it sends its form is no failure of ours', async () => {
  await leaveWhileSending(harness.url, '/connect/threads/deauthorize');
  expect([harness.reporter.failures(), done]).toEqual([[], []]);
});
