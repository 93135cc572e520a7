import type { Network } from '#domain/network.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { keepAsker, readAskers, type Asker } from '#tables/repositories/network-askers.ts';
import type { QuotaWindow } from '#tables/repositories/network-uses.ts';
import type { Quota } from './quota.ts';

export interface AppShareOptions extends Pick<WorldPorts, 'store' | 'clock' | 'ids'> {
  readonly network: Network;
  /** Of our app, over all Workspaces. */
  readonly windows: readonly QuotaWindow[];
  readonly quota: Quota;
}

/** That a Workspace asked is written again after so long, so that it costs few writes. */
const ASKED_LATELY_MS = 3_600_000;
/**
 * And after no more than this part of the time for which it counts, so that it still counts when the Workspace asks
 * next: otherwise the other one would be alone until then, and take all that is left.
 */
const WRITTEN_AGAIN_WITHIN = 0.5;

/**
 * What one Workspace, or those of one account together, may have of the uses that a Network allows our app: half of
 * them while another one asked within the same time, and all of them where it is alone. Otherwise the first to come
 * could end the Network for all others until the next day. Uses are counted as those of the app are, over all
 * processes.
 */
export class AppShare {
  readonly #options: AppShareOptions;
  readonly #windows: readonly QuotaWindow[];
  readonly #lastsMs: number;
  /** As last read or written. */
  #askers: readonly Asker[] = [];

  constructor(options: AppShareOptions) {
    this.#options = options;
    this.#windows = options.windows.map(({ uses, windowMs }) => ({ uses: Math.ceil(uses / 2), windowMs }));
    this.#lastsMs = Math.max(0, ...options.windows.map(({ windowMs }) => windowMs));
  }

  /**
   * To be called whenever a Workspace wants a use, also if it gets none: the others leave it some of the next ones.
   * Rejects with `PortError`.
   */
  async ask(workspaceId: string): Promise<void> {
    if (this.#windows.length === 0) return;
    const latelyMs = Math.min(ASKED_LATELY_MS, this.#lastsMs * WRITTEN_AGAIN_WITHIN);
    const lately = this.#askers.filter(({ at }) => this.#isWithin(at, latelyMs));
    if (lately.length > 1 || lately.some((asker) => asker.workspaceId === workspaceId)) return;
    const { store, clock, ids } = this.#options;
    const asker = { workspaceId, at: clock.now() };
    const record = { scope: this.#scope, asker, lastsMs: this.#lastsMs, token: ids.token() };
    this.#askers = await keepAsker(store, record);
  }

  /** Milliseconds for which others come first, as far as this process knows; 0: none do. Rejects with `PortError`. */
  async spentMs(workspaceId: string): Promise<number> {
    const spentMs = this.#options.quota.spentMs(this.#scopeOf(workspaceId));
    return spentMs > 0 && (await this.#hasOther(workspaceId)) ? spentMs : 0;
  }

  /** Counts one use: 0, or milliseconds for which others come first. Rejects with `PortError`. */
  async take(workspaceId: string): Promise<number> {
    const { quota } = this.#options;
    const scope = this.#scopeOf(workspaceId);
    const spentMs = quota.spentMs(scope) > 0 ? 0 : await quota.take(scope, this.#windows);
    return spentMs > 0 && (await this.#hasOther(workspaceId)) ? spentMs : 0;
  }

  async #hasOther(workspaceId: string): Promise<boolean> {
    const isOther = (asker: Asker) => asker.workspaceId !== workspaceId && this.#isWithin(asker.at, this.#lastsMs);
    if (this.#askers.some(isOther)) return true;
    // It may have asked another process.
    this.#askers = await readAskers(this.#options.store, this.#scope);
    return this.#askers.some(isOther);
  }

  /** An instant of a clock that led, and was put back, says nothing. */
  #isWithin(at: number, ms: number): boolean {
    return Math.abs(this.#options.clock.now() - at) < ms;
  }

  get #scope(): string {
    return `${this.#options.network} app`;
  }

  #scopeOf(workspaceId: string): string {
    return `${this.#scope} of ${workspaceId}`;
  }
}
