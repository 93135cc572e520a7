import { createHash } from 'node:crypto';
import { PICTURE_ANSWER, type PictureAnswer } from './picture-job.ts';

/** The picture that a worker made, in pieces as they came. */
export interface MadePicture {
  readonly chunks: readonly Buffer[];
  readonly sha256: string;
}

export type ReadAnswer =
  | Exclude<PictureAnswer, { kind: 'made' }>
  | (Extract<PictureAnswer, { kind: 'made' }> & { readonly picture: MadePicture });

/** Longer than any line that a worker writes: the private parts of a PNG bear their check sums. */
const MAX_LINE_BYTES = 500_000;
const LINE_END = 10;

/**
 * Reads what a worker writes, which may be anything once a file has taken it over: a line, then so many bytes as the
 * line says.
 */
export class AnswerReader {
  readonly #maxBytes: number;
  readonly #sha256 = createHash('sha256');
  #line: Buffer = Buffer.alloc(0);
  #made: Extract<PictureAnswer, { kind: 'made' }> | null = null;
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** `maxBytes`: of the picture; 0 where none is asked for. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The answer once it is whole, `broken` once it can be none, and null until then. */
  take(chunk: Buffer): ReadAnswer | 'broken' | null {
    if (this.#made !== null) return this.#keep(chunk, this.#made);
    this.#line = Buffer.concat([this.#line, chunk]);
    const end = this.#line.subarray(0, MAX_LINE_BYTES).indexOf(LINE_END);
    if (end < 0) return this.#line.length < MAX_LINE_BYTES ? null : 'broken';
    const answer = PICTURE_ANSWER.safeParse(parsed(this.#line.toString('utf8', 0, end)));
    if (!answer.success) return 'broken';
    if (answer.data.kind !== 'made') return answer.data;
    if (answer.data.bytes > this.#maxBytes) return 'broken';
    this.#made = answer.data;
    return this.#keep(this.#line.subarray(end + 1), answer.data);
  }

  #keep(chunk: Buffer, made: Extract<PictureAnswer, { kind: 'made' }>): ReadAnswer | 'broken' | null {
    this.#bytes += chunk.length;
    if (this.#bytes > made.bytes) return 'broken';
    this.#sha256.update(chunk);
    this.#chunks.push(chunk);
    if (this.#bytes < made.bytes) return null;
    return { ...made, picture: { chunks: this.#chunks, sha256: this.#sha256.digest('hex') } };
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
