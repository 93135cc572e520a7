/**
 * What is measured of Crier and its peers; `--workloads` takes some. A number is that of Channels (in small sizes, 96
 * stands for fewer). `floor` is no peer's: a bare server over SQLite, once a round. `post` is POST by one client and by
 * many, `due` so many a second, `instant` thousands at once, `kill` kill -9 amid `due`, `burst` kill -9 amid thousands
 * at once, `list` a page of few Posts and of many, `backlog` POST where many wait, `syncs` those of the disk for a lone
 * Post.
 */
export const WORKLOADS = [
  'floor',
  'post',
  'due1',
  'due96',
  'instant2',
  'instant96',
  'kill1',
  'kill96',
  'burst96',
  'list',
  'backlog',
  'syncs',
] as const;
export type Workload = (typeof WORKLOADS)[number];

/** The peak of the memory is a figure only when all of these were done: it is that of the one that takes most. */
const OF_MEMORY: readonly Workload[] = WORKLOADS.filter((name) => name !== 'floor' && name !== 'syncs');

export function tellsOfMemory(workloads: readonly Workload[]): boolean {
  return OF_MEMORY.every((name) => workloads.includes(name));
}
