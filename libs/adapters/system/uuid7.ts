import assert from 'node:assert/strict';

/**
 * UUIDv7 (RFC 9562, its counter in the random bits): 48 bits of instant, then 74 bits that are random for the first id
 * of a millisecond and counted up, by random strides, for those that follow. Counting leaves out the last byte, which a
 * Post's id uses to number its Variants, and never reaches the first twelve bits, in which it carries a hash of its
 * Workspace: ids of one millisecond differ, and ascend, in the bits between.
 */
const COUNTER_BITS = 66n;
/** Those below the first twelve. */
const COUNTING_BITS = 54n;
/** Two ids of one millisecond are at most this far apart, so that one id does not give away the next. */
const STRIDE_BYTES = 4;
const LAST_INSTANT = 2 ** 48 - 1;

export class Uuid7 {
  readonly #randomBytes: (bytes: number) => Buffer;
  #instant = -1;
  #counter = 0n;

  constructor(randomBytes: (bytes: number) => Buffer) {
    this.#randomBytes = randomBytes;
  }

  next(now: number): string {
    assert(Number.isInteger(now) && now >= 0 && now <= LAST_INSTANT, `instant ${now}`);
    if (now === this.#instant) {
      this.#counter += BigInt(this.#randomBytes(STRIDE_BYTES).readUInt32BE()) + 1n;
    } else {
      this.#instant = now;
      const random = (this.#randomBytes(8).readBigUInt64BE() << 2n) | BigInt(this.#randomBytes(1)[0]! & 3);
      // The topmost of the bits that count starts at 0: 2^21 strides fit before they could overflow.
      this.#counter = random & ~(1n << (COUNTING_BITS - 1n));
    }
    assert(this.#counter >> COUNTER_BITS === 0n, 'the millisecond is used up');
    return format(now, (this.#counter << 8n) | BigInt(this.#randomBytes(1)[0]!));
  }
}

function format(instant: number, random: bigint): string {
  const time = instant.toString(16).padStart(12, '0');
  const high = (random >> 62n).toString(16).padStart(3, '0');
  const low = ((0b10n << 62n) | (random & ((1n << 62n) - 1n))).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${low.slice(0, 4)}-${low.slice(4)}`;
}
