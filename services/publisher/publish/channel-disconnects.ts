import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { Clock } from '#ports/clock.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { endIn, remainingMs, type WaitEnd } from './wait-end.ts';

/** What was read counts for so long: nobody disconnects a Channel and signs in to its account again in less. */
const MAX_AGE_MS = 1_000;
const MAX_WORKSPACES = 2_000;

interface Reading {
  readonly until: WaitEnd;
  readonly counts: Promise<ReadonlyMap<string, number>>;
}

/**
 * How often Channels were disconnected, as attempts ask. Many attempts of one Workspace ask at once, and its Channels
 * are one row, of up to 500: it is read once a second.
 */
export class ChannelDisconnects {
  readonly #store: TableStore;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #readings = createBoundedMap<string, Reading>(MAX_WORKSPACES);

  constructor({ store, clock }: { readonly store: TableStore; readonly clock: Pick<Clock, 'now' | 'monotonic'> }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** 0: never, or there is no such Channel. Rejects with `PortError`. */
  async of(workspaceId: string, channelId: string): Promise<number> {
    const known = this.#readings.get(workspaceId);
    const { counts } = remainingMs(known?.until, this.#clock) > 0 ? known! : this.#begin(workspaceId);
    return (await counts).get(channelId) ?? 0;
  }

  #begin(workspaceId: string): Reading {
    const reading = { until: endIn(MAX_AGE_MS, this.#clock), counts: this.#read(workspaceId) };
    this.#readings.set(workspaceId, reading);
    reading.counts.catch(() => {
      if (this.#readings.get(workspaceId) === reading) this.#readings.delete(workspaceId);
    });
    return reading;
  }

  async #read(workspaceId: string): Promise<ReadonlyMap<string, number>> {
    const channels = Object.values(await readChannels(this.#store, workspaceId));
    return new Map(
      channels.filter(({ disconnects }) => disconnects > 0).map(({ id, disconnects }) => [id, disconnects]),
    );
  }
}
