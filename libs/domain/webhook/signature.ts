import { createHmac } from 'node:crypto';

/**
 * The value of Service-Signature: `t=<unix seconds>,v1=<hex>`, and a further v1 for each further secret. A v1 is the
 * HMAC-SHA256 of `<t>.<body>` under the whole secret string, prefix and all, as UTF-8. `at`: milliseconds, by a clock
 * the receiver's agrees with.
 */
export function signatureOf(body: Uint8Array, secrets: readonly string[], at: number): string {
  const t = Math.floor(at / 1000);
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')}`,
  );
  return [`t=${t}`, ...signatures].join(',');
}
