import type { RowCopy, RowReader } from '#ports/row-copy.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Table } from '#ports/table.ts';
import type { SchemaIdTranslation } from '#codec/schema-ids.ts';
import {
  AVRO_SCHEMAS,
  DEAD_LETTER_VALUES,
  DUE,
  HANDLING,
  INSTALLATION,
  PARKED,
  PARKED_KEYS,
  PROCESSES,
  SHARD_WATERMARKS,
  TABLES,
} from '#tables/declarations/tables.ts';
import { withPayload } from '#tables/repositories/due.ts';
import { besideAnotherLog } from '#tables/repositories/parking.ts';

/** Tables that a migration fills: the restore replaces what it must of them, row by row. */
const FILLED_BY_MIGRATE: readonly Table[] = [INSTALLATION, SHARD_WATERMARKS, AVRO_SCHEMAS];

/**
 * Tables that say what processes were doing. HANDLING does so by offsets of a log that is left behind, and would accuse
 * other records; PROCESSES would name processes that are gone.
 */
const OF_PROCESSES: readonly Table[] = [HANDLING, PROCESSES];

/** Tables whose rows are moved as they are. */
export const MOVED_TABLES: readonly Table[] = TABLES.filter(
  (table) => !OF_PROCESSES.includes(table) && !FILLED_BY_MIGRATE.includes(table),
);

/** Tables that are empty while no process has ever run on them. */
export const EMPTY_TABLES: readonly Table[] = TABLES.filter(
  // A process that ended leaves its row for half a minute; one that runs is reported by it, in other words.
  (table) => table !== PROCESSES && !FILLED_BY_MIGRATE.includes(table),
);

/**
 * Facts of the whole installation that belong to the place where it runs: the migrations of this keyspace; the embedded
 * clock's advance, which no cluster has; how far a sealing anew has come, by pages of one store; the format that is
 * written, which the migration of this keyspace has set (see `move-rows.ts`).
 */
const OF_THE_PLACE: readonly string[] = ['schema', 'lock', 'clock', 'restoring', 'resealing', 'format'];

/** The facts of the installation that a backup has, to be read as those of a store. */
export function installationIn(reader: RowReader, now: number): Pick<TableStore, 'read'> {
  return {
    read: async (_table, partition) =>
      [...reader.rows(INSTALLATION, now)].find((row) => row.partition[0] === partition[0]) ?? null,
  };
}

export function isOfThePlace({ partition }: Pick<RowCopy, 'partition'>): boolean {
  return OF_THE_PLACE.includes(String(partition[0]));
}

/** Rows that hold records, or offsets of the log, as they have to be beside the log that is read from now on. */
export function besideNewLog(table: Table, row: RowCopy, translate: SchemaIdTranslation): RowCopy {
  // A void body is a row that counts as absent.
  if (row.body.length === 0) return row;
  if (table === DUE) return { ...row, body: withPayload(row.body, translate) };
  if (table === DEAD_LETTER_VALUES) return { ...row, body: translate(row.body) };
  if (table === PARKED) return { ...besideAnotherLog(row, table), body: translate(row.body) };
  return table === PARKED_KEYS ? besideAnotherLog(row, table) : row;
}
