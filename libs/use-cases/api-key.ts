import { crc32 } from 'node:zlib';
import type { Ids } from '#ports/ids.ts';

const PREFIX = 'crier_k_';
/** 256 bits, base64url. */
const SECRET_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;
const CHECKED = new RegExp(`^${PREFIX}[\\w-]{${SECRET_CHARACTERS}}[0-9A-Za-z]{${CHECKSUM_CHARACTERS}}$`);
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * A new API key: the prefix, 32 random bytes and a checksum of both. Scanners for leaked secrets know it by its form,
 * and by the checksum that it is no example or truncated copy, without asking anybody.
 */
export function makeApiKey(ids: Pick<Ids, 'token'>): string {
  const text = `${PREFIX}${ids.token()}`;
  return text + checksumOf(text);
}

/**
 * Whether a text has the form of keys with a checksum and a checksum that does not fit: it never was a key. Keys of
 * releases before the checksum, and those that an operator chose, have another form.
 */
export function isMistyped(key: string): boolean {
  return CHECKED.test(key) && checksumOf(key.slice(0, -CHECKSUM_CHARACTERS)) !== key.slice(-CHECKSUM_CHARACTERS);
}

/** CRC-32 in six digits of base 62, as GitHub's tokens have it. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_CHARACTERS; place++) {
    digits = DIGITS[rest % DIGITS.length]! + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
