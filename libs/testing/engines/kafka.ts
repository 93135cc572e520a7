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
import { classArchive, jvmFlags, SMALL_JVM, type JvmProfile } from './jvm.ts';
import { EngineProcess, freePorts, startedOnFreePorts } from './process.ts';

const run = promisify(execFile);

/** Patience, not a measure: on a slow disk among other engines a killed broker takes minutes to read its logs again. */
const START_WITHIN_MS = 240_000;
const QUIET_LOG = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';
export const KAFKA_JAVA: readonly string[] = [...SMALL_JVM, QUIET_LOG];
const HEAP_OF_TESTS = ['256m', '512m'] as const;

export interface KafkaOptions {
  /** When given, it is kept after `stop`, although the address changes. Child processes only. */
  readonly dataDir?: string;
  /**
   * How long the broker's controller waits for a heartbeat of the broker. A short session makes the broker serve sooner
   * after a kill, because a new process is refused until the old one's session is over. A long one bears a machine
   * whose processor and disk are busy. Default: 1500 ms.
   */
  readonly brokerSessionMs?: number;
  /** The address of this machine that it listens at and tells its clients. Default: 127.0.0.1. Child processes only. */
  readonly host?: string;
  /** Further environment of the process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further listeners with TLS, and an authorizer that asks for ACLs there. Child processes only. */
  readonly secured?: KafkaSecurity;
  /** Default: `tests`. Child processes only. */
  readonly jvm?: JvmProfile;
  /** A container engine to use instead of child processes. */
  readonly containers?: ContainerRuntime | null;
}

/**
 * What the TLS listeners show and trust, all PEM. On the plain listener everybody is a superuser, for those who set
 * ACLs.
 */
export interface KafkaSecurity {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
  /** Passwords by user, for SCRAM-SHA-512. */
  readonly users: Readonly<Record<string, string>>;
}

interface SecuredPorts extends KafkaSecurity {
  readonly tlsPort: number;
  readonly saslPort: number;
}

/** One broker of our own on free ports, ready for use: topics can be created, written and read by groups. */
export function startKafka(options: KafkaOptions = {}): Promise<KafkaEngine> {
  quietTimers();
  return startedOnFreePorts(() => startOnce(options));
}

async function startOnce(options: KafkaOptions): Promise<KafkaEngine> {
  const [port, controllerPort, tlsPort, saslPort] = (await freePorts(4)) as [number, number, number, number];
  const secured = options.secured === undefined ? null : { ...options.secured, tlsPort, saslPort };
  return options.containers && secured === null
    ? inContainer(options.containers, options, port, controllerPort)
    : asProcess(options, port, controllerPort, secured);
}

