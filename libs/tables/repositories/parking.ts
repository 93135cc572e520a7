import type { RowCopy } from '#ports/row-copy.ts';
import type { Row, Table } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { allRows } from '../all-rows.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { PARKED, PARKED_KEYS } from '../declarations/tables.ts';

/**
 * A key whose records are held back. `parked` -> an operator says `retry` (drain in order) or `skip` (the first record
 * is left out, the rest drains) -> the flag is cleared, or `parked` again when a record fails once more.
 */
export interface ParkedKey {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  /** This parking; records are filed under it. */
  readonly episode: string;
  readonly wish: 'none' | 'retry' | 'skip';
  /** Records up to this offset are done with; -1: none. */
  readonly drainedTo: number;
  readonly error: string;
  /** Left out: a release before this field was parking. */
  readonly cause?: ParkingCause;
  readonly parkedAt: number;
  /** Bumped with every record held back, so that a flag can't be cleared over one. */
  readonly held: number;
}

/** Its record is refused again and again, or the processes that handled it vanished. */
export type ParkingCause = 'failing' | 'vanished_owners';

export interface ParkedKeyRow extends ParkedKey {
  readonly version: number;
}

export interface ParkedRecord {
  readonly offset: number;
  readonly value: Uint8Array;
}

const KEYS_A_SLICE = 1000;
/** Of the error in a flag: some errors quote what was wrong, which may be longer than a row may be. */
const MAX_ERROR_CHARACTERS = 2_000;

/**
 * Every parked key of a partition of a topic: one left out would let its newer records overtake. Rejects with
 * `PortError`.
 */
export async function listParkedKeys(
  store: TableStore,
  topic: string,
  partition: number,
): Promise<readonly ParkedKeyRow[]> {
  const rows = await allRows(store, PARKED_KEYS, [topic, partition], KEYS_A_SLICE);
  return rows.flatMap((row) => parkedKeyOf(row) ?? []);
}

function parkedKeyOf(row: Row): ParkedKeyRow | null {
  const body = decodeBody<ParkedKey>(row);
  return body === null ? null : { ...body, version: row.version };
}

export async function readParkedKey(
  store: TableStore,
  topic: string,
  partition: number,
  key: string,
): Promise<{ readonly version: number; readonly flag: ParkedKeyRow | null }> {
  const row = await store.read(PARKED_KEYS, [topic, partition], [key], { serial: true });
  return row === null ? { version: 0, flag: null } : { version: row.version, flag: parkedKeyOf(row) };
}

/**
 * Sets (`flag`) or clears (null) a parked key if its row is still at `version` (0: none). An uncertain write is
 * settled.
 */
export async function writeParkedKey(
  store: TableStore,
  at: { readonly topic: string; readonly partition: number; readonly key: string },
  { version, flag, token }: { readonly version: number; readonly flag: ParkedKey | null; readonly token: string },
): Promise<boolean> {
  const write = replacing([at.topic, at.partition], [at.key], {
    over: version === 0 ? null : version,
    value: flag && { ...flag, error: flag.error.slice(0, MAX_ERROR_CHARACTERS) },
    token,
  });
  return settledWrite(store, PARKED_KEYS, write);
}

/**
 * Records of a key that was released stay until they expire: rows that were filed for a later parking of the same key
 * stand in the same partition, so that it can not be dropped. A key that stays parked for longer loses its oldest
 * records; what they are about is over, and removed, by then.
 */
const PARKED_SECONDS = 400 * 86_400;

export async function fileRecord(store: TableStore, flag: ParkedKey, record: ParkedRecord): Promise<void> {
  await store.insert(PARKED, [
    {
      partition: [flag.topic, flag.key],
      clustering: [flag.episode, record.offset],
      body: record.value,
      format: BODY_FORMAT,
      ttlSeconds: PARKED_SECONDS,
    },
  ]);
}

export async function readParked(store: TableStore, flag: ParkedKey, limit: number): Promise<readonly ParkedRecord[]> {
  const rows = await store.slice(PARKED, [flag.topic, flag.key], {
    prefix: [flag.episode],
    after: [flag.drainedTo],
    limit,
  });
  return rows.map((row) => ({ offset: row.clustering[1] as number, value: row.body }));
}

/**
 * Above every offset of a log: records that were parked beside another log are filed this far below it, so that the
 * records of the log that is read now, which begins again at 0, stand behind them.
 */
const OF_ANOTHER_LOG = 2 ** 40;

/** A row of `PARKED` or of `PARKED_KEYS`, to be kept beside another log than the one in which its records stood. */
export function besideAnotherLog(row: RowCopy, table: Table): RowCopy {
  if (table === PARKED) {
    const [episode, offset] = row.clustering as readonly [string, number];
    return { ...row, clustering: [episode, offset - OF_ANOTHER_LOG] };
  }
  const flag = decodeBody<ParkedKey>(row);
  if (flag === null) return row;
  return { ...row, body: encodeBody({ ...flag, drainedTo: flag.drainedTo - OF_ANOTHER_LOG }) };
}

/**
 * Files the records of a parked key anew, for a log that begins again at 0; see `OF_ANOTHER_LOG`. False: the key was
 * changed meanwhile. Rejects with `PortError`; repeatable.
 */
export async function refileBesideAnotherLog(store: TableStore, parked: ParkedKeyRow, token: string): Promise<boolean> {
  const { version, ...flag } = parked;
  // An episode of its own: those of the old one would stay behind the records of the new log, and drain twice.
  const refiled: ParkedKey = { ...flag, episode: `${flag.episode} again`, drainedTo: flag.drainedTo - OF_ANOTHER_LOG };
  for (let last = flag.drainedTo; ;) {
    const records = await readParked(store, { ...flag, drainedTo: last }, KEYS_A_SLICE);
    for (const { offset, value } of records)
      await fileRecord(store, refiled, { offset: offset - OF_ANOTHER_LOG, value });
    if (records.length < KEYS_A_SLICE) break;
    last = records.at(-1)!.offset;
  }
  return writeParkedKey(store, flag, { version, flag: refiled, token });
}
