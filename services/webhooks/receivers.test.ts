import { beforeAll, expect, onTestFinished, test } from 'vitest';
import Stripe from 'stripe';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createPublicHttp, type PublicHttpOptions } from '#adapters/undici/public-http.ts';
import { secretContext, type Endpoint } from '#domain/webhook/endpoint.ts';
import {
  answer,
  startMisbehavingReceiver,
  type Behaviour,
  type MisbehavingReceiver,
  type ReceiverOptions,
} from '#testing/misbehaving-receiver.ts';
import { send, type SendResult } from './send-attempt.ts';

const EVENT = '01a20000-0000-8000-8000-000000000001';
const BODY = Buffer.from('{"id":"01a20000-0000-8000-8000-000000000001","text":"Grüße 世界 👋"}', 'utf8');
const SECRETS = ['whsec_the-new-one', 'whsec_the-one-before'] as const;
const clock = createSystemClock();
const secretBox = createSecretBox({ secret: 'a master secret for tests only, long enough' });

let receiver: MisbehavingReceiver;
beforeAll(async () => {
  receiver = await startMisbehavingReceiver();
  return () => receiver.close();
});

function endpointAt(url: string): Endpoint {
  const seal = (secret: string) => secretBox.seal(secret, secretContext('e'));
  const secrets = [
    { sealed: seal(SECRETS[0]), until: null },
    { sealed: seal(SECRETS[1]), until: clock.now() + 60_000 },
  ];
  return {
    id: 'e',
    url,
    events: ['variant.published'],
    keyId: 'k',
    memberId: 'm',
    createdAt: 0,
    secrets,
    stoppedAt: null,
  };
}

/** One attempt, over real connections. */
async function attempt(at: { readonly url: string }, options: PublicHttpOptions): Promise<SendResult> {
  const publicHttp = createPublicHttp(options);
  onTestFinished(() => publicHttp.close());
  return send({ publicHttp, secretBox, clock }, endpointAt(at.url), { eventId: EVENT, body: BODY, trace: undefined });
}

test('the very bytes arrive, with a signature that both secrets of a rotation verify', async () => {
  receiver.behave(answer(204));
  expect(await attempt(receiver, { overrides: [receiver.override] })).toEqual({
    outcome: 'succeeded',
    status: 204,
    error: '',
    excerpt: '',
    retryAfterMs: null,
  });
  const { headers, body, method } = receiver.requests.at(-1)!;
  expect([
    method,
    headers['content-type'],
    headers['service-event-id'],
    headers['user-agent'],
    headers['cookie'],
  ]).toEqual(['POST', 'application/json', EVENT, 'Crier-Webhooks/1', undefined]);
  expect(body.equals(BODY)).toBe(true);
  for (const secret of SECRETS)
    expect(
      new Stripe('sk_test_none').webhooks.signature!.verifyHeader(
        body.toString('utf8'),
        String(headers['service-signature']),
        secret,
        300,
      ),
    ).toBe(true);
});

test.each<[string, Behaviour, Partial<SendResult>]>([
  [
    'answers 500',
    answer(500, { body: 'no' }),
    { outcome: 'refused', status: 500, error: 'The endpoint answered 500.', excerpt: 'no' },
  ],
  [
    'asks for time',
    answer(429, { headers: { 'retry-after': '120' } }),
    { outcome: 'refused', status: 429, retryAfterMs: 120_000 },
  ],
  ['redirects', { kind: 'redirect', to: 'https://hooks.test/elsewhere' }, { outcome: 'redirected', status: 302 }],
  ['closes the connection', { kind: 'close' }, { outcome: 'unreachable', status: null }],
  ['answers 200 and resets in the middle of the body', { kind: 'reset' }, { outcome: 'succeeded', status: 200 }],
  ['answers 200 with a gigabyte', { kind: 'flood' }, { outcome: 'succeeded', status: 200 }],
  ['answers 200 with a body that never ends', { kind: 'drip', everyMs: 50 }, { outcome: 'succeeded', status: 200 }],
])('a receiver that %s', async (_what, behaviour, expected) => {
  receiver.behave(behaviour);
  const [requests, bytes] = [receiver.requests.length, receiver.bytesSent()];
  const said = await attempt(receiver, { overrides: [receiver.override] });
  expect(said).toMatchObject(expected);
  expect(said.excerpt.length).toBeLessThanOrEqual(1024);
  expect(receiver.requests.length - requests).toBe(1);
  expect(receiver.bytesSent() - bytes).toBeLessThan(50_000_000);
});

test.each<[string, ReceiverOptions]>([
  ['of an unknown authority', { certificate: 'unknown authority' }],
  ['that is out of date', { certificate: 'expired' }],
])('a receiver with a certificate %s hears nothing', async (_what, options) => {
  await using wrong = await startMisbehavingReceiver(options);
  expect(await attempt(wrong, { overrides: [wrong.override] })).toMatchObject({ outcome: 'unreachable', status: null });
  expect(wrong.requests).toEqual([]);
});

test.each([
  ['turned private', async () => ['10.0.0.7']],
  ['turned to this machine', async () => ['127.0.0.1']],
  ['is gone', async () => []],
])('a receiver whose name %s hears nothing', async (_what, lookup) => {
  const said = await attempt({ url: 'https://hooks.example.com/' }, { lookup });
  expect(said).toMatchObject({ outcome: 'unsafe', status: null, error: expect.stringContaining('hooks.example.com') });
  expect(said.error).not.toContain('10.0.0.7');
});
