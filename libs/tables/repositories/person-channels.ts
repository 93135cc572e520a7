import { hash } from 'node:crypto';
import type { Network } from '#domain/network.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { allRows } from '../all-rows.ts';
import { CHANNELS_BY_PERSON } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';

/** A person of a Network, by the id that the Network knows the person by towards our app. */
export interface Person {
  readonly network: Network;
  readonly personId: string;
}

/** A Channel that a person connected. */
export interface PersonChannel {
  readonly workspaceId: string;
  readonly channelId: string;
  /** Of the connecting that wrote the row: a later one writes it anew. */
  readonly connectionId: string;
}

/** Finds Channels by the person who connected them, in whatever Workspaces they are. */
export interface PersonChannels {
  of(person: Person): Promise<readonly PersonChannel[]>;
  keep(person: Person, channel: PersonChannel): Promise<void>;
  /** Unless a later connecting wrote the row. */
  remove(person: Person, channel: Pick<PersonChannel, 'channelId' | 'connectionId'>): Promise<void>;
}

const CHANNELS_A_SLICE = 1_000;
const ATTEMPTS = 8;

/** Every method rejects with `PortError`; then it may have happened. */
export function createPersonChannels(store: TableStore, newToken: () => string): PersonChannels {
  const replace = async (
    person: Person,
    channelId: string,
    next: (known: PersonChannel | null) => PersonChannel | null | 'as it is',
  ): Promise<void> => {
    const partition = partitionOf(person);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const row = await store.read(CHANNELS_BY_PERSON, partition, [channelId], { serial: attempt > 0 });
      const value = next(row === null ? null : decodeBody<PersonChannel>(row));
      if (value === 'as it is') return;
      const write = replacing(partition, [channelId], { over: row?.version ?? null, value, token: newToken() });
      if (await settledWrite(store, CHANNELS_BY_PERSON, write)) return;
    }
    throw new PortError('unavailable', `the person of channel ${channelId} keeps changing`);
  };
  return {
    of: async (person) => {
      // Rows of Channels that were disconnected stay, and are older than those that are connected.
      const rows = await allRows(store, CHANNELS_BY_PERSON, partitionOf(person), CHANNELS_A_SLICE);
      return rows.flatMap((row) => decodeBody<PersonChannel>(row) ?? []);
    },
    keep: (person, channel) =>
      replace(person, channel.channelId, (known) =>
        known?.connectionId === channel.connectionId ? 'as it is' : channel,
      ),
    remove: (person, { channelId, connectionId }) =>
      replace(person, channelId, (known) => (known?.connectionId === connectionId ? null : 'as it is')),
  };
}

/** A hash, because ids of accounts can be longer than a key may be. */
function partitionOf({ network, personId }: Person): readonly string[] {
  return [network, hash('sha256', personId, 'hex')];
}
