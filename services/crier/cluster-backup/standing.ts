import { parallelMap } from '#concurrency/parallel-map.ts';
import type { GroupPosition, GroupState, LogPositions, PartitionExtent } from '#ports/log-positions.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Key } from '#ports/table.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import { DEAD_LETTERS, TOPICS } from '#tables/declarations/topics.ts';
import { readSchemaVersion } from '#tables/repositories/installation.ts';
import { listProcesses } from '#tables/repositories/processes.ts';
import { HEAD } from '#tables/repositories/workspaces.ts';

/** How far tables and log of a cluster are. */
export interface ClusterStanding {
  readonly schemaVersion: number;
  readonly heads: HeadCounts;
  readonly extents: readonly PartitionExtent[];
  readonly groups: readonly GroupState[];
  /** See `runningProcesses`: those at the beginning of the reading, and those at its end. */
  readonly running: readonly string[];
}

/** Every turn of a Workspace makes its version greater by one. */
export interface HeadCounts {
  readonly workspaces: number;
  /** The sum of all versions: two copies of the same Workspaces with the same sum have the same heads. */
  readonly turns: number;
}

const PAGE = 1_000;
const READS_AT_ONCE = 32;

/**
 * Reads every head. What runs is read before and once more after all else: a process that ends meanwhile has made turns
 * that were not counted, and one that began may have. Rejects with `PortError`.
 */
export async function readStanding(store: TableStore, positions: LogPositions): Promise<ClusterStanding> {
  const before = await runningProcesses(store, positions);
  const read = {
    schemaVersion: await readSchemaVersion(store),
    heads: await countHeads(store),
    extents: await positions.extents(TOPICS),
    groups: await positions.groups(TOPICS),
  };
  const after = await runningProcesses(store, positions);
  return { ...read, running: [...new Set([...before, ...after])] };
}

/**
 * Processes that were seen within half a minute, and members of consumer groups, in words for an operator: some roles
 * read nothing, and a process that has lost Cassandra says nothing of itself. Rejects with `PortError`.
 */
export async function runningProcesses(store: TableStore, positions: LogPositions): Promise<readonly string[]> {
  const processes = await listProcesses(store);
  const groups = (await positions.groups(TOPICS)).filter(({ members }) => members > 0);
  return [
    ...processes.map(({ instance, roles }) => `${instance} (${roles.join(', ')})`),
    ...groups.map(({ group, members }) => `${members} in consumer group ${group}`),
  ];
}

async function countHeads(store: TableStore): Promise<HeadCounts> {
  let [workspaces, turns] = [0, 0];
  const count = async (partition: Key): Promise<void> => {
    const head = await store.read(WORKSPACES, partition, HEAD, { serial: true });
    if (head === null) return;
    workspaces += 1;
    turns += head.version;
  };
  for (let after: string | null = null; ;) {
    const { keys, next } = await store.partitions(WORKSPACES, { after, limit: PAGE });
    await parallelMap(READS_AT_ONCE, keys, count);
    if (next === null) return { workspaces, turns };
    after = next;
  }
}

/** Of a partition, the records that some group has not acknowledged: from `next` up to, and without, `end`. */
export interface UnfinishedPartition extends GroupPosition {
  readonly end: number;
}

/**
 * Partitions with records that some group has not acknowledged. Dead letters are for people: those that are not in the
 * tables yet keep nobody from a backup.
 */
export function unfinishedPartitions({
  extents,
  groups,
}: Pick<ClusterStanding, 'extents' | 'groups'>): readonly UnfinishedPartition[] {
  return extents.flatMap(({ topic, partition, start, end }) => {
    if (topic === DEAD_LETTERS.name) return [];
    const readers = groups.filter(({ positions }) => positions.some((position) => position.topic === topic));
    const nextOf = ({ positions }: GroupState): number =>
      positions.find((position) => position.topic === topic && position.partition === partition)?.next ?? start;
    const next = Math.max(start, readers.length === 0 ? start : Math.min(...readers.map(nextOf)));
    return end > next ? [{ topic, partition, next, end }] : [];
  });
}

/** How many such records each topic has; topics without any are left out. */
export function unfinishedOf(standing: Pick<ClusterStanding, 'extents' | 'groups'>): ReadonlyMap<string, number> {
  const unfinished = new Map<string, number>();
  for (const { topic, next, end } of unfinishedPartitions(standing))
    unfinished.set(topic, (unfinished.get(topic) ?? 0) + end - next);
  return unfinished;
}
