import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import { merged, type ChangeListener, type ChangeSignal } from './signal-queue.ts';
import { WorkspaceWatch, type WorkspaceWatchOptions } from './workspace-watch.ts';

/** What a page may have missed goes so many turns back, and so far; beyond that it reads all that it shows. */
const MISSED_TURNS = 500;
const MISSED_MS = 60_000;

/**
 * Tells pages that are open what changed in their Workspace, within a second, whichever process made the turn and
 * whichever serves the page. A Workspace that nobody looks at is not read; one that somebody looks at is read once,
 * however many look.
 */
export class ChangeFeed {
  readonly #options: WorkspaceWatchOptions;
  readonly #watches = new Map<string, WorkspaceWatch>();
  #isClosed = false;

  constructor(options: WorkspaceWatchOptions) {
    this.#options = options;
  }

  /**
   * From now on the listener is told of each turn that changes Posts or Channels, or that it missed some: what it loads
   * after this call is complete together with what it is told. It may be told twice, and of changes that it has loaded.
   * Returns how to end that, at once and for good.
   */
  subscribe(workspaceId: string, listener: ChangeListener): () => void {
    // A process that ends tells nobody anything.
    if (this.#isClosed) return () => {};
    const watch = this.#watches.get(workspaceId) ?? new WorkspaceWatch(workspaceId, this.#options);
    this.#watches.set(workspaceId, watch);
    const queue = watch.add(listener);
    return () => {
      watch.remove(queue);
      if (!watch.isUnused || this.#watches.get(workspaceId) !== watch) return;
      watch.close();
      this.#watches.delete(workspaceId);
    };
  }

  /**
   * What changed since an instant, perhaps more: for a page that has read before it could subscribe. Null: nothing.
   * Rejects with `PortError`.
   */
  async missed(workspaceId: string, since: number): Promise<ChangeSignal | null> {
    const { changes, clock } = this.#options;
    const now = clock.now();
    if (Math.abs(now - since) > MISSED_MS) return { kind: 'stale' };
    const after = Math.max(0, (await changes.version(workspaceId)) - MISSED_TURNS);
    const read = await changes.read(workspaceId, { after, now });
    const missed = read.filter(({ at }) => at >= since - CLOCK_SKEW_MS);
    if (missed.length >= MISSED_TURNS) return { kind: 'stale' };
    const signals = missed.map(({ postIds, channels }): ChangeSignal => ({ kind: 'changed', postIds, channels }));
    return signals.length === 0 ? null : signals.reduce(merged);
  }

  close(): void {
    this.#isClosed = true;
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
  }
}
