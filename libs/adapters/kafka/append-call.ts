import { PortError } from '#ports/errors.ts';
import type { Position, RecordHeaders } from '#ports/log.ts';

/** One record of an append that is not finished. */
export interface AppendItem {
  readonly call: AppendCall;
  /** Its index among the call's records. */
  readonly index: number;
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly value: Buffer;
  readonly headers?: RecordHeaders | undefined;
}

/**
 * One call of `append`, whose records may be spread over several sends.
 *
 * Modes: waiting (nothing was passed to Kafka) -> sent (some record may be stored) -> settled. A deadline that passes
 * while waiting proves that nothing is stored (`unavailable`); later it does not (`unknown`).
 */
export class AppendCall {
  readonly #positions: Position[];
  readonly #resolve: (positions: readonly Position[]) => void;
  readonly #reject: (error: PortError) => void;
  #missing: number;
  #sent = false;
  #settled = false;
  #onSettled: () => void = () => {};

  constructor(records: number, resolve: (positions: readonly Position[]) => void, reject: (error: PortError) => void) {
    this.#positions = new Array<Position>(records);
    this.#missing = records;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get settled(): boolean {
    return this.#settled;
  }

  onSettled(run: () => void): void {
    this.#onSettled = run;
  }

  markSent(): void {
    this.#sent = true;
  }

  stored(index: number, position: Position): void {
    if (this.#settled) return;
    if (this.#positions[index] !== undefined) throw new Error(`record ${index} of a call was stored twice`);
    this.#positions[index] = position;
    this.#missing -= 1;
    if (this.#missing === 0) this.#settle(() => this.#resolve(this.#positions));
  }

  giveUp(why: string, cause?: unknown): void {
    if (this.#settled) return;
    const kind = this.#sent ? 'unknown' : 'unavailable';
    this.#settle(() => this.#reject(new PortError(kind, why, { cause })));
  }

  #settle(tell: () => void): void {
    this.#settled = true;
    this.#onSettled();
    tell();
  }
}
