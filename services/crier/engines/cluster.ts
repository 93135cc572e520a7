import { hostname } from 'node:os';
import { join } from 'node:path';
import { createCassandraTableAdmin } from '#adapters/cassandra/table-admin.ts';
import { createCassandraTableStore, type CassandraTableStoreOptions } from '#adapters/cassandra/table-store.ts';
import { createFilesystemBlobStore } from '#adapters/filesystem/blob-store.ts';
import type { KafkaAccess } from '#adapters/kafka/client.ts';
import { createS3BlobStore, type S3BlobStore } from '#adapters/s3/blob-store.ts';
import { createKafkaLogAdmin } from '#adapters/kafka/log-admin.ts';
import { createKafkaLogPositions } from '#adapters/kafka/log-positions.ts';
import { createKafkaLog } from '#adapters/kafka/log.ts';
import type { Backoff } from '#concurrency/backoff.ts';
import { isUnavailable, retryWhileUnavailable } from '#concurrency/retry.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createSteadyClock } from '#adapters/system/steady-clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Codec, DecodeResult, Message, MessageType } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { createConfluentRegistry, registerSchemas, unregisteredSchemas } from '#codec/registry/confluent.ts';
import type { SchemaRegistry } from '#codec/registry/schema-registry.ts';
import { BUILT_IN, createTableRegistry, lackingSchemas, storeSchemas } from '#codec/registry/table.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { LogAdmin } from '#ports/log-admin.ts';
import type { LogPositions } from '#ports/log-positions.ts';
import type { TableAdmin } from '#ports/table-admin.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Config } from '#config/config.ts';
import { readEngineFiles, type PemTexts, type TlsEngine } from '#config/pem-files.ts';
import { checkReadable, readSchemaVersion, SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { checkFormat, readStoredFormat } from '#tables/repositories/written-formats.ts';
import { WrittenFormat } from '#tables/release.ts';
import { refuseHalfRestored } from '#tables/repositories/restoring.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import type { Engine } from './engine.ts';
import { PemWatch } from './pem-watch.ts';
import { migrate, tableStatements, type Migration } from '../migrate/migrate.ts';
import { verifyInstallation } from '../migrate/verify.ts';

const TRY_AGAIN: Backoff = { firstMs: 1_000, maxMs: 1_000 };
const CASSANDRA_PORT = 9042;

/** Kafka and Cassandra. Opens at once, wherever they are; `ready` waits for them. */
export async function openClusterEngine(config: Config, reporter: Reporter): Promise<Engine> {
  const clock = createSteadyClock();
  const files = new PemWatch({ clock, reporter });
  const kafka = kafkaOf(config, files.watch('kafka', config).texts);
  const store = createCassandraTableStore({
    ...cassandraOf(config, files.watch('cassandra', config).texts),
    now: () => clock.now(),
  });
  const log = createKafkaLog({ ...kafka, topics: TOPICS, prefix: config.kafkaTopicPrefix, clock, reporter });
  const objects = objectStorageOf(config);
  const blobs = objects ?? (await createFilesystemBlobStore({ folder: join(config.dataDir, 'blobs'), shared: true }));
  const codec = new LateCodec();
  const writtenFormat = new WrittenFormat();
  return {
    log,
    store,
    writtenFormat,
    blobs,
    clock,
    codec,
    ids: createSystemIds(),
    secrets: { adminToken: config.adminToken!, secret: config.secret! },
    hasSoleProcess: false,
    leaps: clock,
    clockReference: { others: () => store.nodeClocks() },
    ready: async (signal) => {
      const version = await whenAvailable(() => versionOf(store, config), clock, reporter, signal);
      if (version === null) return;
      checkReadable(version);
      if (version < SCHEMA_VERSION)
        throw new PortError(
          'refused',
          `keyspace ${config.cassandraKeyspace} is not migrated for this release: run crier migrate with the same settings`,
        );
      const format = await whenAvailable(() => readStoredFormat(store), clock, reporter, signal);
      if (format === null) return;
      checkFormat(format);
      await whenAvailable(() => refuseHalfRestored(store), clock, reporter, signal);
      const registry = await whenAvailable(() => clusterRegistry(config, store), clock, reporter, signal);
      if (registry !== null) codec.use(createCodec({ registry, format: () => writtenFormat.now() }));
    },
    chores: [],
    close: async () => {
      files.stop();
      await log.close();
      await store.close();
      objects?.close();
    },
  };
}

/** null: files are stored in the data folder. */
export function objectStorageOf(config: Config): S3BlobStore | null {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  if (config.s3Bucket === '') return null;
  const credentials = secretAccessKey === null ? null : { accessKeyId, secretAccessKey };
  return createS3BlobStore({
    endpoint: config.s3Endpoint,
    region: config.s3Region,
    bucket: config.s3Bucket,
    credentials,
    pathStyle: config.s3PathStyle === true,
  });
}

/** A codec whose registry may be away when the process starts. Modes: without a codec (calls fail) -> in use. */
class LateCodec implements Codec {
  #codec: Codec | null = null;

  use(codec: Codec): void {
    this.#codec = codec;
  }

  encode(message: Message): Uint8Array {
    return this.#found().encode(message);
  }

  async decode(value: Uint8Array): Promise<DecodeResult> {
    return this.#found().decode(value);
  }

  typeOf(value: Uint8Array): MessageType | null {
    return this.#codec?.typeOf(value) ?? null;
  }

  #found(): Codec {
    if (this.#codec === null) throw new PortError('unavailable', 'the schema registry has not answered yet');
    return this.#codec;
  }
}

export function migrateCluster(config: Config, dryRun: boolean): Promise<Migration> {
  const [clock, ids] = [createSystemClock(), createSystemIds()];
  return withAdmins(config, ({ store, tableAdmin, logAdmin, positions }) =>
    migrate({
      ...{ tableAdmin, logAdmin, positions, store, clock, ids, dryRun },
      topicReplication: config.kafkaReplication,
      storeSchemas: (tables) => schemasInto(tables, config),
    }),
  );
}

/** The statements that a migration would run in Cassandra. Asks nothing of Kafka, and changes nothing. */
export function planOfTables(config: Config): Promise<readonly string[]> {
  return withAdmins(config, ({ tableAdmin }) => tableStatements(tableAdmin));
}

/** Where the engines are not as this release needs them, a sentence each. Changes nothing. */
export function verifyCluster(config: Config): Promise<readonly string[]> {
  const { schemaRegistryUrl: url, cassandraReplication, kafkaReplication } = config;
  return withAdmins(config, (admins) =>
    verifyInstallation({
      ...admins,
      copies: { ofTables: cassandraReplication, ofTopics: kafkaReplication },
      lackingSchemas: async (store) =>
        url === null ? lackingSchemas(store, BUILT_IN, readSchemaHistory()) : unregisteredSchemas({ url }),
    }),
  );
}

interface EngineAdmins {
  readonly store: TableStore;
  readonly tableAdmin: TableAdmin;
  readonly logAdmin: LogAdmin;
  readonly positions: LogPositions;
}

async function withAdmins<T>(config: Config, work: (admins: EngineAdmins) => Promise<T>): Promise<T> {
  const store = createCassandraTableStore(cassandraOf(config));
  const tableAdmin = createCassandraTableAdmin({
    ...cassandraOf(config),
    replication: { byDataCenter: { [config.cassandraDatacenter]: config.cassandraReplication } },
  });
  // Both connect with their first call.
  const logAdmin = createKafkaLogAdmin({ access: kafkaOf(config), topicPrefix: config.kafkaTopicPrefix });
  const positions = createKafkaLogPositions({ access: kafkaOf(config), prefix: config.kafkaTopicPrefix });
  try {
    return await work({ store, tableAdmin, logAdmin, positions });
  } finally {
    await positions.close();
    await logAdmin.close();
    await tableAdmin.close();
    await store.close();
  }
}

/** 0: never migrated. Rejects `refused` when the keyspace or the table is missing: only a migration makes them. */
async function versionOf(store: TableStore, config: Config): Promise<number> {
  try {
    return await readSchemaVersion(store);
  } catch (error) {
    if (!(error instanceof PortError) || error.kind !== 'refused') throw error;
    throw new PortError(
      'refused',
      `keyspace ${config.cassandraKeyspace} can't be used (${error.message}): if crier migrate was not run yet, run it with the same settings`,
      { cause: error },
    );
  }
}

async function schemasInto(store: TableStore, config: Config): Promise<void> {
  const url = config.schemaRegistryUrl;
  if (url === null) await storeSchemas(store, BUILT_IN, readSchemaHistory());
  else await storeSchemas(store, url, await registerSchemas({ url }));
}

/** Of the schemas of records; those that it stored are read from the tables. Rejects with `PortError`. */
export async function clusterRegistry(
  { schemaRegistryUrl: url }: Pick<Config, 'schemaRegistryUrl'>,
  store: TableStore,
): Promise<SchemaRegistry> {
  return url === null
    ? createTableRegistry({ inner: createBuiltInRegistry(), store, registry: BUILT_IN })
    : createTableRegistry({ inner: await createConfluentRegistry({ url }), store, registry: url });
}

/** `tls`: the PEM texts for each new connection; default: what the files hold now. */
export function cassandraOf(config: Config, tls = tlsNow('cassandra', config)): CassandraTableStoreOptions {
  const [first] = config.cassandraContactPoints;
  const port = Number(/:(\d+)$/.exec(first ?? '')?.[1] ?? CASSANDRA_PORT);
  return {
    contactPoints: config.cassandraContactPoints.map((point) => point.replace(/:\d+$/, '')),
    // One port for the whole cluster: nodes name their peers without a port.
    port,
    localDataCenter: config.cassandraDatacenter,
    keyspace: config.cassandraKeyspace,
    verifyRows: config.verifyRows === true,
    ...(config.cassandraTls ? { tls } : {}),
    ...(config.cassandraUsername === ''
      ? {}
      : { username: config.cassandraUsername, password: config.cassandraPassword ?? '' }),
  };
}

/** As for Cassandra. */
export function kafkaOf(config: Config, tls = tlsNow('kafka', config)): KafkaAccess {
  const mechanism = config.kafkaSaslMechanism;
  return {
    brokers: config.kafkaBrokers,
    // What Kafka shows of a member of a group.
    clientId: `crier-${hostname()}-${config.adminPort}`,
    ...(config.kafkaTls ? { tls } : {}),
    ...(mechanism === 'none'
      ? {}
      : { sasl: { mechanism, username: config.kafkaUsername, password: config.kafkaPassword ?? '' } }),
  };
}

function tlsNow(engine: TlsEngine, config: Config): () => PemTexts {
  const texts = readEngineFiles(engine, config);
  return () => texts;
}

/** Waits for an engine that is away; null: `signal` was aborted first. Rejects with a failure that does not pass. */
async function whenAvailable<T>(
  work: () => Promise<T>,
  clock: Clock,
  reporter: Reporter,
  signal: AbortSignal,
): Promise<T | null> {
  if (signal.aborted) return null;
  const report = (error: unknown): void => reporter.failure('engine-unavailable', error);
  try {
    return await retryWhileUnavailable(work, { clock, report, signal, backoff: TRY_AGAIN });
  } catch (error) {
    if (signal.aborted && isUnavailable(error)) return null;
    throw error;
  }
}
