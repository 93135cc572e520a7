import { readPaxosVariants, type NodePaxos } from '#adapters/cassandra/keyspace-facts.ts';
import type { CassandraConnection } from '#adapters/cassandra/client.ts';
import { PortError } from '#ports/errors.ts';
import type { DoctorFinding } from './finding.ts';

/** Nothing where nodes do not show their settings, or can not be asked: the check of Cassandra tells of that. */
export async function readPaxosFindings(connection: CassandraConnection): Promise<readonly DoctorFinding[]> {
  try {
    return paxosFindings(await readPaxosVariants(connection));
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [];
  }
}

/** Crier works by either, so that none of it is a failure. */
export function paxosFindings(nodes: readonly NodePaxos[]): readonly DoctorFinding[] {
  if (nodes.length === 0) return [];
  const former = nodes.filter(({ variant }) => variant !== 'v2').map(({ node, variant }) => `${node} (${variant})`);
  const detail =
    former.length === 0
      ? 'all nodes that answer have paxos_variant v2'
      : `not v2 at ${former.join(', ')}: each compare-and-set waits for four round trips where v2 takes two, and while nodes join or leave it is not certain that one of two is refused; set paxos_variant: v2 on all nodes (docs/engine-care.md, Compare-and-set)`;
  return [{ check: 'paxos', ok: true, detail }];
}
