import type { Network } from '#domain/network.ts';
import type { TableStore } from '#ports/table-store.ts';
import { PROCESSES } from '../declarations/tables.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { readProcessRows } from './processes.ts';

/** What a process of a cluster tells the others of itself, from before its first command until after its end. */
export interface AnnouncedProcess {
  /** Of this life of the process. */
  readonly instance: string;
  /** Where others reach it. */
  readonly address: string;
  /** Networks that it publishes to. */
  readonly publishes: readonly Network[];
  /** Short names of the keys that it knows: first the one that it seals with, then those that only open. */
  readonly secretKeys: readonly string[];
  readonly seenAt: number;
  /** When it ended in order; null: it has not. */
  readonly stoppedAt: number | null;
}

/** A process renews its row this often. */
export const ANNOUNCE_MS = 15_000;
/** A row that is not renewed is forgotten after this, which is longer than any restart. */
export const ANNOUNCED_KEPT_MS = 600_000;
const PARTITION = ['announced'] as const;

/** `over`: the version that it wrote before; null: none. Returns the new one. Rejects with `PortError`. */
export async function announceProcess(
  store: TableStore,
  { instance, ...value }: AnnouncedProcess,
  { over, token }: { readonly over: number | null; readonly token: string },
): Promise<number> {
  const ttlSeconds = ANNOUNCED_KEPT_MS / 1000;
  const write = replacing(PARTITION, [instance], { over, value, token, ttlSeconds });
  if (await settledWrite(store, PROCESSES, write)) return write.next.version;
  // Nobody else writes it: it expired, or a write before this one ended unknown.
  const version = (await store.read(PROCESSES, PARTITION, [instance], { serial: true }))?.version ?? null;
  const again = replacing(PARTITION, [instance], { over: version, value, token: `${token} again`, ttlSeconds });
  await settledWrite(store, PROCESSES, again);
  return again.next.version;
}

/** Also those that ended lately. Rejects with `PortError`. */
export function readAnnouncedProcesses(store: TableStore): Promise<readonly AnnouncedProcess[]> {
  return readProcessRows<AnnouncedProcess>(store, PARTITION);
}
