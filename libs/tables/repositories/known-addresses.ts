import type { Clock } from '#ports/clock.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readAnnouncedProcesses } from './announced-processes.ts';

/** `gone`: a process listened there, and ended. `unknown`: no process of this installation ever said so. */
export type AddressStanding = 'known' | 'gone' | 'unknown';

/** What was read last is good for this long. */
const FRESH_MS = 60_000;
/** For an address that is not in it, the rows are read again, but no more often than this. */
const READ_AGAIN_MS = 1_000;

/**
 * Where processes of this installation listen, as they announced it themselves. Whoever can write to a topic can put
 * any address into a command, and a call to it carries the credential of the installation. It reads when somebody asks,
 * and never more than once a second, however many addresses are asked for.
 */
export class KnownAddresses {
  readonly #store: TableStore;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #standings: ReadonlyMap<string, AddressStanding> = new Map();
  #readAt = -Infinity;
  #triedAt = -Infinity;
  #reading: Promise<void> | null = null;

  constructor({ store, clock }: { readonly store: TableStore; readonly clock: Pick<Clock, 'monotonic'> }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A promise only where rows have to be read; unknown when they can not be. `address`: without a slash at its end. */
  standing(address: string): AddressStanding | Promise<AddressStanding> {
    const now = this.#clock.monotonic();
    const standing = this.#standing(address);
    if (standing === 'known' || (now - this.#triedAt < READ_AGAIN_MS && this.#reading === null)) return standing;
    return this.#read().then(() => this.#standing(address));
  }

  #standing(address: string): AddressStanding {
    const isFresh = this.#clock.monotonic() - this.#readAt < FRESH_MS;
    return isFresh ? (this.#standings.get(address) ?? 'unknown') : 'unknown';
  }

  #read(): Promise<void> {
    this.#reading ??= readAnnouncedProcesses(this.#store)
      .then(
        (processes) => {
          // An address that one process left may be another's by now.
          const ended = processes.filter(({ stoppedAt }) => stoppedAt !== null);
          const living = processes.filter(({ stoppedAt }) => stoppedAt === null);
          this.#standings = new Map([
            ...ended.map(({ address }) => [address, 'gone'] as const),
            ...living.map(({ address }) => [address, 'known'] as const),
          ]);
          this.#readAt = this.#clock.monotonic();
        },
        () => {},
      )
      .finally(() => {
        this.#triedAt = this.#clock.monotonic();
        this.#reading = null;
      });
    return this.#reading;
  }
}
