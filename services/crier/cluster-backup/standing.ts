import { parallelMap } from '#concurrency/parallel-map.ts';
import type { GroupState, LogPositions, PartitionExtent } from '#ports/log-positions.ts';
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

/**
 * Records of each topic that some group has not acknowledged; topics without any are left out. Dead letters are for
 * people: those that are not in the tables yet keep nobody from a backup.
 */
export function unfinishedOf({
  extents,
  groups,
}: Pick<ClusterStanding, 'extents' | 'groups'>): ReadonlyMap<string, number> {
  const unfinished = new Map<string, number>();
  for (const { topic, partition, start, end } of extents) {
    if (topic === DEAD_LETTERS.name) continue;
    const readers = groups.filter(({ positions }) => positions.some((position) => position.topic === topic));
    const nextOf = ({ positions }: GroupState): number =>
      positions.find((position) => position.topic === topic && position.partition === partition)?.next ?? start;
    const next = readers.length === 0 ? start : Math.min(...readers.map(nextOf));
    if (end > next) unfinished.set(topic, (unfinished.get(topic) ?? 0) + end - Math.max(next, start));
  }
  return unfinished;
}
