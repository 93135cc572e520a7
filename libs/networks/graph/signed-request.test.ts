import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readSignedRequest } from './signed-request.ts';

const SECRET = 'hush';
const PAYLOAD = { algorithm: 'HMAC-SHA256', issued_at: 1_763_640_000, user_id: '218471' };

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const sign = (payload: string, secret = SECRET, algorithm = 'sha256') =>
  createHmac(algorithm, secret).update(payload).digest('base64url');
const signed = (value: unknown, secret?: string) => `${sign(encode(value), secret)}.${encode(value)}`;
const signedText = (payload: string) => `${sign(payload)}.${payload}`;

describe('a request that Meta signed', () => {
  test.each<[string, string]>([
    ['as it comes', signed(PAYLOAD)],
    ['with padding', `${sign(encode(PAYLOAD))}=.${encode(PAYLOAD)}`],
    ['with an id that is a number', signed({ ...PAYLOAD, user_id: 218_471 })],
    ['with the algorithm in small letters', signed({ ...PAYLOAD, algorithm: 'hmac-sha256' })],
    ['with more about the person', signed({ ...PAYLOAD, expires: 0, user: { country: 'in' } })],
  ])('names the person and the time: %s', (_name, text) => {
    expect(readSignedRequest(text, SECRET)).toEqual({ kind: 'ok', userId: '218471', issuedAt: 1_763_640_000_000 });
  });
});

describe('a request is refused', () => {
  const [signature, payload] = signed(PAYLOAD).split('.') as [string, string];
  const flipped = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;

  test.each<[string, string, RegExp]>([
    ['that is empty', '', /two parts/],
    ['that has one part', payload, /two parts/],
    ['that has three', `${signature}.${payload}.x`, /two parts/],
    ['whose signature is missing', `.${payload}`, /two parts/],
    ['whose payload is missing', `${signature}.`, /two parts/],
    ['that is too long', `${signature}.${'A'.repeat(20_000)}`, /long/],
    ['that another secret signed', signed(PAYLOAD, 'other'), /signature/],
    ['that the empty secret signed', signed(PAYLOAD, ''), /signature/],
    ['whose signature was changed', `${flipped}.${payload}`, /signature/],
    ['whose signature was cut', `${signature.slice(0, 20)}.${payload}`, /signature/],
    ['whose signature was prolonged', `${signature}AAAA.${payload}`, /signature/],
    ['whose signature is of another payload', `${signature}.${encode({ ...PAYLOAD, user_id: '1' })}`, /signature/],
    ['whose signature is in hex', `${Buffer.from(signature, 'base64url').toString('hex')}.${payload}`, /signature/],
    ['whose signature is SHA-1', `${sign(payload, SECRET, 'sha1')}.${payload}`, /signature/],
    ['whose signature holds other characters', `${signature.slice(0, 42)}*.${payload}`, /base64url/],
    ['whose signature holds a line end', `${signature}\n.${payload}`, /base64url/],
    ['whose payload is signed and no base64url', signedText('{"a":1}'), /base64url/],
    ['whose payload is signed and no JSON', signedText('AAAA'), /JSON/],
    ['whose payload is null', signed(null), /JSON/],
    ['whose payload is a text', signed('HMAC-SHA256'), /JSON/],
    ['that names no algorithm', signed({ ...PAYLOAD, algorithm: undefined }), /algorithm/],
    ['that names none', signed({ ...PAYLOAD, algorithm: 'none' }), /algorithm/],
    ['that names another', signed({ ...PAYLOAD, algorithm: 'AES-256-CBC HMAC-SHA256' }), /algorithm/],
    ['that names nobody', signed({ ...PAYLOAD, user_id: undefined }), /user_id/],
    ['that names an empty id', signed({ ...PAYLOAD, user_id: '' }), /user_id/],
    ['that names what is no id', signed({ ...PAYLOAD, user_id: '../1' }), /user_id/],
    ['that names a number that JavaScript rounds', signed({ ...PAYLOAD, user_id: 2 ** 60 }), /user_id/],
    ['that names a list', signed({ ...PAYLOAD, user_id: ['1'] }), /user_id/],
    ['that has no time', signed({ ...PAYLOAD, issued_at: undefined }), /issued_at/],
    ['that has a time before time', signed({ ...PAYLOAD, issued_at: -1 }), /issued_at/],
    ['that has a time that is none', signed({ ...PAYLOAD, issued_at: '1763640000' }), /issued_at/],
    ['that has a time beyond dates', signed({ ...PAYLOAD, issued_at: 9_007_199_254_740_991 }), /issued_at/],
    [
      'whose names are those of every object',
      signedText(Buffer.from(`{"__proto__":${JSON.stringify(PAYLOAD)}}`).toString('base64url')),
      /algorithm/,
    ],
  ])('%s', (_name, text, reason) => {
    expect(readSignedRequest(text, SECRET)).toEqual({ kind: 'refused', reason: expect.stringMatching(reason) });
  });

  test('of an app without a secret, with any signature', () => {
    expect(readSignedRequest(signed(PAYLOAD, ''), '')).toMatchObject({ kind: 'refused' });
  });

  test('without a word of what it held', () => {
    const { kind, ...said } = readSignedRequest(signed({ ...PAYLOAD, user_id: 'private!' }), SECRET);
    expect(kind).toBe('refused');
    expect(JSON.stringify(said)).not.toMatch(/private|hush/);
  });
});
