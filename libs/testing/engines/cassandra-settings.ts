import { jvmFlags, type JvmProfile } from './jvm.ts';

const HEAP_OF_TESTS = ['128m', '384m'] as const;

/**
 * The JVM options of Cassandra's own start script; with fewer of these it dies at start, often without a message.
 * `ring`: how it finds the other nodes.
 */
export function jvmArguments(profile: JvmProfile, ring = SINGLE_NODE): string[] {
  const exports = [
    'java.base/jdk.internal.misc',
    'java.base/java.lang.ref',
    'java.management.rmi/com.sun.jmx.remote.internal.rmi',
    'java.rmi/sun.rmi.registry',
    'java.rmi/sun.rmi.server',
    'java.sql/java.sql',
    'jdk.unsupported/sun.misc',
    'jdk.compiler/com.sun.tools.javac.file',
    'jdk.attach/sun.tools.attach',
  ];
  const base = [
    'java.io',
    'java.lang',
    'java.lang.module',
    'java.lang.reflect',
    'java.util',
    'jdk.internal.loader',
    'jdk.internal.math',
    'jdk.internal.module',
    'jdk.internal.ref',
    'jdk.internal.reflect',
    'jdk.internal.util.jar',
    'sun.nio.ch',
  ];
  const opens = [
    ...base.map((name) => `java.base/${name}`),
    'jdk.management/com.sun.management.internal',
    'jdk.compiler/com.sun.tools.javac',
  ];
  return [
    ...jvmFlags(profile, HEAP_OF_TESTS),
    '-XX:+ExitOnOutOfMemoryError',
    '-XX:+PerfDisableSharedMem',
    '-Djdk.attach.allowAttachSelf=true',
    ...exports.flatMap((name) => ['--add-exports', `${name}=ALL-UNNAMED`]),
    ...opens.flatMap((name) => ['--add-opens', `${name}=ALL-UNNAMED`]),
    '-Dio.netty.tryReflectionSetAccessible=true',
    '-Dio.netty.allocator.useCacheForAllThreads=true',
    '-Dio.netty.allocator.maxOrder=11',
    '-Djava.net.preferIPv4Stack=true',
    ...ring,
  ];
}

/** A single node has no other nodes to wait for. */
export const SINGLE_NODE: readonly string[] = [
  '-Dcassandra-foreground=yes',
  '-Dcassandra.skip_wait_for_gossip_to_settle=0',
  '-Dcassandra.ring_delay_ms=1',
  '-Dcassandra.initial_token=0',
  '-Dcassandra.shutdown_announce_in_ms=0',
];

/** A table is made without a flush of the tables that describe it, as in Cassandra's own tests. */
export const UNFLUSHED_SCHEMA: readonly string[] = [
  '-Dcassandra.unsafesystem=true',
  '-Dcassandra.test.flush_local_schema_changes=false',
];

/**
 * Of several nodes with a token each, started one after the other: none takes data from another at its start, because
 * the ring is whole before there is any.
 */
export function nodeOfRing(index: number, nodes: number): readonly string[] {
  const token = (2n ** 64n / BigInt(nodes)) * BigInt(index) - 2n ** 63n;
  return [
    '-Dcassandra-foreground=yes',
    '-Dcassandra.ring_delay_ms=1000',
    '-Dcassandra.consistent.rangemovement=false',
    `-Dcassandra.initial_token=${token}`,
    '-Dcassandra.shutdown_announce_in_ms=0',
  ];
}

export interface CassandraYaml {
  /** Of one of several nodes. Default: 127.0.0.1, which is also where each looks for the others. */
  readonly address?: string;
  readonly rpcAddress: string;
  /** What clients are told in place of `address`. */
  readonly toldAddress?: string;
  readonly port: number;
  readonly storagePort: number;
  readonly commitLogSync: 'periodic' | 'batch';
  readonly secured?: CassandraSecurity;
}

/** With it, clients need a certificate that `ca` signed, and a password. All PEM. */
export interface CassandraSecurity {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

function securityYaml({ ca, certificate, key }: CassandraSecurity): string {
  return `authenticator: PasswordAuthenticator
authorizer: CassandraAuthorizer
role_manager: CassandraRoleManager
permissions_validity: 0ms
client_encryption_options:
  enabled: true
  optional: false
  require_client_auth: true
  ssl_context_factory:
    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory
    parameters:
      private_key: ${JSON.stringify(key + certificate)}
      trusted_certificates: ${JSON.stringify(ca)}
`;
}

/**
 * `batch` acknowledges a write once it is on disk; with `periodic` a kill -9 of a single node loses acknowledged writes
 * (a cluster relies on its replicas). A mutation may have half the size of a commit-log segment: 16 MiB leaves room for
 * the 4 MB that TableStore allows for a write to a partition.
 */
export function cassandraYaml(at: CassandraYaml): string {
  return `cluster_name: crier-tests
num_tokens: 1
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: "127.0.0.1:${at.storagePort}"
listen_address: ${at.address ?? '127.0.0.1'}
rpc_address: ${at.rpcAddress}
broadcast_rpc_address: ${at.toldAddress ?? at.address ?? '127.0.0.1'}
${at.address === undefined ? '' : 'auto_bootstrap: false\n'}storage_port: ${at.storagePort}
native_transport_port: ${at.port}
start_native_transport: true
commitlog_sync: ${at.commitLogSync}
${at.commitLogSync === 'periodic' ? 'commitlog_sync_period: 10s\n' : ''}commitlog_segment_size: 16MiB
memtable_heap_space: 128MiB
memtable_offheap_space: 128MiB
key_cache_size: 8MiB
row_cache_size: 0MiB
counter_cache_size: 0MiB
file_cache_size: 32MiB
networking_cache_size: 16MiB
prepared_statements_cache_size: 8MiB
concurrent_reads: 16
concurrent_writes: 16
concurrent_counter_writes: 4
concurrent_compactors: 1
hinted_handoff_enabled: false
auto_snapshot: false
cas_contention_timeout: 2000ms
paxos_variant: v2
${at.secured === undefined ? '' : securityYaml(at.secured)}`;
}

/** Warnings and errors go to standard output, where tests look for tombstones and batch sizes. */
export const LOGBACK = `<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%-5level %date{ISO8601} %logger{20} - %msg%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="OUT"/></root>
</configuration>
`;
