import type { SchemaIdTranslation } from '#codec/schema-ids.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log, StoredRecord } from '#ports/log.ts';
import type { LogPositions } from '#ports/log-positions.ts';
import type { RowReader, RowWriter } from '#ports/row-copy.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import { INSTALLATION } from '#tables/declarations/tables.ts';
import { TOPICS, type Topic } from '#tables/declarations/topics.ts';
import { readSchemaVersion, SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { beginRestoring, endRestoring, readRestoring } from '#tables/repositories/restoring.ts';
import { checkFormat, readStoredFormat } from '#tables/repositories/written-formats.ts';
import { secretTrouble } from '#tables/repositories/secret-probe.ts';
import { moveFiles } from './move-files.ts';
import { moveRecords } from './move-records.ts';
import { moveRows } from './move-rows.ts';
import type { Progress } from './progress.ts';
import { runningProcesses } from './standing.ts';
import { EMPTY_TABLES, installationIn } from './tables-to-move.ts';

/** A backup of an embedded installation, unpacked and checked. */
export interface EmbeddedBackup {
  /** Tells backups apart. */
  readonly identity: string;
  readonly schemaVersion: number;
  /** By the installation's clock. */
  readonly backupAt: number;
  readonly reader: RowReader;
  readonly unfinished: (topic: Topic) => Iterable<StoredRecord>;
  /** Null: the backup names files and has none. */
  readonly files: Pick<BlobStore, 'list' | 'get'> | null;
}

/** The engines of a cluster that was migrated, and on which no process runs. */
export interface ClusterToFill {
  readonly keyspace: string;
  readonly store: TableStore;
  readonly writer: RowWriter;
  readonly log: Pick<Log, 'append' | 'check'>;
  readonly positions: LogPositions;
  readonly blobs: Pick<BlobStore, 'head' | 'put'>;
  readonly secretBox: SecretBox;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'sleep'>;
  readonly ids: Pick<Ids, 'token'>;
  /** From the ids that the backup's records carry to those of this cluster's registry. */
  readonly translation: () => Promise<SchemaIdTranslation>;
  /** Holds all publishing, as after every restore. Repeatable. */
  readonly markRestored: (instants: { readonly backupAt: number; readonly restoredAt: number }) => Promise<void>;
}

export interface MoveCounts {
  readonly rows: number;
  readonly records: number;
  readonly files: number;
}

/**
 * Fills an empty cluster from a backup of an embedded installation. Modes of the keyspace, by its row `restoring`:
 *
 * - *empty*: migrated, and nothing more. What is refused is refused here, before anything is written.
 * - *filling*: rows, then records, then files are on their way. No process starts. A run that is interrupted is
 *   followed by another one with the same backup, which writes all of it again: rows are the same rows, records come
 *   twice.
 * - *whole*: everything is there, and publishing is held. Processes may start.
 *
 * Rows come before records: who reads a record finds the rows that it is about. Rejects with `PortError`.
 */
export async function restoreOntoCluster(
  from: EmbeddedBackup,
  to: ClusterToFill,
  progress: Progress,
): Promise<MoveCounts> {
  const { store, clock, ids } = to;
  const known = await refuseUnfit(from, to);
  const translate = await to.translation();
  if (known === null) await refuseUsed(to);
  await beginRestoring(store, { backup: from.identity, since: clock.now() }, ids.token());
  await refuseRunning(to, known === null);
  const rows = await moveRows({ ...to, reader: from.reader, translate, progress });
  const records = await moveRecords({ ...to, unfinished: from.unfinished, translate, progress });
  const files = from.files === null ? 0 : await moveFiles(from.files, to.blobs, { clock, progress });
  await to.markRestored({ backupAt: from.backupAt, restoredAt: clock.now() });
  await endRestoring(store, ids.token());
  return { rows, records, files };
}

/** Rejects `refused` where this backup can't come here; returns the identity of the backup that is on its way here. */
async function refuseUnfit(from: EmbeddedBackup, to: ClusterToFill): Promise<string | null> {
  const here = await migratedVersion(to);
  if (here < SCHEMA_VERSION)
    throw new PortError(
      'refused',
      `keyspace ${to.keyspace} is not migrated for this release: run crier migrate with the same settings`,
    );
  if (from.schemaVersion > SCHEMA_VERSION)
    throw new PortError(
      'refused',
      `the backup has schema version ${from.schemaVersion}, and this release writes ${SCHEMA_VERSION}: use the release that made the backup, or a newer one`,
    );
  const installation = installationIn(from.reader, to.clock.now());
  checkFormat(await readStoredFormat(installation));
  const trouble = await secretTrouble(installation, to.secretBox);
  if (trouble !== null)
    throw new PortError(
      'refused',
      `CRIER_SECRET is not the secret of the backup, by which its tokens are sealed: its file secrets.json has it (CRIER_SECRET_FILE names a file that holds it alone), or name it in CRIER_PREVIOUS_SECRETS`,
    );
  await to.log.check();
  return (await readRestoring(to.store))?.backup ?? null;
}

async function migratedVersion({ store, keyspace }: ClusterToFill): Promise<number> {
  try {
    return await readSchemaVersion(store);
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'refused') throw error;
    throw new PortError('refused', `keyspace ${keyspace} can't be used: run crier migrate first`, { cause: error });
  }
}

async function refuseUsed({ store, positions, keyspace }: ClusterToFill): Promise<void> {
  for (const table of EMPTY_TABLES) {
    if ((await store.partitions(table, { after: null, limit: 1 })).keys.length === 0) continue;
    throw new PortError(
      'refused',
      `keyspace ${keyspace} is not empty: table ${table.name} has rows. Restore into a new one: another CRIER_CASSANDRA_KEYSPACE, and crier migrate`,
    );
  }
  if ((await store.read(INSTALLATION, ['secret-probe'], [])) !== null)
    throw new PortError(
      'refused',
      `a process of Crier has run on keyspace ${keyspace}: drop it, and run crier migrate before the restore`,
    );
  const used = (await positions.extents(TOPICS)).find(({ end }) => end > 0);
  if (used !== undefined)
    throw new PortError(
      'refused',
      `topic ${used.topic} is not empty: use another CRIER_KAFKA_TOPIC_PREFIX, and run crier migrate`,
    );
  const read = (await positions.groups(TOPICS)).find((group) => group.positions.some(({ next }) => next > 0));
  if (read !== undefined)
    throw new PortError(
      'refused',
      `consumer group ${read.group} has offsets of other topics: use another CRIER_KAFKA_TOPIC_PREFIX, and run crier migrate`,
    );
}

/** After the row says that a restore is at work: a process that starts later is refused by it. */
async function refuseRunning({ positions, store, ids }: ClusterToFill, isFresh: boolean): Promise<void> {
  const running = await runningProcesses(store, positions);
  if (running.length === 0) return;
  if (isFresh) await endRestoring(store, ids.token());
  throw new PortError('refused', `processes of Crier run here: ${running.join(', ')}. Stop all of them first`);
}
