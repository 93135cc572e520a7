import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { verifyWebhook } from './client.ts';

const SECRET = 'whsec_of-a-test';
const OTHER = 'whsec_another';
const NOW = 1_780_000_000_000;
const BODY = JSON.stringify({ id: 'e', type: 'variant.published', words: 'grüße 🎈' });

function headerOf(secrets: readonly string[], atMs = NOW, body = BODY): string {
  const t = Math.floor(atMs / 1_000);
  return [
    `t=${t}`,
    ...secrets.map((one) => `v1=${createHmac('sha256', one).update(`${t}.${body}`).digest('hex')}`),
  ].join();
}

const verify = (header: string | null, more: object = {}) =>
  verifyWebhook({ secret: SECRET, header, body: BODY, now: NOW, ...more });

test('a genuine event is returned, from text and from bytes', async () => {
  expect(await verify(headerOf([SECRET]))).toMatchObject({ id: 'e', words: 'grüße 🎈' });
  expect(await verify(headerOf([SECRET]), { body: new TextEncoder().encode(BODY) })).toMatchObject({ id: 'e' });
});

test('while a secret is rotated, either of the two signatures and either of the two secrets will do', async () => {
  await expect(verify(headerOf([OTHER, SECRET]))).resolves.toMatchObject({ id: 'e' });
  await expect(verify(headerOf([SECRET]), { secret: [OTHER, SECRET] })).resolves.toMatchObject({ id: 'e' });
});

test.each([
  ['another secret', headerOf([OTHER]), {}, 'wrong'],
  ['another body', headerOf([SECRET]), { body: `${BODY} ` }, 'wrong'],
  ['a time that was moved', headerOf([SECRET]).replace(/t=\d+/, `t=${NOW / 1_000 + 1}`), {}, 'wrong'],
  ['more than five minutes ago', headerOf([SECRET], NOW - 301_000), {}, 'old'],
  ['more than five minutes ahead', headerOf([SECRET], NOW + 301_000), {}, 'old'],
  ['no header', null, {}, 'malformed'],
  ['no signature', `t=${NOW / 1_000}`, {}, 'malformed'],
  ['half a signature', headerOf([SECRET]).slice(0, -2), {}, 'malformed'],
])('%s is refused', async (_what, header, more, reason) => {
  await expect(verify(header, more)).rejects.toMatchObject({ name: 'WebhookSignatureError', reason });
});

test('five minutes to the second are still taken', async () => {
  await expect(verify(headerOf([SECRET], NOW - 300_000))).resolves.toMatchObject({ id: 'e' });
});
