import { parallelMap } from '#concurrency/parallel-map.ts';
import { isHeld, type HeldPeriod } from '#domain/publishing-holds.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Cancel } from '#ports/clock.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { sendCommand, type SendCommandOptions } from '#commands/send-command.ts';
import {
  firstHeldVariants,
  heldWorkspaceOf,
  listHeldWorkspaces,
  readHeldWorkspace,
  type HeldChannel,
  type HeldWorkspace,
} from '#tables/repositories/held-variants.ts';
import type { Brake } from '#tables/repositories/publishing-brake.ts';
import { shardOf } from '#tables/declarations/topics.ts';

export interface HeldReleasesOptions extends SendCommandOptions, Pick<WorldPorts, 'store' | 'clock' | 'reporter'> {
  readonly brake: Pick<Brake, 'known'>;
}

/**
 * Of one Channel, Variants that were held and are `publishing` at once. More would fill the partition of a Network's
 * topic with jobs that wait for each other, and keep the jobs of other Workspaces out of it.
 */
const MAX_UNDER_WAY = 100;
const VARIANTS_A_COMMAND = 50;
/** While everything that waits is held. */
const LOOK_MS = 500;
/** While something is being released. */
const GO_ON_MS = 50;
/** A command that shows no effect after this is sent again. */
const ASK_AGAIN_MS = 10_000;
const AT_ONCE = 8;
const HOLDS_MAX_AGE_MS = 500;

/**
 * Makes Variants due that no hold keeps back any more: in the order of their Channels' queues, all Channels side by
 * side, and of each no more at once than its publisher should have in hand. What waits stands in the store; here is one
 * entry for each Workspace of an owned shard that has any, so a process without such Workspaces does nothing.
 *
 * A shard that was just assigned is read from its rows; from then on the turns that this process commits say what
 * changed. Commands may be sent twice, by this process or by two owners: a Variant that does not wait ignores them.
 *
 * asleep -> `#wake` -> a round is planned -> it runs -> asleep, or the next one is planned. `stop` ends it for good.
 */
export class HeldReleases {
  readonly #options: HeldReleasesOptions;
  readonly #owned: () => readonly number[];
  readonly #held = new Map<string, HeldWorkspace>();
  /** Assigned or revoked, and not read since. */
  readonly #unread = new Set<number>();
  /** While rows are being read: Workspaces that a turn told of, since the rows may be older. */
  #notedMeanwhile: Set<string> | null = null;
  /** The counts of a Channel when its last command was sent, by the Channel's id. */
  readonly #asked = new Map<string, { readonly counts: string; readonly at: number }>();
  #cancelRound: Cancel | null = null;
  #running = false;
  #stopped = false;

  constructor(options: HeldReleasesOptions, owned: () => readonly number[]) {
    this.#options = options;
    this.#owned = owned;
  }

  /**
   * Of a Workspace that a turn was committed of, or that was read. Where its shard was lost just before, what waits is
   * counted and released by another process.
   */
  note(state: WorkspaceState): void {
    this.#notedMeanwhile?.add(state.id);
    if (state.held === undefined) this.#held.delete(state.id);
    else if (this.#owned().includes(shardOf(state.id))) {
      this.#held.set(state.id, heldWorkspaceOf(state));
      this.#wake(LOOK_MS);
    }
  }

