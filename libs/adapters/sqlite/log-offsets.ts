import type { Cancel, Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { GroupCommit } from './group-commit.ts';
import type { GroupOffset, LogRecords, PartitionSource } from './log-records.ts';

/** Acknowledgements become durable within this time; losing the last of them only repeats records. */
const WRITE_EVERY_MS = 100;

/**
 * The offset of each group, updated in memory at once and on the disk soon after.
 *
 * Modes: clean -> (commit) dirty, a write is armed -> (timer) writing -> clean, or dirty again when more came meanwhile
 * or the disk refused: offsets that could not be written are tried again until they are.
 */
export class LogOffsets {
  readonly #records: LogRecords;
  readonly #commits: GroupCommit;
  readonly #clock: Clock;
  readonly #reporter: Reporter | undefined;
  readonly #offsets = new Map<string, Map<number, GroupOffset>>();
  readonly #dirty = new Set<GroupOffset>();
  #armed: Cancel | null = null;

  constructor(records: LogRecords, commits: GroupCommit, clock: Clock, reporter: Reporter | undefined) {
    this.#records = records;
    this.#commits = commits;
    this.#clock = clock;
    this.#reporter = reporter;
    for (const offset of records.groupOffsets()) this.#of(offset.group).set(offset.source, offset);
  }

  /** 0 when the group was never seen. */
  next(group: string, source: PartitionSource): number {
    return this.#offsets.get(group)?.get(source.id)?.next ?? 0;
  }

  commit(group: string, source: PartitionSource, next: number): void {
    const before = this.#of(group).get(source.id);
    if (before) this.#dirty.delete(before);
    const offset = { group, source: source.id, next, written: this.#clock.now() };
    this.#of(group).set(source.id, offset);
    this.#dirty.add(offset);
    this.#armed ??= this.#clock.after(WRITE_EVERY_MS, () => void this.write());
  }

  /** From now on the group's records are kept for it, also before its first acknowledgement. */
  enrol(group: string, sources: readonly PartitionSource[]): void {
    for (const source of sources) this.commit(group, source, this.next(group, source));
  }

  /** The offset that every group seen at or after `since` has acknowledged; null when there is no such group. */
  doneByAll(source: PartitionSource, since: number, present: ReadonlySet<string>): number | null {
    const offsets = [...this.#offsets]
      .map(([group, bySource]) => ({ group, offset: bySource.get(source.id) }))
      .filter(({ group, offset }) => offset !== undefined && (present.has(group) || offset.written >= since))
      .map(({ offset }) => offset?.next ?? 0);
    return offsets.length === 0 ? null : Math.min(...offsets);
  }

  /**
   * Resolves when the acknowledgements made until now are durable, or when the disk refused them (reported, tried again
   * later).
   */
  async write(): Promise<void> {
    this.#armed?.();
    this.#armed = null;
    const writing = [...this.#dirty];
    if (writing.length === 0) return;
    this.#dirty.clear();
    try {
      await this.#commits.enqueue(() => writing.forEach((offset) => this.#records.writeGroupOffset(offset)));
    } catch (error) {
      for (const offset of writing) {
        if (this.#of(offset.group).get(offset.source) === offset) this.#dirty.add(offset);
      }
      this.#reporter?.failure('log-offsets-write-failed', error);
      this.#armed ??= this.#clock.after(WRITE_EVERY_MS * 10, () => void this.write());
    }
  }

  /** Makes no further writes. */
  stop(): void {
    this.#armed?.();
    // Never called again: a commit after the end must not arm a timer.
    this.#armed = () => {};
  }

  #of(group: string): Map<number, GroupOffset> {
    const present = this.#offsets.get(group);
    if (present) return present;
    const made = new Map<number, GroupOffset>();
    this.#offsets.set(group, made);
    return made;
  }
}
