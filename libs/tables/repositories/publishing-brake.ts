import { PortError } from '#ports/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readHolds, type KnownHolds } from './publishing-holds.ts';

/** Known holds with the instant at which their read began, by the monotonic clock. */
interface Reading {
  readonly known: KnownHolds;
  readonly begunAt: number;
}

interface ReadingUnderWay {
  readonly begunAt: number;
  readonly reading: Promise<Reading>;
}

export interface Brake {
  /**
   * All holds that were acknowledged `maxAgeMs` before this resolves, or earlier. Rejects with `PortError` when they
   * can not be read in that time: who must not send in a held scope sends nothing then.
   */
  known(maxAgeMs: number): Promise<KnownHolds>;
  /** What a read that begins now, or later, finds: a release that was acknowledged before is in it. */
  knownFromNowOn(): Promise<KnownHolds>;
}

const TRIES = 3;
const NOTHING: KnownHolds = { holds: [], periods: [], restoration: null };

/**
 * The holds as one process knows them. They are read when somebody asks and what was read last is too old, so a process
 * that does nothing reads nothing, and one that has just begun knows nothing before its first read. Those who ask
 * together share a read. An age counts from when the read began: what was acknowledged before that is in it.
 */
export class PublishingBrake implements Brake {
  readonly #store: TableStore;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #last: Reading | null = null;
  #underWay: ReadingUnderWay | null = null;

  constructor({ store, clock }: { readonly store: TableStore; readonly clock: Pick<Clock, 'monotonic'> }) {
    this.#store = store;
    this.#clock = clock;
  }

  async known(maxAgeMs: number): Promise<KnownHolds> {
    for (let tries = 0; tries < TRIES; tries++) {
      const oldest = this.#clock.monotonic() - maxAgeMs;
      if (this.#last !== null && this.#last.begunAt >= oldest) return this.#last.known;
      const underWay = this.#underWay !== null && this.#underWay.begunAt >= oldest ? this.#underWay : this.#read();
      await underWay.reading;
    }
    throw new PortError('unavailable', `what is held can not be read within ${maxAgeMs} ms`);
  }

  async knownFromNowOn(): Promise<KnownHolds> {
    const now = this.#clock.monotonic();
    const underWay = this.#underWay !== null && this.#underWay.begunAt >= now ? this.#underWay : this.#read();
    return (await underWay.reading).known;
  }

  /** What was read last, however old; nothing before the first read. */
  get lastKnown(): KnownHolds {
    return this.#last?.known ?? NOTHING;
  }

  /** The next who asks reads anew: this process has just changed a hold. */
  forget(): void {
    this.#last = null;
    this.#underWay = null;
  }

  #read(): ReadingUnderWay {
    const begunAt = this.#clock.monotonic();
    const underWay: ReadingUnderWay = { begunAt, reading: this.#readAt(begunAt) };
    this.#underWay = underWay;
    const end = (): void => {
      if (this.#underWay === underWay) this.#underWay = null;
    };
    underWay.reading.then((reading) => {
      // Forgotten meanwhile, or overtaken by a later read.
      if (this.#underWay === underWay || (this.#last !== null && this.#last.begunAt < begunAt)) this.#last = reading;
      end();
    }, end);
    return underWay;
  }

  async #readAt(begunAt: number): Promise<Reading> {
    return { known: await readHolds(this.#store), begunAt };
  }
}

/** Nothing is ever held. */
export const NO_BRAKE: Brake = {
  known: () => Promise.resolve(NOTHING),
  knownFromNowOn: () => Promise.resolve(NOTHING),
};