  ownersChanged(shards: ReadonlySet<number>): void {
    for (const shard of shards) this.#unread.add(shard);
    for (const workspaceId of [...this.#held.keys()])
      if (shards.has(shardOf(workspaceId))) this.#held.delete(workspaceId);
    this.#wake(0);
  }

  /** Variants that wait, of all owned shards. */
  waiting(): number {
    let sum = 0;
    for (const { channels } of this.#held.values()) for (const { waiting } of channels) sum += waiting;
    return sum;
  }

  /** No further round begins; the one that is running sends what it has planned. */
  stop(): void {
    this.#stopped = true;
    this.#cancelRound?.();
  }

  #wake(delayMs: number): void {
    if (this.#stopped || this.#running || this.#cancelRound !== null) return;
    this.#cancelRound = this.#options.clock.after(delayMs, () => {
      this.#cancelRound = null;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    let released = false;
    try {
      await this.#readShards();
      released = await this.#release();
    } catch (error) {
      this.#failed(error);
    }
    this.#notedMeanwhile = null;
    this.#running = false;
    if (this.#held.size > 0 || this.#unread.size > 0) this.#wake(released ? GO_ON_MS : LOOK_MS);
  }

  async #readShards(): Promise<void> {
    const owned = new Set(this.#owned());
    const shards = [...this.#unread];
    this.#unread.clear();
    const noted = (this.#notedMeanwhile = new Set());
    await this.#each(shards, async (shard) => {
      if (!owned.has(shard)) return;
      try {
        const found = await listHeldWorkspaces(this.#options.store, shard);
        // Revoked meanwhile: it is unread again.
        if (this.#unread.has(shard)) return;
        for (const workspace of found)
          if (!noted.has(workspace.workspaceId)) this.#held.set(workspace.workspaceId, workspace);
      } catch (error) {
        this.#unread.add(shard);
        throw error;
      }
    });
  }

  /** What fails with one is tried again with the next round, and keeps no other from its turn. */
  async #each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const failures: unknown[] = [];
    await parallelMap(AT_ONCE, items, (item) => work(item).catch((error) => void failures.push(error)));
    if (failures.length > 0) this.#failed(failures[0]);
  }

  #failed(error: unknown): void {
    this.#options.reporter.failure('held-release-failed', error, { workspaces: this.#held.size });
  }

  /** Whether it sent anything. */
  async #release(): Promise<boolean> {
    if (this.#held.size === 0) {
      this.#asked.clear();
      return false;
    }
    const { periods } = await this.#options.brake.known(HOLDS_MAX_AGE_MS);
    const owned = new Set(this.#owned());
    const free = [...this.#held.values()].flatMap((workspace) =>
      owned.has(shardOf(workspace.workspaceId))
        ? workspace.channels
            .filter((channel) => mayGo(workspace, channel, periods))
            .map((channel) => ({ workspace, channel }))
        : [],
    );
    let sent = false;
    await this.#each(free, async ({ workspace, channel }) => {
      if (await this.#releaseSome(workspace, channel)) sent = true;
    });
    return sent;
  }

  async #releaseSome({ workspaceId }: HeldWorkspace, channel: HeldChannel): Promise<boolean> {
    const { clock, store } = this.#options;
    const counts = `${channel.waiting} ${channel.underWay}`;
    const asked = this.#asked.get(channel.channelId);
    if (asked?.counts === counts && clock.monotonic() < asked.at + ASK_AGAIN_MS) return false;
    const count = Math.min(VARIANTS_A_COMMAND, MAX_UNDER_WAY - channel.underWay);
    if (count <= 0) return false;
    const posts = await firstHeldVariants(store, { workspaceId, channelId: channel.channelId }, count);
    if (posts.length === 0) {
      await this.#readAgain(workspaceId);
      return false;
    }
    await sendCommand(this.#options, { type: 'VariantsDue', workspaceId, posts });
    this.#asked.set(channel.channelId, { counts, at: clock.monotonic() });
    return true;
  }

  /** Its counts were older than the rows of its queues. */
  async #readAgain(workspaceId: string): Promise<void> {
    this.#notedMeanwhile?.delete(workspaceId);
    const workspace = await readHeldWorkspace(this.#options.store, workspaceId);
    // Revoked meanwhile, as above.
    if (this.#unread.has(shardOf(workspaceId))) return;
    if (this.#notedMeanwhile?.has(workspaceId)) return;
    if (workspace === null) this.#held.delete(workspaceId);
    else this.#held.set(workspaceId, workspace);
  }
}

/** Those of a Channel that was disconnected are cancelled when they are due, whatever is held. */
function mayGo({ workspaceId }: HeldWorkspace, channel: HeldChannel, periods: readonly HeldPeriod[]): boolean {
  if (channel.waiting === 0) return false;
  return channel.state === 'not_connected' || !isHeld(periods, { network: channel.network, workspaceId });
}
