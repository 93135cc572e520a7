import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Client } from 'cassandra-driver';
import type { CassandraAddress } from '../engines.ts';
import { newLogFile, newRunFolder } from './cache-folder.ts';
import { cassandraYaml, jvmArguments, LOGBACK, nodeOfRing } from './cassandra-settings.ts';
import { CASSANDRA_JARS, ensureJars } from './jars.ts';
import type { EngineMachines } from './kafka-brokers.ts';
import { EngineProcess, freePorts } from './process.ts';
import { until } from '../until.ts';

/** Patience, not a measure: several nodes that start on a busy machine keep each other waiting. */
const START_WITHIN_MS = 600_000;

export interface RingOptions {
  /**
   * The address that each node tells clients instead of its own, at the same port. Nothing listens there until a proxy
   * does.
   */
  readonly toldAddress?: (index: number) => string;
  /** Called with the folder of each node before anything is in it. */
  readonly prepare?: (folder: string, index: number) => Promise<void>;
}

export interface CassandraRing extends CassandraAddress, EngineMachines {
  /** The nodes' own addresses. */
  readonly addresses: readonly string[];
}

/** Nodes at 127.0.0.1, 127.0.0.2 and so on, at one port, all of which know each other. Child processes only. */
export async function startRing(count: number, options: RingOptions = {}): Promise<CassandraRing> {
  const { toldAddress, prepare } = options;
  const jars = await ensureJars(CASSANDRA_JARS);
  const [port, storagePort] = (await freePorts(2)) as [number, number];
  const addresses = Array.from({ length: count }, (_, index) => `127.0.0.${index + 1}`);
  const folders: string[] = [];
  const make = async (address: string, index: number): Promise<EngineProcess> => {
    const folder = newRunFolder('cassandra');
    folders.push(folder);
    await prepare?.(folder, index);
    await mkdir(resolve(folder, 'tmp'));
    const yaml = cassandraYaml({
      ...{ address, rpcAddress: address, port, storagePort, commitLogSync: 'periodic' },
      ...(toldAddress === undefined ? {} : { toldAddress: toldAddress(index) }),
    });
    await writeFile(resolve(folder, 'cassandra.yaml'), yaml);
    await writeFile(resolve(folder, 'logback.xml'), LOGBACK);
    return new EngineProcess({
      name: `Cassandra ${address}`,
      command: 'java',
      args: [
        ...jvmArguments('tests', nodeOfRing(index, count)),
        ...(existsSync(jars.archive) ? [`-XX:SharedArchiveFile=${jars.archive}`] : []),
        `-Dcassandra.config=file://${folder}/cassandra.yaml`,
        `-Dcassandra.storagedir=${folder}`,
        `-Dcassandra.logdir=${folder}/logs`,
        `-Djava.io.tmpdir=${folder}/tmp`,
        `-Dlogback.configurationFile=file://${folder}/logback.xml`,
        '-cp',
        jars.classPath,
        'org.apache.cassandra.service.CassandraDaemon',
      ],
      env: { MALLOC_ARENA_MAX: '4' },
      logFile: newLogFile(folder),
      probe: () => knowsPeers(address, port, Math.min(index, count - 1)),
      readyWithinMs: START_WITHIN_MS,
    });
  };
  const machines = await Promise.all(addresses.map(make));
  const stop = async (): Promise<void> => {
    await Promise.all(machines.map((machine) => machine.kill('SIGKILL')));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  };
  try {
    // One after the other: two that join at once may each miss the other.
    for (const machine of machines) await machine.start();
    for (const address of addresses)
      await until(() => knowsPeers(address, port, count - 1).then(() => true), {
        what: `${address} knows the others`,
        withinMs: 240_000,
      });
  } catch (error) {
    await stop();
    throw error;
  }
  const contactPoints = addresses.map((address, index) => toldAddress?.(index) ?? address);
  return { contactPoints, addresses, port, localDataCenter: 'datacenter1', machines, stop };
}

/** Rejects until the node answers and knows so many others: replicas are placed by what it knows. */
async function knowsPeers(address: string, port: number, peers: number): Promise<void> {
  const client = new Client({
    contactPoints: [address],
    localDataCenter: 'datacenter1',
    protocolOptions: { port },
    socketOptions: { connectTimeout: 500, readTimeout: 3_000 },
  });
  try {
    await client.connect();
    const { rows } = await client.execute('SELECT peer FROM system.peers_v2');
    if (rows.length < peers) throw new Error(`${address} knows ${rows.length} of ${peers} other nodes`);
  } finally {
    await client.shutdown().catch(() => undefined);
  }
}
