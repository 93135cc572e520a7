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

export interface BrokersOptions {
  /** Further listeners of each broker, of which each tells its clients a port that leads to it by a way of its own. */
  readonly ways?: number;
  /** Called with the folder of each broker before anything is in it. */
  readonly prepare?: (folder: string, index: number) => Promise<void>;
}

/** The port that a broker listens at, and the one that it tells clients of this listener. */
export interface BrokerWay {
  readonly port: number;
  readonly toldPort: number;
}

export interface KafkaBrokers extends KafkaAddress, EngineMachines {
  /** Of each further listener, those of all brokers. Nothing listens at a told port until a proxy does. */
  readonly ways: readonly (readonly BrokerWay[])[];
}

/** Brokers that are controllers too: each record is on three of them, and two have to have it. Child processes only. */
export async function startBrokers(count: number, options: BrokersOptions = {}): Promise<KafkaBrokers> {
  const { ways: wayCount = 0, prepare } = options;
  quietTimers();
  const jars = await ensureJars(KAFKA_JARS);
  const ports = await freePorts(2 * count + 2 * wayCount * count);
  const controllerPorts = ports.slice(count, 2 * count);
  const ways = Array.from({ length: wayCount }, (_, way) =>
    Array.from({ length: count }, (__, index): BrokerWay => {
      const [port, toldPort] = ports.slice(2 * (count + way * count + index)) as [number, number];
      return { port, toldPort };
    }),
  );
  const brokers = ports.slice(0, count).map((port) => `127.0.0.1:${port}`);
  const java = [...KAFKA_JAVA, ...(existsSync(jars.archive) ? [`-XX:SharedArchiveFile=${jars.archive}`] : [])];
  const id = clusterId();
  const folders: string[] = [];
  const make = async (index: number): Promise<EngineProcess> => {
    const folder = newRunFolder('kafka');
    folders.push(folder);
    await prepare?.(folder, index);
    const config = resolve(folder, 'server.properties');
    const place = {
      ...{ host: '127.0.0.1', port: ports[index]!, controllerPort: controllerPorts[index]! },
      ...{ data: resolve(folder, 'data'), brokerSessionMs: BROKER_SESSION_MS, member: { index, controllerPorts } },
      ways: ways.map((places) => places[index]!),
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
      readyWithinMs: 600_000,
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
  return { brokers, machines, ways, stop };
}
