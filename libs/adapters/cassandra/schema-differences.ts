import type { Table } from '#ports/table.ts';
import { graceSecondsOf } from './schema.ts';

export interface KeyspaceFound {
  /** The class, and the copies by data centre, as the server has them. */
  readonly replication: Readonly<Record<string, string>>;
  readonly durableWrites: boolean;
}

export interface TableProperties {
  readonly graceSeconds: number;
  /** The name of the compaction's class. */
  readonly compaction: string;
}

/** Where a keyspace is not as it must be, a sentence each. More copies than asked for are right. */
export function keyspaceDifferences(
  keyspace: string,
  { replication, durableWrites }: KeyspaceFound,
  { dataCenter, copies }: { readonly dataCenter: string; readonly copies: number },
): readonly string[] {
  const isSimple = (replication['class'] ?? '').endsWith('SimpleStrategy');
  // A full copy is written as 3, and one that has transient ones as 3/1.
  const found = Number((isSimple ? replication['replication_factor'] : replication[dataCenter])?.split('/')[0] ?? 0);
  return [
    found === 0 &&
      `keyspace ${keyspace} has no copy in data centre ${dataCenter}, which CRIER_CASSANDRA_DATACENTER names: ${JSON.stringify(replication)}`,
    found > 0 &&
      found < copies &&
      `keyspace ${keyspace} has ${found} copies in data centre ${dataCenter}, and CRIER_CASSANDRA_REPLICATION asks for ${copies}`,
    !durableWrites && `keyspace ${keyspace} has durable_writes=false: a node that fails forgets what it acknowledged`,
  ].filter((line) => line !== false);
}

/** As above; `name`: with its keyspace. Any compaction is right but one that sorts by write timestamps. */
export function propertyDifferences(name: string, table: Table, found: TableProperties | null): readonly string[] {
  if (found === null) return [];
  const grace = graceSecondsOf(table);
  return [
    found.compaction.endsWith('TimeWindowCompactionStrategy') &&
      `table ${name} has TimeWindowCompactionStrategy, which sorts by write timestamps: those of Crier count turns, so use another`,
    found.graceSeconds < grace &&
      `table ${name} has gc_grace_seconds ${found.graceSeconds}, and needs ${grace}: what was removed would come back`,
  ].filter((line) => line !== false);
}
