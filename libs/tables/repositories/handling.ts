import { PortError } from '#ports/errors.ts';
import type { TopicPartition } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '../rows/body.ts';
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

/** `version` 0: nobody wrote a row yet. Rejects with `PortError`. */
export async function readHandling(
  store: TableStore,
  source: HandlingSource,
): Promise<Handling & { readonly version: number }> {
  const row = await store.read(HANDLING, keyOf(source), [], { serial: true });
  const body = row === null ? null : decodeBody<Handling>(row);
  return { owned: false, keys: {}, ...body, version: row?.version ?? 0 };
}

/**
 * False: the row is not at `version` any more, somebody else wrote it. An uncertain write is settled. Rejects with
 * `PortError`.
 */
export async function writeHandling(
  store: TableStore,
  source: HandlingSource,
  version: number,
  handling: Handling,
  token: string,
): Promise<boolean> {
  const next = { version: version + 1, token, body: encodeBody(handling), format: BODY_FORMAT };
  try {
    const outcome = await store.compareAndSet(HANDLING, {
      partition: keyOf(source),
      clustering: [],
      expected: version === 0 ? null : version,
      next,
    });
    return outcome.applied;
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'unknown') throw error;
    const row = await store.read(HANDLING, keyOf(source), [], { serial: true });
    return row?.token === token;
  }
}

function keyOf({ group, topic, partition }: HandlingSource) {
  return [group, topic, partition];
}
