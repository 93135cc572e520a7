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

/** Nodes at 127.0.0.1, 127.0.0.2 and so on, at one port, all of which know each other. Child processes only. */
export async function startRing(count: number): Promise<CassandraAddress & EngineMachines> {
  const jars = await ensureJars(CASSANDRA_JARS);
  const [port, storagePort] = (await freePorts(2)) as [number, number];
  const contactPoints = Array.from({ length: count }, (_, index) => `127.0.0.${index + 1}`);
  const folders: string[] = [];
  const make = async (address: string, index: number): Promise<EngineProcess> => {
    const folder = newRunFolder('cassandra');
    folders.push(folder);
    await mkdir(resolve(folder, 'tmp'));
    const yaml = cassandraYaml({ address, rpcAddress: address, port, storagePort, commitLogSync: 'periodic' });
    await writeFile(resolve(folder, 'cassandra.yaml'), yaml);
    await writeFile(resolve(folder, 'logback.xml'), LOGBACK);
    return new EngineProcess({
      name: `Cassandra ${address}`,
      command: 'java',
      args: [
        ...jvmArguments(nodeOfRing(index, count)),
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
      readyWithinMs: 180_000,
    });
  };
  const machines = await Promise.all(contactPoints.map(make));
  const stop = async (): Promise<void> => {
    await Promise.all(machines.map((machine) => machine.kill('SIGKILL')));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  };
  try {
    // One after the other: two that join at once may each miss the other.
    for (const machine of machines) await machine.start();
    for (const address of contactPoints)
      await until(() => knowsPeers(address, port, count - 1).then(() => true), {
        what: `${address} knows the others`,
        withinMs: 60_000,
      });
  } catch (error) {
    await stop();
    throw error;
  }
  return { contactPoints, port, localDataCenter: 'datacenter1', machines, stop };
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
