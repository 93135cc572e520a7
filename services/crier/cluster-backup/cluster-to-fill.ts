import { createCassandraRowWriter } from '#adapters/cassandra/row-writer.ts';
import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import { createFilesystemBlobStore } from '#adapters/filesystem/blob-store.ts';
import { createKafkaLog } from '#adapters/kafka/log.ts';
import { createKafkaLogPositions } from '#adapters/kafka/log-positions.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { BUILT_IN } from '#codec/registry/table.ts';
import { createSchemaIdTranslation, type SchemaIdTranslation } from '#codec/schema-ids.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import type { Config } from '#config/config.ts';
import { PortError } from '#ports/errors.ts';
import type { RowReader } from '#ports/row-copy.ts';
import { MAX_SLICE_ROWS, type TableStore } from '#ports/table-store.ts';
import { AVRO_SCHEMAS } from '#tables/declarations/tables.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { markRestored } from '#tables/repositories/restored.ts';
import { join } from 'node:path';
import { cassandraOf, kafkaOf, objectStorageOf } from '../engines/cluster.ts';
import type { ClusterToFill } from './restore-onto-cluster.ts';

/** A server that is filled as fast as it can be answers late at times. */
const WRITE_DEADLINE_MS = 30_000;

export interface OpenedCluster extends AsyncDisposable {
  /** For a backup with these rows. */
  toFill(reader: RowReader): ClusterToFill;
}

/** The engines of the settings; they are asked for nothing yet. */
export async function openCluster(config: Config): Promise<OpenedCluster> {
  const clock = createSystemClock();
  const prefix = config.kafkaTopicPrefix;
  const store = createCassandraTableStore(cassandraOf(config));
  const writer = createCassandraRowWriter({ ...cassandraOf(config), deadlineMs: WRITE_DEADLINE_MS });
  const log = createKafkaLog({ ...kafkaOf(config), topics: TOPICS, prefix, clock });
  const positions = createKafkaLogPositions({ access: kafkaOf(config), prefix });
  const objects = objectStorageOf(config);
  const blobs = objects ?? (await createFilesystemBlobStore({ folder: join(config.dataDir, 'blobs'), shared: true }));
  return {
    toFill: (reader) => ({
      keyspace: config.cassandraKeyspace,
      store,
      writer,
      log,
      positions,
      blobs,
      secretBox: createSecretBox({ secret: config.secret!, previousSecrets: config.previousSecrets }),
      clock,
      ids: createSystemIds(),
      translation: () => translationOf(reader, store, config),
      markRestored: (instants) => markRestored(store, instants),
    }),
    async [Symbol.asyncDispose]() {
      await positions.close();
      await log.close();
      await writer.close();
      await store.close();
      objects?.close();
    },
  };
}

/** Embedded records carry the ids of the built-in registry; those of this cluster may be of a registry of its own. */
async function translationOf(
  reader: RowReader,
  store: TableStore,
  { schemaRegistryUrl: url, cassandraKeyspace }: Config,
): Promise<SchemaIdTranslation> {
  if (url === null) return (value) => value;
  const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);
  const from = new Map(readSchemaHistory().map(({ id, text }) => [id, text]));
  for (const { partition, clustering, body } of reader.rows(AVRO_SCHEMAS, 0))
    if (partition[0] === BUILT_IN) from.set(Number(clustering[0]), textOf(body));
  const registered = await store.slice(AVRO_SCHEMAS, [url], { limit: MAX_SLICE_ROWS });
  const to = new Map(registered.map(({ clustering, body }) => [textOf(body), Number(clustering[0])]));
  const unknown = [...from].find(([, text]) => !to.has(text));
  if (unknown !== undefined)
    throw new PortError(
      'refused',
      `schema ${unknown[0]} of the backup is not among those that crier migrate stored in keyspace ${cassandraKeyspace} for ${url}: run crier migrate with these settings`,
    );
  return createSchemaIdTranslation(from, to);
}
