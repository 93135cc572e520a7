import { PortError } from '#ports/errors.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { Owner, SimulationEngine } from '../engine.ts';
import type { FaultPlan } from '../faults.ts';

export interface ProcessBlobsOptions {
  readonly engine: SimulationEngine;
  readonly owner: Owner;
  readonly blobs: BlobStore;
  readonly faults: () => FaultPlan;
  readonly away: () => boolean;
  readonly crash: () => void;
  readonly stalled: (isWrite: boolean) => Promise<void>;
  /** The owner is about to make a call, or has its answer. */
  readonly onBoundary: () => void;
}

/** One process's access to the blob store: as to the tables, with the faults of these. */
export function createProcessBlobs(options: ProcessBlobsOptions): BlobStore {
  const { engine, owner, blobs, away, crash, stalled, onBoundary } = options;
  const faults = (): FaultPlan['store'] => options.faults().store;
  const perhapsCrash = (): void => {
    if (owner.mode === 'up' && engine.chance(options.faults().crashAtCall)) crash();
  };
  const call = async <T>(name: string, isWrite: boolean, work: () => Promise<T>): Promise<T> => {
    perhapsCrash();
    onBoundary();
    await stalled(isWrite);
    await engine.trip(`${owner.name} ${name} blob`, owner, isWrite ? 'maybe' : 'no');
    if (away() || engine.chance(faults().unavailable)) throw new PortError('unavailable', `${name}: blobs are away`);
    if (isWrite && engine.chance(faults().lost)) throw new PortError('unknown', `${name}: timed out`);
    const result = await work();
    perhapsCrash();
    const unanswered = isWrite && engine.chance(faults().unanswered);
    await engine.trip(`${owner.name} ${name} blob answers`, owner);
    onBoundary();
    if (unanswered) throw new PortError('unknown', `${name}: no answer`);
    return result;
  };
  return {
    put: (name, content, limits) => call('put', true, () => blobs.put(name, content, limits)),
    get: (name, range) => call('get', false, () => blobs.get(name, range)),
    head: (name) => call('head', false, () => blobs.head(name)),
    delete: (name) => call('delete', true, () => blobs.delete(name)),
    list: (prefix, page) => call('list', false, () => blobs.list(prefix, page)),
    removeUnfinished: (olderThanMs) => call('remove unfinished', true, () => blobs.removeUnfinished(olderThanMs)),
    localPath: () => null,
  };
}
