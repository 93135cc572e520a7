import type { Network } from '#domain/network.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { DATA_DELETIONS } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import type { PersonChannel } from './person-channels.ts';

/** A deletion that a person had a Network ask for. Nothing in it says who the person is. */
export interface DataDeletion {
  readonly network: Network;
  readonly requestedAt: number;
  /** Of which the account's data is deleted; none where nothing was kept. */
  readonly channels: readonly PersonChannel[];
}

/** How long a status can be asked for. */
const TTL_SECONDS = 365 * 86_400;

export interface DataDeletions {
  /** `code` is new. Rejects with `PortError`; then it may be kept. */
  keep(code: string, deletion: DataDeletion): Promise<void>;
  /** null: there is none of that code. Rejects with `PortError`. */
  find(code: string): Promise<DataDeletion | null>;
}

export function createDataDeletions(store: TableStore, newToken: () => string): DataDeletions {
  return {
    keep: async (code, deletion) => {
      const write = replacing([code], [], { over: null, value: deletion, token: newToken(), ttlSeconds: TTL_SECONDS });
      if (!(await settledWrite(store, DATA_DELETIONS, write)))
        throw new PortError('unavailable', 'a code of a deletion was drawn twice');
    },
    find: async (code) => {
      const row = await store.read(DATA_DELETIONS, [code], []);
      return row === null ? null : decodeBody<DataDeletion>(row);
    },
  };
}
