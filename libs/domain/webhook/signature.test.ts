import Stripe from 'stripe';
import { expect, it } from 'vitest';
import { signatureOf } from './signature.ts';

const SECRET = 'whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const OLD_SECRET = 'whsec_another0123456789abcdefghijklmnopqrstuvwxy';
const BODY = '{"id":"e","data":{"text":"Grüße, 世界 👋"}}';
const NOW = Date.UTC(2026, 10, 20, 12, 0, 0, 999);
const bytes = Buffer.from(BODY, 'utf8');

// Independent of ours: the verifier of another service's receivers, with the time given.
const verify = (body: string, header: string, secret: string, ageSeconds = 0): boolean =>
  new Stripe('sk_test_none').webhooks.signature!.verifyHeader(
    body,
    header,
    secret,
    300,
    undefined,
    NOW + ageSeconds * 1000,
  );

it("Stripe's own verifier accepts it", () => {
  expect(verify(BODY, signatureOf(bytes, [SECRET], NOW), SECRET)).toBe(true);
  expect(verify(BODY, signatureOf(bytes, [SECRET], NOW), SECRET, 299)).toBe(true);
});

it('during a rotation both secrets verify', () => {
  const header = signatureOf(bytes, [SECRET, OLD_SECRET], NOW);
  expect(header).toMatch(/^t=\d{10},v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  expect([verify(BODY, header, SECRET), verify(BODY, header, OLD_SECRET)]).toEqual([true, true]);
});

it.each([
  ['an old one', BODY, SECRET, 302],
  ['an altered body', BODY.replace('世界', '世间'), SECRET, 0],
  ['another secret', BODY, OLD_SECRET, 0],
  ['the secret without its prefix', BODY, SECRET.slice('whsec_'.length), 0],
])("Stripe's own verifier refuses %s", (_what, body, secret, ageSeconds) => {
  expect(() => verify(body, signatureOf(bytes, [SECRET], NOW), secret, ageSeconds)).toThrow(/signature|Timestamp/i);
});

it('the time is in whole seconds, of this attempt', () => {
  const [first, second] = [signatureOf(bytes, [SECRET], NOW), signatureOf(bytes, [SECRET], NOW + 1)];
  expect(first.split(',')[0]).toBe(`t=${Math.floor(NOW / 1000)}`);
  expect(second).not.toBe(first);
});
