import type { TableStore } from '#ports/table-store.ts';
import type { Key } from '#ports/table.ts';
import { decodeBody } from '../rows/body.ts';
import { INSTALLATION } from '../declarations/tables.ts';
import { writeInstallation } from './installation.ts';

/** Every minute of a shard before `minute` was looked at for what its timers left undone. */
interface LookedAfter {
  readonly minute: number;
}

const rowOf = (shard: number): Key => [`looked-after ${shard}`];

/** The first minute of a shard that nobody has looked at; null: nobody ever did. Rejects with `PortError`. */
export async function readLookedAfter(store: TableStore, shard: number): Promise<number | null> {
  const row = await store.read(INSTALLATION, rowOf(shard), []);
  return row === null ? null : (decodeBody<LookedAfter>(row)?.minute ?? null);
}

/**
 * Nothing is written where another owner of the shard writes at the same time: it has looked at about the same minutes.
 * Rejects with `PortError`.
 */
export async function writeLookedAfter(
  store: TableStore,
  shard: number,
  { minute, token }: LookedAfter & { readonly token: string },
): Promise<void> {
  const row = await store.read(INSTALLATION, rowOf(shard), [], { serial: true });
  await writeInstallation(store, rowOf(shard), { over: row?.version ?? null, value: { minute }, token });
}
