import { createCassandraTableStore } from '#adapters/cassandra/table-store.ts';
import { readKeyspaceFacts, type KeyspaceFacts } from '#adapters/cassandra/keyspace-facts.ts';
import { createKafkaLog } from '#adapters/kafka/log.ts';
import { createKafkaLogPositions } from '#adapters/kafka/log-positions.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Config } from '#config/config.ts';
import { VERSION } from '#config/version.ts';
import type { PublishingHold } from '#domain/publishing-holds.ts';
import type { LogPositions } from '#ports/log-positions.ts';
import type { TableStore } from '#ports/table-store.ts';
import { TIMERS, TOPICS } from '#tables/declarations/topics.ts';
import { SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { readHolds } from '#tables/repositories/publishing-holds.ts';
import { refuseHalfRestored } from '#tables/repositories/restoring.ts';
import { secretTrouble } from '#tables/repositories/secret-probe.ts';
import { cassandraOf, clusterRegistry, kafkaOf } from '../engines/cluster.ts';
import type { ClusterFinding } from './cluster-finding.ts';
import { MARK_FORMAT, processesFit, type ClusterMark } from './mark.ts';
import { readStanding, type ClusterStanding } from './standing.ts';
import { countTimersWithoutRow, schedulerRuns, unfinishedWork, type TimersWithoutRow } from './unfinished-work.ts';

export interface ClusterOutlook {
  readonly standing: ClusterStanding;
  readonly keyspace: KeyspaceFacts;
  readonly findings: readonly ClusterFinding[];
}

/** Lends the tables and the log of a cluster. */
export async function withClusterStores<T>(
  config: Config,
  work: (store: TableStore, positions: LogPositions) => Promise<T>,
): Promise<T> {
  const store = createCassandraTableStore(cassandraOf(config));
  const positions = createKafkaLogPositions({ access: kafkaOf(config), prefix: config.kafkaTopicPrefix });
  try {
    return await work(store, positions);
  } finally {
    await positions.close();
    await store.close();
  }
}

/**
 * What stands in the way of a snapshot whose tables and log fit together. Changes nothing. Rejects with `PortError`
 * when an engine can not be asked.
 */
export async function lookAtCluster(config: Config): Promise<ClusterOutlook> {
  return withClusterStores(config, async (store, positions) => {
    await refuseHalfRestored(store);
    const standing = await readStanding(store, positions);
    const keyspace = await readKeyspaceFacts(cassandraOf(config), config.cassandraKeyspace);
    const secretBox = createSecretBox({ secret: config.secret!, previousSecrets: config.previousSecrets });
    const secret = await secretTrouble(store, secretBox);
    const { holds } = await readHolds(store);
    return {
      standing,
      keyspace,
      findings: [
        schemaFinding(standing),
        { check: 'secret', ok: secret === null, detail: secret ?? 'opens what is sealed: keep it, no snapshot has it' },
        replicationFinding(keyspace, config),
        holdFinding(holds),
        processesFit(standing),
        logFinding(standing, await unfinishedWork(standing, timersWithoutRowIn(config, store))),
      ],
    };
  });
}

export function markOf({ standing }: ClusterOutlook, config: Config, now: number): ClusterMark {
  return {
    format: MARK_FORMAT,
    engine: 'cluster',
    madeAt: new Date(now).toISOString(),
    release: VERSION,
    schemaVersion: standing.schemaVersion,
    keyspace: config.cassandraKeyspace,
    topicPrefix: config.kafkaTopicPrefix,
    heads: standing.heads,
    extents: standing.extents,
  };
}

function schemaFinding({ schemaVersion }: ClusterStanding): ClusterFinding {
  const ok = schemaVersion === SCHEMA_VERSION;
  const differs = `the keyspace has version ${schemaVersion}, and this release writes ${SCHEMA_VERSION}: back up with the release that runs, and not amid an upgrade`;
  return { check: 'schema', ok, detail: ok ? `version ${schemaVersion}` : differs };
}

/** A snapshot of each node holds what that node has: with one copy, a node that is lost takes its part with it. */
function replicationFinding({ replication, durableWrites, nodes }: KeyspaceFacts, config: Config): ClusterFinding {
  const copies = Number(replication[config.cassandraDatacenter] ?? replication['replication_factor'] ?? 0);
  const facts = `${nodes.length} nodes, ${copies} copies in ${config.cassandraDatacenter}`;
  if (!durableWrites)
    return {
      check: 'keyspace',
      ok: false,
      detail: `${facts}, and durable_writes is off: ALTER KEYSPACE ${config.cassandraKeyspace} WITH durable_writes = true`,
    };
  return {
    check: 'keyspace',
    ok: copies > 0,
    detail:
      copies > 0
        ? facts
        : `it has no copies in data centre ${config.cassandraDatacenter}: set CRIER_CASSANDRA_DATACENTER`,
  };
}

function holdFinding(holds: readonly PublishingHold[]): ClusterFinding {
  const ok = holds.some(({ network, workspaceId }) => network === null && workspaceId === null);
  return {
    check: 'hold',
    ok,
    detail: ok ? 'publishing is held' : 'publishing goes on: hold it, so that nothing is on its way',
  };
}

/** Opens the log only where it is asked. */
function timersWithoutRowIn(config: Config, store: TableStore): TimersWithoutRow {
  return async (partitions) => {
    const clock = createSystemClock();
    const log = createKafkaLog({ ...kafkaOf(config), topics: TOPICS, prefix: config.kafkaTopicPrefix, clock });
    try {
      const codec = createCodec({ registry: await clusterRegistry(config, store) });
      return await countTimersWithoutRow(partitions, { store, log, codec, clock });
    } finally {
      await log.close();
    }
  };
}

/** Whether the tables alone are the whole truth: then a log that is lost, or empty, loses nothing. */
function logFinding(standing: ClusterStanding, unfinished: ReadonlyMap<string, number>): ClusterFinding {
  if (unfinished.size === 0) return { check: 'log', ok: true, detail: 'nothing is unfinished' };
  const counts = [...unfinished].map(([topic, records]) => `${topic} (${records})`).join(', ');
  const isLate = unfinished.has(TIMERS.name) && !schedulerRuns(standing);
  return {
    check: 'log',
    ok: false,
    detail: isLate
      ? `${counts}: timers came after their minute had been read, or other records are not finished; start a scheduler for a minute, beside the roles that read the others, and stop it again`
      : `${counts}: records are not finished; let the roles that read them run on, without ingress, app and scheduler`,
  };
}
