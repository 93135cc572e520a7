import { randomBytes } from 'node:crypto';

/** Ids of version 7 that begin with this instant, as RFC 9562 lays them out. */
export function createIds(now: number, count: number): string[] {
  return Array.from({ length: count }, () => {
    const bytes = randomBytes(16);
    bytes.writeUIntBE(now, 0, 6);
    bytes[6] = (bytes[6]! & 0x0f) | 0x70;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  });
}
