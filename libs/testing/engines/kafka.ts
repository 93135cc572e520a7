import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { Kafka, logLevel } from 'kafkajs';
import { quietTimers } from '#adapters/kafka/quiet-timers.ts';
import { newLogFile, newRunFolder } from './cache-folder.ts';
import { startContainer, type ContainerRuntime } from './containers.ts';
import type { KafkaEngine } from './engine.ts';
import { ensureJars, KAFKA_JARS } from './jars.ts';
import { EngineProcess, freePorts } from './process.ts';

const run = promisify(execFile);

export interface KafkaOptions {
  /** When given, it is kept after `stop`, although the address changes. Child processes only. */
  readonly dataDir?: string;
  /** Further environment of the process. */
  readonly env?: Readonly<Record<string, string>>;
  /** A container engine to use instead of child processes. */
  readonly containers?: ContainerRuntime | null;
}

/** One broker of our own on free ports, ready for use: topics can be created, written and read by groups. */
export async function startKafka(options: KafkaOptions = {}): Promise<KafkaEngine> {
  quietTimers();
  const [port, controllerPort] = (await freePorts(2)) as [number, number];
  const brokers = [`127.0.0.1:${port}`];
  return options.containers
    ? inContainer(options.containers, port, controllerPort)
    : asProcess(options, brokers, port, controllerPort);
}

async function asProcess(
  options: KafkaOptions,
  brokers: readonly string[],
  port: number,
  controllerPort: number,
): Promise<KafkaEngine> {
  const jars = await ensureJars(KAFKA_JARS);
  const folder = newRunFolder('kafka');
  const data = options.dataDir ?? resolve(folder, 'data');
  await mkdir(data, { recursive: true });
  const config = resolve(folder, 'server.properties');
  await writeFile(config, serverProperties({ host: '127.0.0.1', port, controllerPort, data }));
  const java = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn'];
  // The archive halves the start time. It is written when a broker ends in good order, and only read once it is
  // complete.
  const archive = existsSync(jars.archive) ? null : resolve(folder, 'classes.jsa');
  const shared = archive === null ? [`-XX:SharedArchiveFile=${jars.archive}`] : [`-XX:ArchiveClassesAtExit=${archive}`];
  if (!existsSync(resolve(data, 'meta.properties'))) {
    const read = archive === null ? shared : [];
    await run('java', [
      '-Xmx128m',
      ...java,
      ...read,
      '-cp',
      jars.classPath,
      'kafka.tools.StorageTool',
      'format',
      '-t',
      clusterId(),
      '-c',
      config,
    ]);
  }
  const logFile = newLogFile(folder);
  const broker = new EngineProcess({
    name: 'Kafka',
    command: 'java',
    args: ['-Xms256m', '-Xmx512m', ...java, ...shared, '-cp', jars.classPath, 'kafka.Kafka', config],
    env: options.env ?? {},
    logFile,
    probe: () => kafkaServes(brokers),
    readyWithinMs: 90_000,
  });
  await broker.start();
  return {
    how: 'process',
    logFile,
    brokers,
    get pid() {
      return broker.pid;
    },
    kill: (signal) => broker.kill(signal),
    restart: async () => {
      await broker.kill('SIGKILL');
      await broker.start();
    },
    stop: async () => {
      await broker.kill('SIGTERM');
      if (archive !== null && existsSync(archive)) await rename(archive, jars.archive).catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function inContainer(runtime: ContainerRuntime, port: number, controllerPort: number): Promise<KafkaEngine> {
  const brokers = [`127.0.0.1:${port}`];
  const config = '/tmp/server.properties';
  const format = `/opt/kafka/bin/kafka-storage.sh format --ignore-formatted -t ${clusterId()} -c ${config}`;
  const engine = await startContainer(runtime, {
    name: 'Kafka',
    image: `apache/kafka:${KAFKA_JARS.version}`,
    port,
    files: { [config]: serverProperties({ host: '0.0.0.0', port, controllerPort, data: '/tmp/kafka-data' }) },
    script: `${format} && exec /opt/kafka/bin/kafka-server-start.sh ${config}`,
    probe: () => kafkaServes(brokers),
    readyWithinMs: 180_000,
  });
  return Object.assign(engine, { brokers });
}

/**
 * Rejects until the broker really serves. A broker reports its metadata up to a second before it leads its partitions,
 * so every partition must answer a request for its offsets.
 */
export async function kafkaServes(brokers: readonly string[]): Promise<void> {
  const kafka = new Kafka({
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 500,
    requestTimeout: 3_000,
    retry: { retries: 0, initialRetryTime: 50 },
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const cluster = await admin.describeCluster();
    if (cluster.brokers.length === 0 || cluster.controller === null) throw new Error('no broker has registered yet');
    const topics = await admin.listTopics();
    if (!topics.includes(PROBE_TOPIC)) await admin.createTopics({ topics: [{ topic: PROBE_TOPIC, numPartitions: 1 }] });
    for (const topic of [PROBE_TOPIC, ...topics]) await admin.fetchTopicOffsets(topic);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

const PROBE_TOPIC = 'engine-probe';

function clusterId(): string {
  // A leading dash would be read as an option.
  return randomBytes(16).toString('base64url').replace(/^-/, 'A');
}

/** One node as broker and controller. The short broker session makes it lead again 5 s after a kill instead of 12 s. */
function serverProperties(at: {
  readonly host: string;
  readonly port: number;
  readonly controllerPort: number;
  readonly data: string;
}): string {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${at.controllerPort}
listeners=PLAINTEXT://${at.host}:${at.port},CONTROLLER://127.0.0.1:${at.controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${at.port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${at.data}
num.partitions=1
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=1500
broker.heartbeat.interval.ms=300
auto.create.topics.enable=false
log.cleaner.dedupe.buffer.size=8388608
log.segment.bytes=67108864
`;
}
