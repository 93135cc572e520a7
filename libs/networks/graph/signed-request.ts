import { createHmac, timingSafeEqual } from 'node:crypto';
import { countAt, jsonIn, textAt } from '../http/call.ts';

/** Meta's are of a few hundred characters. */
const MAX_LENGTH = 10_000;
const ALGORITHM = 'HMAC-SHA256';
const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;
const PERSON = /^[0-9]{1,64}$/;
/** Seconds since the epoch, of the last instant that a Date can be. */
const MAX_SECONDS = 8_640_000_000_000;

export type SignedRequest =
  /**
   * `userId`: the person, by the id that Facebook gives them towards this app. `issuedAt`: milliseconds since the
   * epoch.
   */
  | { readonly kind: 'ok'; readonly userId: string; readonly issuedAt: number }
  /** `reason`: for the log; nothing of the request is in it. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Reads the `signed_request` that Meta sends when a person removes the app or asks for their data to be deleted:
 * `<signature>.<payload>`, both base64url, the signature an HMAC-SHA256 of the payload as it is written, by the app's
 * secret. Anybody can send one, so nothing of the payload is read before its signature was verified. How old one may
 * be, the caller decides.
 */
export function readSignedRequest(text: string, appSecret: string): SignedRequest {
  if (appSecret === '') return refused('the app has no secret to verify it with');
  if (text.length > MAX_LENGTH) return refused('it is too long');
  const [signature = '', payload = '', ...more] = text.split('.');
  if (signature === '' || payload === '' || more.length > 0) return refused('it has not two parts');
  if (!BASE64URL.test(signature) || !BASE64URL.test(payload)) return refused('a part of it is no base64url');
  if (!isSignature(Buffer.from(signature, 'base64url'), payload, appSecret)) return refused('its signature is wrong');
  const json = jsonIn(Buffer.from(payload, 'base64url').toString());
  if (typeof json !== 'object' || json === null) return refused('its payload is no JSON object');
  if (textAt(json, 'algorithm')?.toUpperCase() !== ALGORITHM) return refused(`its algorithm is not ${ALGORITHM}`);
  const userId = textAt(json, 'user_id');
  if (userId === null || !PERSON.test(userId)) return refused('its user_id is none');
  const issuedAt = countAt(json, 'issued_at');
  if (issuedAt === null || issuedAt > MAX_SECONDS) return refused('its issued_at is no time');
  return { kind: 'ok', userId, issuedAt: issuedAt * 1000 };
}

function refused(reason: string): SignedRequest {
  return { kind: 'refused', reason };
}

/** The comparison takes the same time wherever the first difference is. */
function isSignature(signature: Buffer, payload: string, appSecret: string): boolean {
  const expected = createHmac('sha256', appSecret).update(payload).digest();
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}
