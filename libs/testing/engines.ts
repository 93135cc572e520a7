import { cassandraServes, startCassandra as startNode, type CassandraOptions } from './engines/cassandra.ts';
import { containerRuntime, type ContainerRuntime } from './engines/containers.ts';
import type { CassandraEngine, KafkaEngine } from './engines/engine.ts';
import { CASSANDRA_JARS, jarsTrouble, KAFKA_JARS } from './engines/jars.ts';
import { kafkaServes, startKafka as startBroker, type KafkaOptions } from './engines/kafka.ts';

export type { CassandraEngine, TestEngine as Engine, KafkaEngine } from './engines/engine.ts';

export interface KafkaAddress {
  readonly brokers: readonly string[];
}

export interface CassandraAddress {
  readonly contactPoints: readonly string[];
  readonly port: number;
  readonly localDataCenter: string;
}

/** An engine to share, or the reason why there is none. `stop` ends it when it was started here. */
export type EngineOrReason<Address> =
  | { readonly missing: null; readonly address: Address; readonly how: string; readonly stop: () => Promise<void> }
  | { readonly missing: string };

/** A Kafka of the caller's own, to be killed and restarted at will. Rejects when none can be started here. */
export async function startKafka(options: Omit<KafkaOptions, 'containers'> = {}): Promise<KafkaEngine> {
  return startBroker({ ...options, containers: await means() });
}

/** A Cassandra of the caller's own. `batch` is for tests that kill it and count acknowledged writes. */
export async function startCassandra(options: Omit<CassandraOptions, 'containers'> = {}): Promise<CassandraEngine> {
  return startNode({ ...options, containers: await means() });
}

/** A Kafka to share: at CRIER_TEST_KAFKA_BROKERS, else in a container, else as a child process. */
export function obtainKafka(): Promise<EngineOrReason<KafkaAddress>> {
  const brokers = addresses('CRIER_TEST_KAFKA_BROKERS');
  return obtain<KafkaAddress>(`Kafka ${KAFKA_JARS.version}`, {
    given: brokers === null ? null : { address: { brokers }, serves: () => kafkaServes(brokers) },
    start: async () => {
      // Nobody kills it, so nobody waits for the end of a session, and all suites of a run at once keep it busy.
      const engine = await startKafka({ brokerSessionMs: 9_000 });
      return { engine, address: { brokers: engine.brokers } };
    },
  });
}

/**
 * A Cassandra to share: at CRIER_TEST_CASSANDRA_CONTACT_POINTS (`host` or `host:port`; data centre `datacenter1`), else
 * as for Kafka.
 */
export function obtainCassandra(): Promise<EngineOrReason<CassandraAddress>> {
  const points = addresses('CRIER_TEST_CASSANDRA_CONTACT_POINTS');
  const port = Number(points?.[0]?.split(':')[1] ?? 9042);
  const contactPoints = (points ?? []).map((point) => point.split(':')[0] as string);
  return obtain<CassandraAddress>(`Cassandra ${CASSANDRA_JARS.version}`, {
    given:
      points === null
        ? null
        : {
            address: { contactPoints, port, localDataCenter: 'datacenter1' },
            serves: () => cassandraServes(contactPoints, port),
          },
    start: async () => {
      // Nobody kills it either, and nearly every suite makes a keyspace of its own.
      const engine = await startCassandra({ flushesSchema: false });
      return {
        engine,
        address: { contactPoints: engine.contactPoints, port: engine.port, localDataCenter: engine.localDataCenter },
      };
    },
  });
}

interface Ways<Address> {
  readonly given: { readonly address: Address; readonly serves: () => Promise<void> } | null;
  readonly start: () => Promise<{ readonly engine: KafkaEngine | CassandraEngine; readonly address: Address }>;
}

async function obtain<Address>(name: string, ways: Ways<Address>): Promise<EngineOrReason<Address>> {
  const from = performance.now();
  const took = () => `${((performance.now() - from) / 1000).toFixed(1)} s`;
  try {
    if (ways.given !== null) {
      await ways.given.serves();
      const how = `${name.split(' ')[0]} at ${JSON.stringify(ways.given.address)}, answered after ${took()}`;
      return { missing: null, address: ways.given.address, how, stop: async () => {} };
    }
    const { engine, address } = await ways.start();
    const where = engine.how === 'container' ? 'in a container' : `as process ${engine.pid}`;
    return { missing: null, address, how: `${name} ${where}, ready after ${took()}`, stop: () => engine.stop() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (process.env['CRIER_REQUIRE_CLUSTER'] === '1')
      throw new Error(`CRIER_REQUIRE_CLUSTER=1, but there is no ${name}: ${reason}`, { cause: error });
    return { missing: `no ${name}: ${reason}` };
  }
}

/** A container engine, or null when jars are to be used; rejects when neither is possible. */
async function means(): Promise<ContainerRuntime | null> {
  const containers = await containerRuntime();
  if (containers !== null) return containers;
  const trouble = await jarsTrouble();
  if (trouble !== null) throw new Error(`${trouble}, and no container engine answers`);
  return null;
}

function addresses(setting: string): string[] | null {
  const value =
    process.env[setting]
      ?.split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '') ?? [];
  return value.length === 0 ? null : value;
}
