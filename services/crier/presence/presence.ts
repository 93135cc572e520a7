import { retryWhileUnavailable } from '#concurrency/retry.ts';
import type { Cancel, Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Service } from '#runtime/service.ts';
import { RELEASE, type Release, type WrittenFormat } from '#tables/release.ts';
import {
  listProcesses,
  removeProcess,
  RENEW_MS,
  UNSEEN_MS,
  versionOfProcess,
  writeProcess,
  type ProcessRow,
} from '#tables/repositories/processes.ts';
import {
  checkFormat,
  readStoredFormat,
  writeStoredFormat,
  type StoredFormat,
} from '#tables/repositories/written-formats.ts';
import { formatStep, type FormatStep } from './format-step.ts';

export interface PresenceOptions {
  readonly store: TableStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly writtenFormat: WrittenFormat;
  readonly process: Pick<ProcessRow, 'instance' | 'roles' | 'version'>;
  /** A lock proves that no other process works on the data, so none has to be waited for. */
  readonly hasSoleProcess: boolean;
  /**
   * Called once, with a sentence for the operator: the data is of a release that this one can not read. The process is
   * to end.
   */
  readonly onUnreadable: (error: PortError) => void;
  readonly release?: Release;
}

/** The installation as one process sees it. */
export interface ClusterView {
  readonly processes: readonly ProcessRow[];
  readonly stored: StoredFormat;
  readonly step: FormatStep;
}

/**
 * All processes have been seen to read a format for this long before it is written. One that was there before the first
 * look, and was not seen in it, has renewed its row by then, or has ended, or ends when it looks.
 */
export const STEADY_MS = UNSEEN_MS + 2 * RENEW_MS;

/**
 * The presence of one process in its installation: it keeps the process's row, and with it the agreement on the format
 * that is written. A process tells what it reads before it does anything else; looks at the format every ten seconds;
 * and raises or lowers it by one compare-and-set, whichever process is the first to find that it should be.
 *
 * Where a lock proves that there is no other process, it looks once, and writes no row.
 *
 * Modes: new -> present (from the first look on) -> gone (its row is removed; nothing is written any more). When the
 * format becomes one that this release can not read, it says so once and looks no more.
 */
export class Presence implements Service {
  readonly name = 'presence';
  readonly #options: PresenceOptions;
  readonly #release: Release;
  readonly #ending = new AbortController();
  readonly #startedAt: number;
  #version: number | null = null;
  #cancel: Cancel = () => {};
  #looking: Promise<unknown> = Promise.resolve();
  /** Since when every look found the same format to raise to. */
  #steady: { readonly to: number; readonly since: number } | null = null;
  #stored: StoredFormat = { format: 0, release: null, version: null };
  #trouble: string | null = null;

  constructor(options: PresenceOptions) {
    this.#options = options;
    this.#release = options.release ?? RELEASE;
    this.#startedAt = options.clock.now();
  }

  async start(): Promise<void> {
    const { clock, reporter } = this.#options;
    await retryWhileUnavailable(() => this.#look(), {
      clock,
      report: (error) => reporter.failure('engine-unavailable', error),
      signal: this.#ending.signal,
    }).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) throw error;
    });
    this.#lookLater();
  }

  /** The format that the installation writes, as last read; 0 before. */
  get storedFormat(): number {
    return this.#stored.format;
  }

  /** Rejects with `PortError`. */
  async view(): Promise<ClusterView> {
    const { store, hasSoleProcess } = this.#options;
    const [processes, stored] = await Promise.all([
      hasSoleProcess ? [this.#ownRow()] : listProcesses(store),
      readStoredFormat(store),
    ]);
    return { processes, stored, step: formatStep(stored.format, processes) };
  }

  /**
   * By order of an operator: writes the newest format that every process reads, also where the release before can not
   * read it. Returns the format; rejects with `PortError` `refused`, and why, when it can not be raised now.
   */
  async raise(): Promise<number> {
    const view = await this.#look();
    if (view.step.kind !== 'raise')
      throw new PortError('refused', `format ${view.stored.format} stays: ${view.step.why}`);
    const waitMs = this.#waitMs(view.step.to);
    if (waitMs > 0)
      throw new PortError(
        'refused',
        `all processes have to be seen for ${Math.ceil(waitMs / 1000)} s more: call it again`,
      );
    if (!(await this.#write(view.stored, view.step.to)))
      throw new PortError('unavailable', 'another process changed the format at this moment: look at cluster.status');
    return view.step.to;
  }

  trouble(): string | null {
    return this.#trouble;
  }

  /** Last of all services: until they have drained, this process still reads and writes. */
  async drain(): Promise<void> {
    await this.#end();
    const { store, ids, process } = this.#options;
    const version = this.#version;
    this.#version = null;
    if (version !== null) await removeProcess(store, process.instance, { version, token: ids.token() });
  }

  stop(): Promise<void> {
    return this.#end();
  }

  async #end(): Promise<void> {
    this.#ending.abort();
    this.#cancel();
    await this.#looking;
  }

  #lookLater(): void {
    if (this.#ending.signal.aborted || this.#options.hasSoleProcess) return;
    this.#cancel = this.#options.clock.after(RENEW_MS, () => {
      this.#looking = this.#lookAgain();
    });
  }

  async #lookAgain(): Promise<void> {
    const { reporter, onUnreadable } = this.#options;
    try {
      await this.#look();
      this.#trouble = null;
    } catch (error) {
      if (error instanceof PortError && error.kind === 'refused') {
        this.#trouble = error.message;
        return onUnreadable(error);
      }
      reporter.failure('presence-failed', error);
    }
    this.#lookLater();
  }

  /** The row first: who raises the format afterwards has seen it. */
  async #look(): Promise<ClusterView> {
    await this.#renew();
    const view = await this.view();
    this.#learn(view.stored);
    checkFormat(view.stored, this.#release);
    const { step, stored } = view;
    if (step.kind === 'lower') await this.#write(stored, step.to);
    if (step.kind !== 'raise') this.#steady = null;
    else if (this.#waitMs(step.to) === 0 && !step.needsOperator) await this.#write(stored, step.to);
    return view;
  }

  #waitMs(to: number): number {
    const now = this.#options.clock.monotonic();
    if (this.#steady?.to !== to) this.#steady = { to, since: now };
    return this.#options.hasSoleProcess ? 0 : Math.max(0, this.#steady.since + STEADY_MS - now);
  }

  async #write(over: StoredFormat, format: number): Promise<boolean> {
    const { store, ids, reporter, process } = this.#options;
    const release = process.version;
    if (!(await writeStoredFormat(store, over, { format, release, token: ids.token() }))) return false;
    reporter.report('format-changed', { from: over.format, to: format });
    this.#learn({ format, release, version: null });
    this.#steady = null;
    return true;
  }

  #learn(stored: StoredFormat): void {
    this.#stored = stored;
    this.#options.writtenFormat.learn(stored.format);
  }

  #ownRow(): ProcessRow {
    const { process, clock } = this.#options;
    return { ...process, format: this.#release.format, startedAt: this.#startedAt, seenAt: clock.now() };
  }

  async #renew(): Promise<void> {
    const { store, ids, process, hasSoleProcess } = this.#options;
    if (hasSoleProcess) return;
    const write = (version: number | null) => writeProcess(store, this.#ownRow(), { version, token: ids.token() });
    this.#version = await write(this.#version);
    // It expired while the process was paused or the store was away, or its last write had an unknown end.
    if (this.#version === null) this.#version = await write(await versionOfProcess(store, process.instance));
  }
}
