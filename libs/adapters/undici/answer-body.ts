import assert from 'node:assert/strict';

export interface AnswerBodySource {
  /** Asks the connection to pause; a few pieces may still come. */
  pause(): void;
  resume(): void;
  /** The reader has left. */
  left(): void;
}

/** Bytes held for a reader that is slower than the network; above it the connection is paused (backpressure). */
const MAX_HELD_BYTES = 256 * 1024;

/**
 * The pieces of a body, for one reader. Modes: open -> ended (all of it came) | failed (the rest is lost) | left (the
 * reader stopped reading). Pieces that came before a failure are still read first. It is not a generator: `return` of a
 * generator waits for its pending `next`, so a reader could not leave a body that stopped coming.
 */
export class AnswerBody implements AsyncIterableIterator<Uint8Array> {
  #mode: 'open' | 'ended' | 'failed' | 'left' = 'open';
  #isTaken = false;
  #isPaused = false;
  #failure: Error | null = null;
  #heldBytes = 0;
  readonly #held: Uint8Array[] = [];
  #reader: { resolve(result: IteratorResult<Uint8Array, undefined>): void; reject(failure: Error): void } | null = null;
  readonly #source: AnswerBodySource;

  constructor(source: AnswerBodySource) {
    this.#source = source;
  }

  push(piece: Uint8Array): void {
    if (this.#mode !== 'open' || piece.length === 0) return;
    if (this.#reader !== null) return this.#answer({ done: false, value: piece });
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#isPaused || this.#heldBytes < MAX_HELD_BYTES) return;
    this.#isPaused = true;
    this.#source.pause();
  }

  end(): void {
    if (this.#mode !== 'open') return;
    this.#mode = 'ended';
    this.#answer({ done: true, value: undefined });
  }

  fail(failure: Error): void {
    if (this.#mode !== 'open') return;
    this.#mode = 'failed';
    this.#failure = failure;
    const reader = this.#reader;
    this.#reader = null;
    reader?.reject(failure);
  }

  [Symbol.asyncIterator](): this {
    assert(!this.#isTaken, 'a body is read once');
    this.#isTaken = true;
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    assert(this.#reader === null, 'a body has one reader');
    const piece = this.#held.shift();
    if (piece !== undefined) {
      this.#heldBytes -= piece.length;
      if (this.#isPaused && this.#heldBytes === 0 && this.#mode === 'open') {
        this.#isPaused = false;
        this.#source.resume();
      }
      return { done: false, value: piece };
    }
    if (this.#mode === 'failed') throw this.#failure!;
    if (this.#mode !== 'open') return { done: true, value: undefined };
    return new Promise((resolve, reject) => (this.#reader = { resolve, reject }));
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#mode === 'open') {
      this.#mode = 'left';
      this.#source.left();
      this.#answer({ done: true, value: undefined });
    }
    this.#held.length = 0;
    return { done: true, value: undefined };
  }

  #answer(result: IteratorResult<Uint8Array, undefined>): void {
    const reader = this.#reader;
    this.#reader = null;
    reader?.resolve(result);
  }
}
