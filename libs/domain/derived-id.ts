import { createHash } from 'node:crypto';

/** A UUID of version 8 that depends on the text alone: the same text gives the same id on every replica. */
export function derivedId(text: string): string {
  const hash = createHash('sha256').update(text).digest();
  hash[6] = (hash[6]! & 0x0f) | 0x80;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
