import { NETWORKS, type Network } from '#domain/network.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import type { Cancel } from '#ports/clock.ts';
import type { WorldPorts } from '#ports/ports.ts';
import {
  listNeededReconnects,
  neededReconnectsOf,
  type NeededReconnects,
} from '#tables/repositories/needed-reconnects.ts';
import { shardOf } from '#tables/declarations/topics.ts';

const AT_ONCE = 8;
const READ_AGAIN_MS = 5_000;

/**
 * How many Channels of the owned Workspaces need a reconnect, for a gauge: one entry for each Workspace with any. A
 * shard that was just assigned is read from its rows; from then on states that this process reads or commits say what
 * changed. Nothing is decided by it.
 *
 * A shard is unread from `ownersChanged` until its rows were read; a read that fails is repeated. `stop` ends that.
 */
export class ReconnectCounts {
  readonly #options: Pick<WorldPorts, 'store' | 'clock' | 'reporter'>;
  readonly #owned: () => readonly number[];
  readonly #needed = new Map<string, NeededReconnects>();
  readonly #unread = new Set<number>();
  /** Workspaces that were noted while rows are read, which may be older. */
  #notedMeanwhile: Set<string> | null = null;
  #cancelRead: Cancel | null = null;
  #isStopped = false;

  constructor(options: Pick<WorldPorts, 'store' | 'clock' | 'reporter'>, owned: () => readonly number[]) {
    this.#options = options;
    this.#owned = owned;
  }

  /** A turn may commit just after its shard was lost: then another process counts the Workspace. */
  note(state: WorkspaceState): void {
    this.#notedMeanwhile?.add(state.id);
    const needed = neededReconnectsOf(state);
    if (needed === null) this.#needed.delete(state.id);
    else if (this.#owned().includes(shardOf(state.id))) this.#needed.set(state.id, needed);
  }

  ownersChanged(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.#unread.add(shard);
    for (const workspaceId of [...this.#needed.keys()])
      if (shards.has(shardOf(workspaceId))) this.#needed.delete(workspaceId);
    this.#readIn(0);
  }

  /** Every Network, those without any at 0. */
  counts(): ReadonlyMap<Network, number> {
    const sums = new Map<Network, number>(NETWORKS.map((network) => [network, 0]));
    for (const needed of this.#needed.values())
      for (const network of NETWORKS) sums.set(network, sums.get(network)! + (needed[network] ?? 0));
    return sums;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRead?.();
  }

  #readIn(delayMs: number): void {
    if (this.#isStopped || this.#cancelRead !== null) return;
    this.#cancelRead = this.#options.clock.after(delayMs, () => void this.#read());
  }

  async #read(): Promise<void> {
    const owned = new Set(this.#owned());
    const shards = [...this.#unread];
    this.#unread.clear();
    const noted = (this.#notedMeanwhile = new Set<string>());
    let delayMs = 0;
    await parallelMap(AT_ONCE, shards, async (shard) => {
      if (!owned.has(shard)) return;
      try {
        const found = await listNeededReconnects(this.#options.store, shard);
        // Revoked meanwhile: it is unread again.
        if (this.#unread.has(shard)) return;
        for (const [workspaceId, needed] of found) if (!noted.has(workspaceId)) this.#needed.set(workspaceId, needed);
      } catch (error) {
        this.#options.reporter.failure('needed-reconnects-read-failed', error, { shard });
        this.#unread.add(shard);
        delayMs = READ_AGAIN_MS;
      }
    });
    this.#notedMeanwhile = null;
    this.#cancelRead = null;
    if (this.#unread.size > 0) this.#readIn(delayMs);
  }
}
