import { expect, test } from 'vitest';
import { signatureOf } from '#domain/webhook/signature.ts';
import { VERIFYING_SNIPPET } from './verifying-snippet.ts';

const BODY = Buffer.from('{"text":"Grüße"}');
const SECRET = 'whsec_a';
const now = () => Date.now();

test.each([
  ['a delivery as it is signed', [SECRET], now(), SECRET, BODY, true],
  ['one that the secret before it signs, too', ['whsec_new', SECRET], now(), SECRET, BODY, true],
  ['one of another secret', ['whsec_b'], now(), SECRET, BODY, false],
  ['another body', [SECRET], now(), SECRET, Buffer.from('{}'), false],
  ['one of ten minutes ago', [SECRET], now() - 600_000, SECRET, BODY, false],
])('the code that the page shows judges %s rightly', async (_what, secrets, at, secret, body, isGood) => {
  const { isFromCrier } = (await import(`data:text/javascript,${encodeURIComponent(VERIFYING_SNIPPET)}`)) as {
    isFromCrier: (body: Uint8Array, header: string, secret: string) => boolean;
  };
  expect(isFromCrier(body, signatureOf(BODY, secrets, at), secret)).toBe(isGood);
  expect(isFromCrier(body, 'v1=zz,nonsense', secret)).toBe(false);
});
