import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createMemoryStore } from '../store/memory-store.ts';
import { BASE, createHarness, type SandboxHarness } from '../sandbox.fixture.ts';

const SECRET = 'whsec_dGVzdC1zZWNyZXQ';
const NOW = Date.UTC(2026, 10, 20, 12);
const EVENT = '{"id":"e1","type":"variant.published"}';

function signed(body: string | Buffer, { secret = SECRET, at = NOW, before = '' } = {}): string {
  const seconds = Math.floor(at / 1000);
  return `t=${seconds},${before}v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`;
}

interface SentRequest {
  readonly to?: string;
  readonly method?: string;
  readonly body?: string | Buffer;
  readonly signature?: string;
}

async function deliver(
  { sandbox }: SandboxHarness,
  { to = '/orders', method = 'POST', body = EVENT, signature = signed(body) }: SentRequest = {},
) {
  const headers = { 'content-type': 'application/json', 'service-event-id': 'e1', 'service-signature': signature };
  const answered = await sandbox.receive({ method, url: to, headers, body: Buffer.from(body) }, NOW);
  return answered === 'hang' ? 'hang' : answered.status;
}

/** The headers by which browsers name the page that a form is on. */
const FROM_PAGE = { Origin: BASE };

const harness = () => createHarness({ servesInboxes: true });
const lettersOf = async (from: SandboxHarness, name = 'orders') =>
  (await from.ask('GET', `/sandbox/inbox/${name}`)).body.letters;

test('a delivery can be inspected, as it arrived', async () => {
  const sandbox = harness();
  expect(await deliver(sandbox)).toBe(200);
  const { body } = await sandbox.ask('GET', '/sandbox/inbox/orders');
  expect(body).toMatchObject({
    name: 'orders',
    url: 'https://inbox.sandbox/orders',
    answer: '200',
    hasSecret: false,
    received: 1,
  });
  expect(body.letters).toEqual([
    {
      ...{
        number: 1,
        receivedAt: '2026-11-20T12:00:00.000Z',
        method: 'POST',
        body: EVENT,
        bytes: EVENT.length,
        isCut: false,
        eventId: 'e1',
        signature: 'unknown',
        answered: '200',
      },
      headers: { 'content-type': 'application/json', 'service-event-id': 'e1', 'service-signature': signed(EVENT) },
    },
  ]);
  expect((await sandbox.ask('GET', '/sandbox/inbox')).body).toEqual({
    inboxes: [{ name: 'orders', url: 'https://inbox.sandbox/orders', received: 1 }],
  });
});

test.each<[verdict: string, sent: SentRequest]>([
  ['right', {}],
  ['right', { signature: signed(EVENT, { before: `v1=${'0'.repeat(64)},` }) }],
  ['right', { signature: signed(EVENT, { at: NOW - 300_000 }) }],
  ['right', { body: Buffer.from([0xff, 0xfe, 0x00]) }],
  ['wrong', { signature: signed(EVENT, { secret: 'whsec_other' }) }],
  ['wrong', { signature: signed(`${EVENT} `) }],
  ['old', { signature: signed(EVENT, { at: NOW - 301_000 }) }],
  ['old', { signature: signed(EVENT, { at: NOW + 301_000 }) }],
  ['missing', { signature: '' }],
  ['missing', { signature: 't=1' }],
  ['missing', { signature: 't=now,v1=zz' }],
  ['cut', { body: 'x'.repeat(300_000) }],
])('a signature is judged %s, also when the secret is set afterwards', async (verdict, sent) => {
  const sandbox = harness();
  await deliver(sandbox, sent);
  await sandbox.ask('POST', '/sandbox/inbox/orders', { json: { secret: SECRET } });
  expect(await lettersOf(sandbox)).toMatchObject([{ signature: verdict }]);
});

test('an inbox gives the configured answer, from the next delivery on', async () => {
  const sandbox = harness();
  const seen: unknown[] = [];
  for (const answer of ['200', '500', 'hang', 'redirect', '200']) {
    expect((await sandbox.ask('POST', '/sandbox/inbox/orders', { json: { answer } })).body.answer).toBe(answer);
    seen.push(await deliver(sandbox));
  }
  expect(seen).toEqual([200, 500, 'hang', 302, 200]);
  expect((await lettersOf(sandbox)).map(({ answered }: { answered: string }) => answered)).toEqual([
    '200',
    '500',
    'hang',
    'redirect',
    '200',
  ]);
});

