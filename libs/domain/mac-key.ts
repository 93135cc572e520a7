import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * A key for MACs, derived from the installation's `secret` for one purpose. As an object, because an HMAC under bytes
 * costs five times as much.
 */
export function macKey(secret: string, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES)));
}
