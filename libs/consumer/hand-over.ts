import { PortError } from '#ports/errors.ts';
import { transition, type Transitions } from '#concurrency/transition.ts';

/** `passed`: its handler let the next record go on before it had ended. `ended`: it was handled. */
export type HandOverKind = 'passed' | 'ended';

type Mode = 'kept' | 'given' | 'refused';
const TRANSITIONS: Transitions<Mode> = { kept: ['given', 'refused'], given: [], refused: [] };

/**
 * The turn of a key, which one record's handler gives to the next one's where both run at once.
 *
 * kept (the next one does only what may be done out of turn) -> `pass` or `end` -> given; or -> `refuse` -> refused:
 * the record has to be handled again, or nothing may begin any more. What was given stays given, whatever becomes of
 * the record.
 */
export class HandOver {
  /** Rejects with `PortError` `unavailable` when it is refused: then nothing may be done for the next record. */
  readonly over: Promise<HandOverKind>;
  readonly #resolve: (kind: HandOverKind) => void;
  readonly #reject: (error: unknown) => void;
  readonly #mayGive: () => boolean;
  #mode: Mode = 'kept';

  /** `mayGive`: false once nothing may begin any more. */
  constructor(mayGive: () => boolean) {
    const { promise, resolve, reject } = Promise.withResolvers<HandOverKind>();
    this.over = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#mayGive = mayGive;
    // Often there is no next record.
    promise.catch(() => {});
  }

  get isGiven(): boolean {
    return this.#mode === 'given';
  }

  get isRefused(): boolean {
    return this.#mode === 'refused';
  }

  pass(): void {
    this.#give('passed');
  }

  end(): void {
    this.#give('ended');
  }

  refuse(): void {
    if (this.#mode !== 'kept') return;
    this.#enter('refused');
    this.#reject(new PortError('unavailable', 'the record before has to be handled first'));
  }

  #give(kind: HandOverKind): void {
    if (this.#mode !== 'kept') return;
    if (!this.#mayGive()) return this.refuse();
    this.#enter('given');
    this.#resolve(kind);
  }

  #enter(mode: Mode): void {
    this.#mode = transition('a hand-over', TRANSITIONS, this.#mode, mode);
  }
}