test('the page shows each request with its verdict, runs none of its content, and sets the answer', async () => {
  const sandbox = harness();
  await deliver(sandbox, { body: '{"text":"<script>alert(1)</script>"}' });
  const form = await sandbox.ask('POST', '/inbox/orders', {
    form: { answer: '500', secret: ` ${SECRET} ` },
    headers: FROM_PAGE,
  });
  expect([form.status, form.headers['location']]).toEqual([303, '/inbox/orders']);
  const { text } = await sandbox.ask('GET', '/inbox/orders');
  expect(text).toContain('signature right');
  expect(text).toContain('&lt;script&gt;alert(1)');
  expect(text).not.toContain('<script>');
  expect(text).not.toContain(SECRET);
  expect(text).toContain('<option value="500" selected>');
  expect(await deliver(sandbox)).toBe(500);
  expect((await sandbox.ask('GET', '/inbox')).text).toContain('href="/inbox/orders"');
  expect((await sandbox.ask('GET', '/')).text).toContain('href="/inbox"');
});

test('a field that is left out keeps its value', async () => {
  const sandbox = harness();
  await sandbox.ask('POST', '/inbox/orders', { form: { answer: 'hang', secret: SECRET }, headers: FROM_PAGE });
  await sandbox.ask('POST', '/inbox/orders', { form: { answer: '200', secret: '' }, headers: FROM_PAGE });
  expect((await sandbox.ask('GET', '/sandbox/inbox/orders')).body).toMatchObject({ answer: '200', hasSecret: true });
});

test('an endless sender fills nothing: the newest letters stay, within a limit of bytes', async () => {
  const sandbox = harness();
  for (let number = 1; number <= 60; number += 1) await deliver(sandbox, { body: `{"n":${number}}` });
  const small = await lettersOf(sandbox);
  expect([small.length, small[0].number, small.at(-1).number]).toEqual([50, 11, 60]);
  for (let number = 1; number <= 20; number += 1) await deliver(sandbox, { to: '/large', body: 'x'.repeat(1_000_000) });
  const { text, body } = await sandbox.ask('GET', '/sandbox/inbox/large');
  expect([body.received, body.letters.at(-1).number]).toEqual([20, 20]);
  expect(text.length).toBeLessThan(5_000_000);
});

test('the number of inboxes is limited; removing one makes room', async () => {
  const sandbox = harness();
  for (let number = 0; number < 100; number += 1) expect(await deliver(sandbox, { to: `/box-${number}` })).toBe(200);
  expect(await deliver(sandbox, { to: '/one-more' })).toBe(507);
  expect((await sandbox.ask('POST', '/sandbox/inbox/one-more', { json: { answer: '500' } })).status).toBe(400);
  await sandbox.ask('DELETE', '/sandbox/inbox/box-7');
  expect(await deliver(sandbox, { to: '/one-more' })).toBe(200);
  expect(await lettersOf(sandbox, 'box-7')).toEqual([]);
});

test.each([
  ['POST', '/sandbox/inbox/orders', { json: { answer: '204' } }, 400],
  ['POST', '/sandbox/inbox/orders', { json: { secret: 7 } }, 400],
  ['POST', '/sandbox/inbox/orders', { json: { other: 1 } }, 400],
  ['POST', '/inbox/orders', { form: { answer: 'maybe' }, headers: FROM_PAGE }, 400],
  ['PUT', '/sandbox/inbox/orders', {}, 405],
  ['GET', '/sandbox/inbox/Orders', {}, 404],
  ['GET', '/inbox/a/b', {}, 404],
  ['GET', `/inbox/${'a'.repeat(41)}`, {}, 404],
] as const)('%s %s with %o is refused', async (method, url, ask, status) => {
  expect((await harness().ask(method, url, ask)).status).toBe(status);
});

test('only names of inboxes are accepted', async () => {
  const sandbox = harness();
  for (const to of ['/', '/Orders', '/orders/more', '/%2e%2e', `/${'a'.repeat(41)}`])
    expect(await deliver(sandbox, { to })).toBe(404);
  expect((await sandbox.ask('GET', '/sandbox/inbox')).body).toEqual({ inboxes: [] });
});

test('letters and settings survive a restart', async () => {
  const store = createMemoryStore();
  const first = createHarness({ servesInboxes: true, store });
  await deliver(first);
  await first.ask('POST', '/sandbox/inbox/orders', { json: { answer: '500', secret: SECRET } });
  const second = createHarness({ servesInboxes: true, store });
  expect(await deliver(second)).toBe(500);
  expect(await lettersOf(second)).toMatchObject([
    { number: 1, signature: 'right' },
    { number: 2, signature: 'right' },
  ]);
});

test('a sandbox without an inbox server has no inboxes', async () => {
  const sandbox = createHarness();
  for (const url of ['/inbox', '/inbox/orders', '/sandbox/inbox/orders'])
    expect((await sandbox.ask('GET', url)).status).toBe(404);
  expect((await sandbox.ask('GET', '/')).text).not.toContain('/inbox');
});
