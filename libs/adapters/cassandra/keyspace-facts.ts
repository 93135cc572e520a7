import { PortError } from '#ports/errors.ts';
import { CassandraClient, type CassandraConnection } from './client.ts';

export interface KeyspaceFacts {
  /** The class, and the copies by data centre, as the server has them. */
  readonly replication: Readonly<Record<string, string>>;
  readonly durableWrites: boolean;
  /** Addresses of the nodes that the asked node knows, itself included. */
  readonly nodes: readonly string[];
  /** The version that the asked node reports: `5.0.9`. */
  readonly release: string;
}

/**
 * How far this machine's clock is ahead of that of a Cassandra node, in milliseconds, and how long the answer took: it
 * is known no better than by half of that. Rejects with `PortError`.
 */
export async function readClockLead(
  connection: CassandraConnection,
): Promise<{ readonly leadMs: number; readonly tookMs: number }> {
  const client = new CassandraClient(connection);
  const statement = { query: 'SELECT toTimestamp(now()) AS now FROM system.local', params: [] };
  try {
    // Connects.
    await client.read(statement);
    const [asked, from] = [Date.now(), performance.now()];
    const [row] = (await client.read(statement)).rows;
    const tookMs = performance.now() - from;
    return { leadMs: asked + tookMs / 2 - (row?.['now'] as Date).getTime(), tookMs };
  } finally {
    await client.close();
  }
}

/** The form of Paxos that a node uses for compare-and-set: its setting `paxos_variant`. */
export interface NodePaxos {
  readonly node: string;
  readonly variant: string;
}

/** Of the nodes that answer and have the setting: Cassandra from 4.1 on. Rejects with `PortError`. */
export async function readPaxosVariants(connection: CassandraConnection): Promise<readonly NodePaxos[]> {
  const client = new CassandraClient(connection);
  try {
    const answers = await client.atEachNode("SELECT value FROM system_views.settings WHERE name = 'paxos_variant'");
    return answers.flatMap(({ node, row }) => (row === undefined ? [] : [{ node, variant: String(row['value']) }]));
  } finally {
    await client.close();
  }
}

/** Rejects with `PortError`, `refused` when there is no such keyspace. */
export async function readKeyspaceFacts(connection: CassandraConnection, keyspace: string): Promise<KeyspaceFacts> {
  const client = new CassandraClient(connection);
  try {
    const query = 'SELECT replication, durable_writes FROM system_schema.keyspaces WHERE keyspace_name = ?';
    const [found] = (await client.read({ query, params: [keyspace] })).rows;
    if (found === undefined) throw new PortError('refused', `there is no keyspace ${keyspace}: run crier migrate`);
    const [local] = (await client.read({ query: 'SELECT release_version, rpc_address FROM system.local', params: [] }))
      .rows;
    const peers = (await client.read({ query: 'SELECT native_address FROM system.peers_v2', params: [] })).rows;
    return {
      replication: found['replication'] as Record<string, string>,
      durableWrites: found['durable_writes'] === true,
      nodes: [String(local?.['rpc_address']), ...peers.map((peer) => String(peer['native_address']))],
      release: String(local?.['release_version']),
    };
  } finally {
    await client.close();
  }
}
