import { readSync } from 'node:fs';

/** Why the boxes of a file were not read: it breaks the rules of the format, or is beyond any camera or program. */
export type Bound = 'no index' | 'too many tracks' | 'too many boxes' | 'too large an index';

export interface Box {
  readonly type: string;
  /** The first byte of the box. */
  readonly at: number;
  /** The first byte of its content, and the one behind it. */
  readonly start: number;
  readonly end: number;
}

/**
 * The number of boxes read in the whole file, counting repeated reads: it bounds the cost of reading. A fragmented film
 * has several boxes for each second.
 */
const MAX_BOXES = 100_000;
/** Thrown inside the reader, so that every path of reading stops at a limit. */
export class Beyond extends Error {
  readonly bound: Bound;

  constructor(bound: Bound) {
    super(bound);
    this.bound = bound;
  }
}

export class BoxReader {
  readonly #file: number;
  readonly #head = Buffer.alloc(16);
  #boxesLeft = MAX_BOXES;

  constructor(file: number) {
    this.#file = file;
  }

  /** The box at `at` inside a container that ends at `end`; null where there is none. */
  boxAt(at: number, end: number): Box | null {
    if (this.#boxesLeft === 0) throw new Beyond('too many boxes');
    this.#boxesLeft -= 1;
    const bytesRead = readSync(this.#file, this.#head, 0, Math.min(16, end - at), at);
    return boxFrom(this.#head.subarray(0, bytesRead), at, end);
  }

  /** The boxes inside another, as far as they follow each other. */
  *boxesIn({ start, end }: Pick<Box, 'start' | 'end'>): Generator<Box> {
    for (let at = start; at < end;) {
      const box = this.boxAt(at, end);
      if (box === null) return;
      yield box;
      at = box.end;
    }
  }

  /** The first box at the end of `path`. */
  find(within: Box, path: readonly string[]): Box | undefined {
    return path.reduce<Box | undefined>(
      (box, type) => box && [...this.boxesIn(box)].find((one) => one.type === type),
      within,
    );
  }

  /** The first bytes of the content of a box. */
  beginningOf({ start, end }: Box, most = BEGINNING_BYTES): Buffer {
    const bytes = Buffer.alloc(Math.min(most, end - start));
    return bytes.subarray(0, readSync(this.#file, bytes, 0, bytes.length, start));
  }
}

/** The most bytes read of a header or of an edit list with one entry. */
const BEGINNING_BYTES = 64;

function boxFrom(head: Buffer, at: number, end: number): Box | null {
  if (head.length < 8) return null;
  const short = head.readUInt32BE(0);
  if (short === 1 && head.length < 16) return null;
  const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
  const start = at + (short === 1 ? 16 : 8);
  return at + size > end || at + size < start
    ? null
    : { type: head.toString('latin1', 4, 8), at, start, end: at + size };
}
