import { randomFillSync } from 'node:crypto';
import type { Ids } from '#ports/ids.ts';
import { Uuid7 } from './uuid7.ts';

const POOL_BYTES = 4096;

/** Ids and tokens from the operating system's generator. */
export function createSystemIds(): Ids {
  const randomBytes = pooledRandomBytes();
  const uuid7 = new Uuid7(randomBytes);
  return {
    uuid7: (now) => uuid7.next(now),
    token: (bytes = 32) => randomBytes(bytes).toString('base64url'),
    random: () => Math.random(),
  };
}

/**
 * One call to the generator for some hundred ids or tokens; bytes are taken from the pool once and never given out
 * again.
 */
function pooledRandomBytes(): (bytes: number) => Buffer {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return (bytes) => {
    if (bytes > POOL_BYTES) return randomFillSync(Buffer.alloc(bytes));
    if (used + bytes > POOL_BYTES) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return pool.subarray(used - bytes, used);
  };
}
