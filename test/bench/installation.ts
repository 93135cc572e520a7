import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { readConfig } from '#config/config.ts';
import { startCassandra, startKafka } from '#testing/engines.ts';
import { newRunFolder } from '#testing/engines/cache-folder.ts';
import type { EngineJvm, JvmProfile } from '#testing/engines/jvm.ts';
import type { Engine } from '#services/crier/engines/engine.ts';
import { startCrier, type CrierServer, type Settings } from './crier-server.ts';
import type { EngineName } from './flags.ts';
import { flushEachMessage } from './kafka-flush.ts';

/**
 * The engines' data: opened by a server, or by the benchmark itself to fill and to read it. Embedded, only one of them
 * at a time.
 */
export interface BenchInstallation {
  readonly engine: EngineName;
  readonly durability: string;
  readonly dataDir: string;
  /** Of every command on it. */
  readonly settings: Settings;
  /** `program`: script and arguments in place of `crier start`. */
  start(settings?: Settings, program?: readonly string[]): Promise<CrierServer>;
  /** Another process of the app beside `server`, on the same engines; null where there can only be one process. */
  replica(server: CrierServer): Promise<CrierServer | null>;
  open(): Promise<Engine>;
}

/**
 * What Kafka and Cassandra do with a write before they acknowledge it. `periodic`: both leave it to memory for a while.
 * `batch`: it is in Cassandra's commit log on disk. `flushed`: so it is, and in Kafka's log on disk.
 */
export type WriteMode = 'periodic' | 'batch' | 'flushed';

const DURABILITY: Readonly<Record<WriteMode, string>> = {
  periodic: 'Kafka page cache, Cassandra periodic',
  batch: 'Kafka page cache, Cassandra batch',
  flushed: 'Kafka flush.messages 1, Cassandra batch',
};

/** The engines of a run, and any number of installations on them. */
export interface Site {
  readonly engine: EngineName;
  readonly durability: string;
  /** Null when embedded. */
  readonly writes: WriteMode | null;
  /** Of Kafka and Cassandra; null when embedded. */
  readonly jvm: EngineJvm | null;
  /** Process ids of Kafka and Cassandra; none when embedded. */
  readonly pids: Readonly<Record<string, number>>;
  readonly addresses: { readonly brokers: readonly string[]; readonly cassandraPort: number } | null;
  install(name: string): Promise<BenchInstallation>;
  /**
   * Bytes on disk of an installation whose servers have stopped, by what stores them. Cassandra ends for it, as it then
   * writes what it has in memory: nothing but `close` may follow.
   */
  storedBytes(name: string): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** Settings that lift every limit, so that long runs meet only the machine's. */
const SETTINGS: Settings = {
  CRIER_DEMO: 'false',
  CRIER_REQUESTS_PER_MINUTE: '0',
  CRIER_NETWORK_BUDGETS: 'off',
  CRIER_EARLIEST_SCHEDULE_SECONDS: '0',
  CRIER_LOG_LEVEL: 'warn',
};

export interface SiteOptions {
  /** Of a cluster. */
  readonly writes: WriteMode;
  readonly jvm: JvmProfile;
  /** The folder of processor profiles; null: none are made. */
  readonly profile: string | null;
}

export async function openSite(engine: EngineName, options: SiteOptions): Promise<Site> {
  return engine === 'embedded' ? embeddedSite(options.profile) : clusterSite(options);
}

function embeddedSite(profile: string | null): Site {
  const root = newRunFolder('bench');
  const durability = 'SQLite WAL, FULL';
  return {
    engine: 'embedded',
    durability,
    writes: null,
    jvm: null,
    pids: {},
    addresses: null,
    install: async (name) => {
      const folder = join(root, name);
      mkdirSync(folder);
      return {
        engine: 'embedded',
        durability,
        dataDir: join(folder, 'data'),
        settings: { ...SETTINGS, CRIER_ENGINE: 'embedded', CRIER_DATA_DIR: join(folder, 'data') },
        start: (settings = {}, program) =>
          startCrier({
            folder,
            settings: { ...SETTINGS, CRIER_ENGINE: 'embedded', ...settings },
            profile,
            ...(program && { program }),
          }),
        replica: async () => null,
        open: async () => {
          const { openEmbeddedEngine } = await import('#services/crier/engines/embedded.ts');
          return openEmbeddedEngine(readConfig({ CRIER_DATA_DIR: join(folder, 'data') }), createMemoryReporter());
        },
      };
    },
    storedBytes: async (name) => {
      const folder = join(root, name, 'data');
      return {
        sqlite: bytesIn(folder, (path) => path.startsWith('crier.db')),
        ...bytesByKind(join(folder, 'crier.db')),
      };
    },
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
}

const OF_THE_LOG = ['topics', 'records', 'group_offsets', 'checks'];

/** Of a database: the pages of its tables without the log's, and all records that were ever appended to the log. */
function bytesByKind(file: string): Readonly<Record<'rows' | 'records', number>> {
  const database = new DatabaseSync(file, { readOnly: true });
  const sum = (statement: string, ...values: readonly string[]): number =>
    Number(database.prepare(statement).get(...values)?.['sum']);
  try {
    return {
      rows: sum(
        `SELECT sum(pgsize) AS sum FROM dbstat JOIN sqlite_schema USING (name) WHERE tbl_name NOT IN (${OF_THE_LOG.map(() => '?').join()})`,
        ...OF_THE_LOG,
      ),
      // The newest of each partition are kept; those before them were of their size, and offsets count all.
      records: sum(`SELECT sum(size) AS sum FROM (
        SELECT (max(offset) + 1) * avg(length(key) + length(value) + coalesce(length(headers), 0)) AS size
        FROM records GROUP BY source)`),
    };
  } finally {
    database.close();
  }
}

/** Of all files below `folder` whose path from there is counted. */
function bytesIn(folder: string, isCounted: (path: string) => boolean): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => isCounted(relative(folder, path)))
    .reduce((sum, path) => sum + statSync(path).size, 0);
}