async function asProcess(
  options: KafkaOptions,
  port: number,
  controllerPort: number,
  secured: SecuredPorts | null,
): Promise<KafkaEngine> {
  const { host = '127.0.0.1', jvm = 'tests' } = options;
  const brokers = [`${host}:${port}`];
  const jars = await ensureJars(KAFKA_JARS);
  const folder = newRunFolder('kafka');
  const data = options.dataDir ?? resolve(folder, 'data');
  await mkdir(data, { recursive: true });
  const config = resolve(folder, 'server.properties');
  await writeFile(config, serverProperties({ ...options, host, port, controllerPort, data, secured }));
  const archive = classArchive(jvm, jars.archive, folder);
  if (!existsSync(resolve(data, 'meta.properties'))) {
    await run('java', [
      '-Xmx128m',
      ...KAFKA_JAVA,
      ...(archive.written === null ? archive.flags : []),
      '-cp',
      jars.classPath,
      'kafka.tools.StorageTool',
      'format',
      '-t',
      clusterId(),
      '-c',
      config,
      ...Object.entries(secured?.users ?? {}).flatMap(([name, password]) => [
        '--add-scram',
        `SCRAM-SHA-512=[name=${name},password=${password}]`,
      ]),
    ]);
  }
  const logFile = newLogFile(folder);
  const broker = new EngineProcess({
    name: 'Kafka',
    command: 'java',
    args: [...jvmFlags(jvm, HEAP_OF_TESTS), QUIET_LOG, ...archive.flags, '-cp', jars.classPath, 'kafka.Kafka', config],
    env: options.env ?? {},
    logFile,
    probe: () => kafkaServes(brokers),
    readyWithinMs: START_WITHIN_MS,
  });
  await broker.start();
  return {
    how: 'process',
    logFile,
    dataDir: data,
    brokers,
    tlsBrokers: secured === null ? [] : [`127.0.0.1:${secured.tlsPort}`],
    saslBrokers: secured === null ? [] : [`127.0.0.1:${secured.saslPort}`],
    get pid() {
      return broker.pid;
    },
    kill: (signal) => broker.kill(signal),
    restart: async () => {
      await broker.kill('SIGKILL');
      await broker.start();
    },
    stop: async () => {
      // One that writes the archive at its end, or whose data is kept, has to end in good order.
      await broker.kill(archive.written === null && options.dataDir === undefined ? 'SIGKILL' : 'SIGTERM');
      if (archive.written !== null && existsSync(archive.written))
        await rename(archive.written, jars.archive).catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function inContainer(
  runtime: ContainerRuntime,
  options: KafkaOptions,
  port: number,
  controllerPort: number,
): Promise<KafkaEngine> {
  const brokers = [`127.0.0.1:${port}`];
  const config = '/tmp/server.properties';
  const format = `/opt/kafka/bin/kafka-storage.sh format --ignore-formatted -t ${clusterId()} -c ${config}`;
  const engine = await startContainer(runtime, {
    name: 'Kafka',
    image: `apache/kafka:${KAFKA_JARS.version}`,
    port,
    files: {
      [config]: serverProperties({
        ...options,
        ...{ host: '0.0.0.0', port, controllerPort, data: '/tmp/kafka-data', secured: null },
      }),
    },
    script: `${format} && exec /opt/kafka/bin/kafka-server-start.sh ${config}`,
    probe: () => kafkaServes(brokers),
    readyWithinMs: START_WITHIN_MS,
  });
  return Object.assign(engine, { brokers, tlsBrokers: [], saslBrokers: [] });
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
    requestTimeout: 10_000,
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

export function clusterId(): string {
  // A leading dash would be read as an option.
  return randomBytes(16).toString('base64url').replace(/^-/, 'A');
}

export interface BrokerPlace {
  readonly brokerSessionMs?: number;
  readonly host: string;
  readonly port: number;
  readonly controllerPort: number;
  readonly data: string;
  readonly secured?: SecuredPorts | null;
  /** Of one of several brokers: its number from 0 on, and the controllers of all by number. Else it is the only one. */
  readonly member?: { readonly index: number; readonly controllerPorts: readonly number[] };
  /** Further plain listeners, each with the port that its clients are told. */
  readonly ways?: readonly { readonly port: number; readonly toldPort: number }[];
}

/** One node as broker and controller. Of several, each partition is on up to three, and needs two. */
export function serverProperties(at: BrokerPlace): string {
  const { index, controllerPorts } = at.member ?? { index: 0, controllerPorts: [at.controllerPort] };
  const replicas = Math.min(3, controllerPorts.length);
  const minInSync = Math.max(1, replicas - 1);
  const sessionMs = at.brokerSessionMs ?? 1_500;
  const { secured = null, ways = [] } = at;
  const listeners = (host: string, port: 'port' | 'toldPort'): string =>
    [
      `PLAINTEXT://${host}:${at.port}`,
      ...ways.map((way, index) => `WAY${index}://${host}:${way[port]}`),
      ...(secured === null ? [] : [`SSL://${host}:${secured.tlsPort}`, `SASL_SSL://${host}:${secured.saslPort}`]),
    ].join();
  return `process.roles=broker,controller
node.id=${index + 1}
controller.quorum.voters=${controllerPorts.map((port, voter) => `${voter + 1}@127.0.0.1:${port}`).join()}
listeners=${listeners(at.host, 'port')},CONTROLLER://127.0.0.1:${at.controllerPort}
advertised.listeners=${listeners(at.host === '0.0.0.0' ? '127.0.0.1' : at.host, 'toldPort')}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL${ways.map((_, index) => `,WAY${index}:PLAINTEXT`).join('')}
log.dirs=${at.data}
num.partitions=1
default.replication.factor=${replicas}
offsets.topic.replication.factor=${replicas}
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=${replicas}
transaction.state.log.min.isr=${minInSync}
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=${replicas}
share.coordinator.state.topic.min.isr=${minInSync}
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=${sessionMs}
broker.heartbeat.interval.ms=${sessionMs / 5}
initial.broker.registration.timeout.ms=${START_WITHIN_MS}
auto.create.topics.enable=false
log.cleaner.dedupe.buffer.size=8388608
log.segment.bytes=67108864
${secured === null ? '' : securityProperties(secured)}`;
}

function securityProperties({ ca, certificate, key }: KafkaSecurity): string {
  const inline = (pem: string): string => pem.trim().replaceAll('\n', '\\n');
  return `authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
ssl.keystore.type=PEM
ssl.keystore.key=${inline(key)}
ssl.keystore.certificate.chain=${inline(certificate)}
ssl.truststore.type=PEM
ssl.truststore.certificates=${inline(ca)}
listener.name.ssl.ssl.client.auth=required
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
`;
}
