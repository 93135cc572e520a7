import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { quietTimers } from '#adapters/kafka/quiet-timers.ts';
import type { KafkaAddress } from '../engines.ts';
import { newLogFile, newRunFolder } from './cache-folder.ts';
import { ensureJars, KAFKA_JARS } from './jars.ts';
import { clusterId, KAFKA_JAVA, kafkaServes, serverProperties } from './kafka.ts';
import { EngineProcess, freePorts } from './process.ts';

const run = promisify(execFile);
/** Long enough for several that share two cores. */
const BROKER_SESSION_MS = 6_000;

/** Several machines of one engine. Each can be killed, and started again on its data. */
export interface EngineMachines {
  readonly machines: readonly EngineProcess[];
  stop(): Promise<void>;
}

/** Brokers that are controllers too: each record is on three of them, and two have to have it. Child processes only. */
export async function startBrokers(count: number): Promise<KafkaAddress & EngineMachines> {
  quietTimers();
  const jars = await ensureJars(KAFKA_JARS);
  const ports = await freePorts(2 * count);
  const controllerPorts = ports.slice(count);
  const brokers = ports.slice(0, count).map((port) => `127.0.0.1:${port}`);
  const java = [...KAFKA_JAVA, ...(existsSync(jars.archive) ? [`-XX:SharedArchiveFile=${jars.archive}`] : [])];
  const id = clusterId();
  const folders: string[] = [];
  const make = async (index: number): Promise<EngineProcess> => {
    const folder = newRunFolder('kafka');
    folders.push(folder);
    const config = resolve(folder, 'server.properties');
    const place = {
      ...{ host: '127.0.0.1', port: ports[index]!, controllerPort: controllerPorts[index]! },
      ...{ data: resolve(folder, 'data'), brokerSessionMs: BROKER_SESSION_MS, member: { index, controllerPorts } },
    };
    await writeFile(config, serverProperties(place));
    const format = ['kafka.tools.StorageTool', 'format', '-t', id, '-c', config];
    await run('java', ['-Xmx128m', ...java, '-cp', jars.classPath, ...format]);
    return new EngineProcess({
      name: `Kafka broker ${index + 1}`,
      command: 'java',
      args: ['-Xms128m', '-Xmx384m', ...java, '-cp', jars.classPath, 'kafka.Kafka', config],
      env: {},
      logFile: newLogFile(folder),
      probe: () => kafkaServes([brokers[index]!]),
      readyWithinMs: 240_000,
    });
  };
  const machines = await Promise.all(Array.from({ length: count }, (_, index) => make(index)));
  const stop = async (): Promise<void> => {
    await Promise.all(machines.map((machine) => machine.kill('SIGKILL')));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  };
  await Promise.all(machines.map((machine) => machine.start())).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { brokers, machines, stop };
}