async function clusterSite({ writes, jvm, profile }: SiteOptions): Promise<Site> {
  const root = newRunFolder('bench');
  const commitLogSync = writes === 'periodic' ? 'periodic' : 'batch';
  const [kafka, cassandra] = await Promise.all([startKafka({ jvm }), startCassandra({ commitLogSync, jvm })]);
  if (writes === 'flushed') await flushEachMessage(kafka.brokers);
  const durability = DURABILITY[writes];
  return {
    engine: 'cluster',
    durability,
    writes,
    jvm: kafka.how === 'process' ? jvm : 'image',
    pids: {
      ...(kafka.pid !== null && { kafka: kafka.pid }),
      ...(cassandra.pid !== null && { cassandra: cassandra.pid }),
    },
    addresses: { brokers: kafka.brokers, cassandraPort: cassandra.port },
    install: async (name) => {
      const folder = join(root, name);
      mkdirSync(folder);
      const own = {
        ...SETTINGS,
        CRIER_ENGINE: 'cluster',
        CRIER_KAFKA_BROKERS: kafka.brokers.join(','),
        CRIER_KAFKA_TOPIC_PREFIX: `${name}.`,
        CRIER_CASSANDRA_CONTACT_POINTS: `${cassandra.contactPoints[0]}:${cassandra.port}`,
        CRIER_CASSANDRA_DATACENTER: cassandra.localDataCenter,
        CRIER_CASSANDRA_KEYSPACE: `bench_${name}`,
        CRIER_ADMIN_TOKEN: randomBytes(24).toString('base64url'),
        CRIER_SECRET: randomBytes(24).toString('base64url'),
      };
      const config = () => readConfig({ ...own, CRIER_DATA_DIR: join(folder, 'data') });
      const { migrateCluster, openClusterEngine } = await import('#services/crier/engines/cluster.ts');
      await migrateCluster(config(), false);
      return {
        engine: 'cluster',
        durability,
        dataDir: join(folder, 'data'),
        settings: { ...own, CRIER_DATA_DIR: join(folder, 'data') },
        start: (settings = {}, program) =>
          startCrier({ folder, settings: { ...own, ...settings }, profile, ...(program && { program }) }),
        replica: ({ baseUrl, sandboxUrl }) =>
          startCrier({
            folder: join(folder, 'replica'),
            settings: { ...own, CRIER_ROLES: 'app', CRIER_PUBLIC_URL: baseUrl, CRIER_SANDBOX_URL: sandboxUrl },
            profile,
          }),
        open: async () => {
          const engine = await openClusterEngine(config(), createMemoryReporter());
          await engine.ready(new AbortController().signal);
          return engine;
        },
      };
    },
    storedBytes: async (name) => {
      if (kafka.dataDir === null || cassandra.dataDir === null) throw new Error('bytes are counted of child processes');
      await cassandra.kill('SIGTERM');
      return {
        kafka: bytesIn(kafka.dataDir, (path) => path.startsWith(`${name}.`) && path.endsWith('.log')),
        cassandra: bytesIn(cassandra.dataDir, (path) => path.startsWith(`bench_${name}/`)),
      };
    },
    close: async () => {
      await Promise.all([kafka.stop(), cassandra.stop()]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
