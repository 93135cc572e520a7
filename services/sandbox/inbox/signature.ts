import { createHmac, timingSafeEqual } from 'node:crypto';

export type SignatureVerdict =
  | 'right'
  /** Signed with another secret, or changed on the way. */
  | 'wrong'
  /** Valid, and signed more than five minutes before or after it arrived. */
  | 'old'
  /** The header is missing, or can not be parsed. */
  | 'missing'
  /** The inbox has no secret. */
  | 'unknown'
  /** The body was too large to be stored whole. */
  | 'cut';

export interface SignedBody {
  readonly header: string | undefined;
  readonly body: Uint8Array;
  /** By the machine's own clock, which signatures use. */
  readonly receivedAt: number;
}

const OLDEST_MS = 5 * 60_000;

/**
 * `Service-Signature: t=<seconds>,v1=<hex>`, several v1 while a secret is being replaced: HMAC-SHA256 of `<t>.<body>`,
 * keyed with the whole secret.
 */
export function verdictOf({ header, body, receivedAt }: SignedBody, secret: string): SignatureVerdict {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('='));
  const at = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = parts.flatMap(([name, value = '']) =>
    name === 'v1' && /^[\da-f]{64}$/.test(value) ? [Buffer.from(value, 'hex')] : [],
  );
  if (!/^\d{1,12}$/.test(at) || signatures.length === 0) return 'missing';
  const expected = createHmac('sha256', secret).update(`${at}.`).update(body).digest();
  if (!signatures.some((signature) => timingSafeEqual(signature, expected))) return 'wrong';
  return Math.abs(receivedAt - Number(at) * 1000) > OLDEST_MS ? 'old' : 'right';
}
