import type { Codec } from '#messages/messages.ts';
import type { Networks } from '#networks/registry.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { SimulatedRole } from './roles.ts';

/** A planted bug that is put between a process and its ports, to see whether the checks find it. */
export interface Plant {
  readonly name: string;
  readonly store?: (store: TableStore, role: SimulatedRole, codec: Codec) => TableStore;
  readonly log?: (log: Log, role: SimulatedRole, codec: Codec) => Log;
  readonly networks?: (networks: Networks) => Networks;
}
