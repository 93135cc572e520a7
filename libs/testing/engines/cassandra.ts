import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { promisify } from 'node:util';
import { auth, Client } from 'cassandra-driver';

import { newLogFile, newRunFolder } from './cache-folder.ts';
import {
  cassandraYaml,
  jvmArguments,
  LOGBACK,
  SINGLE_NODE,
  UNFLUSHED_SCHEMA,
  type CassandraSecurity,
} from './cassandra-settings.ts';
import { startContainer, type ContainerRuntime } from './containers.ts';
import type { CassandraEngine } from './engine.ts';
import { CASSANDRA_JARS, ensureJars } from './jars.ts';
import { classArchive, type JvmProfile } from './jvm.ts';
import { EngineProcess, freePorts, startedOnFreePorts } from './process.ts';

export interface CassandraOptions {
  /** Default: `periodic`. Tests that kill it and count acknowledged writes need `batch`. */
  readonly commitLogSync?: 'periodic' | 'batch';
  /**
   * False: a schema is on disk with what is written by and by, not at once, so that tables are made and dropped faster.
   * Child processes only. Default: true.
   */
  readonly flushesSchema?: boolean;
  /** Child processes only: `CassandraEngine.nodetool` can be used. Default: false. */
  readonly isManaged?: boolean;
  /** The address of this machine that clients connect to. Default: 127.0.0.1. Child processes only. */
  readonly host?: string;
  /** Child processes only. The superuser is `cassandra`, as is its password; the client's files are for the probe. */
  readonly secured?: CassandraSecurity & { readonly client: Pick<ConnectionOptions, 'ca' | 'cert' | 'key'> };
  /** Default: `tests`. Child processes only. */
  readonly jvm?: JvmProfile;
  /** A container engine to use instead of child processes. */
  readonly containers?: ContainerRuntime | null;
}

/** One node of our own on free ports that answers queries. */
export function startCassandra(options: CassandraOptions = {}): Promise<CassandraEngine> {
  return startedOnFreePorts(() => startOnce(options));
}

async function startOnce(options: CassandraOptions): Promise<CassandraEngine> {
  const { host = '127.0.0.1', secured, flushesSchema = true, isManaged = false, jvm = 'tests' } = options;
  const [port, storagePort, jmxPort] = (await freePorts(3)) as [number, number, number];
  const sync = options.commitLogSync ?? 'periodic';
  const at: Place = {
    host,
    port,
    storagePort,
    commitLogSync: sync,
    flushesSchema,
    jvm,
    ...(secured !== undefined && { secured }),
    ...(isManaged && { jmxPort }),
  };
  return options.containers && secured === undefined && !isManaged
    ? inContainer(options.containers, at)
    : asProcess(at);
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly storagePort: number;
  readonly commitLogSync: 'periodic' | 'batch';
  readonly flushesSchema: boolean;
  readonly jvm: JvmProfile;
  readonly jmxPort?: number;
  readonly secured?: NonNullable<CassandraOptions['secured']>;
}

async function asProcess(at: Place): Promise<CassandraEngine> {
  const jars = await ensureJars(CASSANDRA_JARS);
  const folder = newRunFolder('cassandra');
  await mkdir(resolve(folder, 'tmp'));
  await writeFile(resolve(folder, 'cassandra.yaml'), cassandraYaml({ ...at, rpcAddress: at.host }));
  await writeFile(resolve(folder, 'logback.xml'), LOGBACK);
  const logFile = newLogFile(folder);
  const logback = `-Dlogback.configurationFile=file://${folder}/logback.xml`;
  const archive = classArchive(at.jvm, jars.archive, folder);
  const node = new EngineProcess({
    name: 'Cassandra',
    command: 'java',
    args: [
      ...jvmArguments(at.jvm),
      ...(at.flushesSchema ? [] : UNFLUSHED_SCHEMA),
      ...(at.secured === undefined ? [] : ['-Dcassandra.superuser_setup_delay_ms=0']),
      ...(at.jmxPort === undefined ? [] : [`-Dcassandra.jmx.local.port=${at.jmxPort}`]),
      ...archive.flags,
      `-Dcassandra.config=file://${folder}/cassandra.yaml`,
      `-Dcassandra.storagedir=${folder}`,
      `-Dcassandra.logdir=${folder}/logs`,
      `-Djava.io.tmpdir=${folder}/tmp`,
      logback,
      '-cp',
      jars.classPath,
      'org.apache.cassandra.service.CassandraDaemon',
    ],
    // Otherwise glibc keeps an arena per core and thread, which doubles the process's memory.
    env: { MALLOC_ARENA_MAX: '4' },
    logFile,
    probe: () => cassandraServes([at.host], at.port, at.secured?.client),
    readyWithinMs: 240_000,
  });
  await node.start();
  return {
    how: 'process',
    logFile,
    contactPoints: [at.host],
    dataDir: resolve(folder, 'data'),
    port: at.port,
    localDataCenter: 'datacenter1',
    nodetool: async (...args) => {
      if (at.jmxPort === undefined) throw new Error('nodetool needs the option isManaged');
      const tool = [...jvmArguments('tests', []), logback, `-Djava.io.tmpdir=${folder}/tmp`, '-cp', jars.classPath];
      const to = ['org.apache.cassandra.tools.NodeTool', '-h', '127.0.0.1', '-p', String(at.jmxPort)];
      await promisify(execFile)('java', [...tool, ...to, ...args]);
    },
    get pid() {
      return node.pid;
    },
    kill: (signal) => node.kill(signal),
    restart: async () => {
      await node.kill('SIGKILL');
      await node.start();
    },
    stop: async () => {
      // Only one that writes the archive at its end has to end in good order: its data is removed.
      await node.kill(archive.written === null ? 'SIGKILL' : 'SIGTERM');
      if (archive.written !== null && existsSync(archive.written))
        await rename(archive.written, jars.archive).catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function inContainer(runtime: ContainerRuntime, at: Place): Promise<CassandraEngine> {
  const engine = await startContainer(runtime, {
    name: 'Cassandra',
    image: `cassandra:${CASSANDRA_JARS.version}`,
    port: at.port,
    files: { '/tmp/cassandra.yaml': cassandraYaml({ ...at, rpcAddress: '0.0.0.0' }) },
    script: `exec cassandra -f -R ${SINGLE_NODE.join(' ')} -Dcassandra.config=file:///tmp/cassandra.yaml -Dcassandra.storagedir=/var/lib/cassandra`,
    probe: () => cassandraServes(['127.0.0.1'], at.port),
    readyWithinMs: 240_000,
  });
  return Object.assign(engine, {
    contactPoints: ['127.0.0.1'],
    port: at.port,
    localDataCenter: 'datacenter1',
    nodetool: () => Promise.reject(new Error('nodetool works on child processes only')),
  } as const);
}

/** Rejects until the node answers a query. The node opens its port only after it has replayed its commit log. */
export async function cassandraServes(
  contactPoints: readonly string[],
  port: number,
  secured?: ConnectionOptions,
): Promise<void> {
  const client = new Client({
    contactPoints: [...contactPoints],
    localDataCenter: 'datacenter1',
    protocolOptions: { port },
    socketOptions: { connectTimeout: 500, readTimeout: 3_000 },
    ...(secured !== undefined && {
      sslOptions: { rejectUnauthorized: true, ...secured },
      authProvider: new auth.PlainTextAuthProvider('cassandra', 'cassandra'),
    }),
  });
  try {
    await client.connect();
    await client.execute('SELECT release_version FROM system.local');
  } finally {
    await client.shutdown().catch(() => undefined);
  }
}
