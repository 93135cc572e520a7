import type { WebhookEvent } from './api.ts';

export interface WebhookDelivery {
  /** The endpoint's secret, `whsec_` included; both of them while it is being rotated. */
  readonly secret: string | readonly string[];
  /** The value of the header Service-Signature. */
  readonly header: string | null | undefined;
  /** The body as it came: JSON that was parsed and written again has other bytes. */
  readonly body: string | Uint8Array;
  /** Now, in milliseconds since the epoch. */
  readonly now?: number;
}

/** The request is not one of Crier's, or an old one that somebody sends again. Answer it with 401. */
export class WebhookSignatureError extends Error {
  readonly reason: 'malformed' | 'old' | 'wrong';

  constructor(reason: 'malformed' | 'old' | 'wrong', message: string) {
    super(message);
    this.name = 'WebhookSignatureError';
    this.reason = reason;
  }
}

const OLDEST_SECONDS = 5 * 60;
const MAX_SIGNATURES = 10;

/**
 * The event of a request, once its signature is proven: HMAC-SHA256 of `<t>.<body>` under one of the secrets, at most
 * five minutes old. WebCrypto compares in constant time, so that the duration tells nothing of a guess. Rejects with
 * WebhookSignatureError. An event may arrive more than once: remember its `id`.
 */
export async function verifyWebhook(delivery: WebhookDelivery): Promise<WebhookEvent> {
  const { at, signatures } = parsed(delivery.header ?? '');
  // In both directions: a time far in the future would stay valid for long.
  if (Math.abs((delivery.now ?? Date.now()) / 1_000 - Number(at)) > OLDEST_SECONDS)
    throw new WebhookSignatureError(
      'old',
      'The signature is more than five minutes old; is the clock of this machine right?',
    );
  const body = typeof delivery.body === 'string' ? new TextEncoder().encode(delivery.body) : delivery.body;
  const signed = joined(new TextEncoder().encode(`${at}.`), body);
  const secrets = typeof delivery.secret === 'string' ? [delivery.secret] : delivery.secret;
  if (secrets.length === 0 || secrets.includes('')) throw new TypeError('secret must be that of the endpoint');
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey(
      'raw',
      new TextEncoder().encode(secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    );
    for (const signature of signatures)
      if (await crypto.subtle.verify('HMAC', key, signature, signed))
        return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  }
  throw new WebhookSignatureError('wrong', 'The signature is not made with this secret over this body.');
}

function parsed(header: string): { readonly at: string; readonly signatures: readonly Uint8Array<ArrayBuffer>[] } {
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?]);
  const at = parts.find(([name]) => name === 't')?.[1] ?? '';
  const signatures = parts.flatMap(([name, value = '']) =>
    name === 'v1' && /^[0-9a-f]{64}$/.test(value) ? [bytesOf(value)] : [],
  );
  if (!/^\d{1,12}$/.test(at) || signatures.length === 0 || signatures.length > MAX_SIGNATURES)
    throw new WebhookSignatureError(
      'malformed',
      'The header Service-Signature is missing, or not t=<seconds>,v1=<hex>.',
    );
  return { at, signatures };
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
