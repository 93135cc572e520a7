import type { Codec, MessageType } from '#messages/messages.ts';
import type { Clock } from '#ports/clock.ts';
import type { StoredRecord } from '#ports/log.ts';

/**
 * Lets records of some types wait for more of their key, so that one batch takes what came in a moment. A batch of
 * nothing but these begins no sooner than `forMs` after the last such batch of its key ended, unless it is full. The
 * first after a pause is not kept waiting, and a record of another type takes those before it along at once.
 */
export interface Gathering {
  readonly types: ReadonlySet<MessageType>;
  readonly forMs: number;
}

/** Whether each of them may wait for more of its key. */
export function areGathered(
  { types }: Pick<Gathering, 'types'>,
  records: readonly Pick<StoredRecord, 'value'>[],
  codec: Pick<Codec, 'typeOf'>,
): boolean {
  return records.every(({ value }) => {
    const type = codec.typeOf(value);
    return type !== null && types.has(type);
  });
}

/** When the last gathered batch of each key ended, for as long as a next one has to wait for it. */
export class GatheredKeys {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #forMs: number;
  /** By key, those that ended longest ago first. */
  readonly #endedAt = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>, { forMs }: Pick<Gathering, 'forMs'>) {
    this.#clock = clock;
    this.#forMs = forMs;
  }

  ended(key: string): void {
    const now = this.#clock.monotonic();
    this.#endedAt.delete(key);
    this.#endedAt.set(key, now);
    for (const [earlier, at] of this.#endedAt) {
      if (now - at < this.#forMs) break;
      this.#endedAt.delete(earlier);
    }
  }

  /** How long the next batch has to wait yet, in milliseconds; 0: it may begin. */
  waitMs(key: string): number {
    const endedAt = this.#endedAt.get(key);
    return endedAt === undefined ? 0 : Math.max(0, this.#forMs - (this.#clock.monotonic() - endedAt));
  }
}
