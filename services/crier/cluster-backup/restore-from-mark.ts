import type { Config } from '#config/config.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { LogPositions } from '#ports/log-positions.ts';
import type { TableStore } from '#ports/table-store.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { HANDLING, PARKED_KEYS } from '#tables/declarations/tables.ts';
import { readHandling, writeHandling } from '#tables/repositories/handling.ts';
import { listParkedKeys, refileBesideAnotherLog } from '#tables/repositories/parking.ts';
import { markRestored } from '#tables/repositories/restored.ts';
import { beginRestoring, endRestoring } from '#tables/repositories/restoring.ts';
import { partitionsOf } from '../migrate/parked-keys.ts';
import { withClusterStores } from './back-up-cluster.ts';
import type { ClusterFinding } from './cluster-finding.ts';
import { fitOf, type ClusterMark } from './mark.ts';
import { readStanding, type ClusterStanding } from './standing.ts';

/** Whether the cluster of the settings is the one of the mark. Changes nothing. Rejects with `PortError`. */
export function verifyMark(config: Config, mark: ClusterMark): Promise<readonly ClusterFinding[]> {
  return withClusterStores(config, async (store, positions) => fitOf(mark, await readStanding(store, positions)));
}

/**
 * Makes a cluster whose tables come from the snapshot of a mark ready to start: publishing is held, and what speaks of
 * offsets of a log that is gone is made to fit the empty one. No process starts before it came to its end; interrupted,
 * it may be run again. Rejects with `PortError`, `refused` with what does not fit before anything is written.
 */
export function restoreFromMark(config: Config, mark: ClusterMark, clock: Pick<Clock, 'now'>): Promise<void> {
  const ids = createSystemIds();
  return withClusterStores(config, (store, positions) => restoreMarked(mark, { store, positions, clock, ids }));
}

export interface MarkedCluster {
  readonly store: TableStore;
  readonly positions: LogPositions;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'token'>;
}

export async function restoreMarked(mark: ClusterMark, cluster: MarkedCluster): Promise<void> {
  const { store, positions, clock, ids } = cluster;
  const standing = await readStanding(store, positions);
  const troubles = fitOf(mark, standing).filter(({ ok }) => !ok);
  if (troubles.length > 0)
    throw new PortError('refused', troubles.map(({ check, detail }) => `${check}: ${detail}`).join('; '));
  // Beside the empty log, what is left of the old one would be taken for records that end processes.
  await beginRestoring(store, { backup: `mark of ${mark.madeAt}`, since: clock.now() }, ids.token());
  // Whatever becomes of the rest, nothing is sent.
  await markRestored(store, { backupAt: Date.parse(mark.madeAt), restoredAt: clock.now() });
  if (isEmpty(standing)) await fitToEmptyLog(store, ids);
  await endRestoring(store, ids.token());
}

function isEmpty({ extents }: ClusterStanding): boolean {
  return extents.every(({ end }) => end === 0);
}

async function fitToEmptyLog(store: TableStore, ids: Pick<Ids, 'token'>): Promise<void> {
  for await (const [group, topic, partition] of partitionsOf(store, HANDLING)) {
    const source = { group: String(group), topic: String(topic), partition: Number(partition) };
    const { version, ...handling } = await readHandling(store, source);
    if (!handling.owned && Object.keys(handling.keys).length === 0) continue;
    const released = { version, handling: { owned: false, keys: {} }, token: ids.token() };
    if (!(await writeHandling(store, source, released))) throw runs();
  }
  for await (const [topic, partition] of partitionsOf(store, PARKED_KEYS))
    for (const parked of await listParkedKeys(store, String(topic), Number(partition)))
      if (!(await refileBesideAnotherLog(store, parked, ids.token()))) throw runs();
}

function runs(): PortError {
  return new PortError('refused', 'a process of Crier has begun to run here: stop all of them');
}
