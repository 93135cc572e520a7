import type { Ids } from '#ports/ids.ts';
import { Uuid7 } from '../system/uuid7.ts';

/** Ids determined by a seed: the same seed and the same calls give the same ids. For tests and simulations only. */
export function createSeededIds(seed: number): Ids {
  const next = seededGenerator(seed);
  const randomBytes = (bytes: number) => {
    const drawn = Buffer.alloc(bytes);
    for (let i = 0; i < bytes; i++) drawn[i] = next() >>> 24;
    return drawn;
  };
  const uuid7 = new Uuid7(randomBytes);
  return {
    uuid7: (now) => uuid7.next(now),
    token: (bytes = 32) => randomBytes(bytes).toString('base64url'),
    random: () => (next() >>> 0) / 2 ** 32,
  };
}

/** sfc32 (PractRand), which gives 32 bits per call. */
function seededGenerator(seed: number): () => number {
  let [a, b, c, counter] = [Math.floor(seed / 2 ** 32) | 0, seed | 0, 0x9e3779b9 | 0, 1];
  const next = () => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    return result;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}
