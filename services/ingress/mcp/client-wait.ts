import type { ServerResponse } from 'node:http';
import { RequestAborted } from '#use-cases/json-body.ts';

/** A client that waits for its answer, or left before it had it. waiting -> `end` -> over; waiting -> left. */
export class ClientWait {
  readonly #outgoing: ServerResponse;
  readonly #leaving = new AbortController();
  #isOver = false;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
    if (outgoing.destroyed) this.#leave();
    else outgoing.once('close', () => this.#leave());
  }

  /** Aborted when the client leaves before its answer. */
  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  /** The answer is there. False: nobody waits for it any more. */
  end(): boolean {
    this.#isOver = true;
    return !this.#outgoing.destroyed;
  }

  #leave(): void {
    if (!this.#isOver) this.#leaving.abort(new RequestAborted());
  }
}
