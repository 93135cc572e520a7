import type { TopicPartition } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { HANDLING } from '../declarations/tables.ts';

/** Offsets of records of one key, first to last. */
export type Span = readonly [from: number, to: number];

/** A key that its partition's owner is handling, or that is suspected of ending its owners. */
export interface HandledKey {
  /** Owners in a row that vanished while they handled records among `suspected`; 0: none. */
  readonly vanished: number;
  readonly suspected: Span | null;
  /** What is being handled now. */
  readonly running: Span | null;
}

/** What the owner of a partition leaves to its successor. */
export interface Handling {
  /** True from the first record an owner begins until it lets go of the partition: found true, the owner vanished. */
  readonly owned: boolean;
  readonly keys: Readonly<Record<string, HandledKey>>;
}

export interface HandlingSource extends TopicPartition {
  readonly group: string;
}

/** `version` 0: there is no row yet. `token`: of the write that made this version. Rejects with `PortError`. */
export async function readHandling(
  store: TableStore,
  source: HandlingSource,
): Promise<Handling & { readonly version: number; readonly token: string }> {
  const row = await store.read(HANDLING, keyOf(source), [], { serial: true });
  const body = row === null ? null : decodeBody<Handling>(row);
  return { owned: false, keys: {}, ...body, version: row?.version ?? 0, token: row?.token ?? '' };
}

/**
 * False: the row is not at `version` any more. An uncertain write is settled. Rejects with
 * `PortError`.
 */
export async function writeHandling(
  store: TableStore,
  source: HandlingSource,
  { version, handling, token }: { readonly version: number; readonly handling: Handling; readonly token: string },
): Promise<boolean> {
  const over = version === 0 ? null : version;
  return settledWrite(store, HANDLING, replacing(keyOf(source), [], { over, value: handling, token }));
}

function keyOf({ group, topic, partition }: HandlingSource) {
  return [group, topic, partition];
}
