import type { OffsetsByTopicPartition } from 'kafkajs';
import type { Cancel, Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { reasonOf } from './errors.ts';
import type { PartitionIntake } from './partition-intake.ts';

/** Commits the given offsets as the present member of the group. One try. */
export type CommitOnce = (offsets: OffsetsByTopicPartition) => Promise<void>;

export interface OffsetCommitsOptions {
  /** A prefix of the names of topics. */
  readonly prefix: string;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly reporter: Reporter | undefined;
}

/**
 * Commits acknowledgements to Kafka periodically.
 *
 * Only explicit offsets of partitions that we hold now, each in one try: kafkajs's own retries carry an offset over a
 * rebalance, where it would overwrite what a new owner committed since.
 */
export class OffsetCommits {
  readonly #options: OffsetCommitsOptions;
  readonly #dirty = new Set<PartitionIntake>();
  #commit: CommitOnce | null = null;
  #armed: Cancel | null = null;
  #stopped = false;

  constructor(options: OffsetCommitsOptions) {
    this.#options = options;
  }

  /** Each join replaces the function that commits. */
  through(commit: CommitOnce | null): void {
    this.#commit = commit;
  }

  add(intake: PartitionIntake): void {
    this.#dirty.add(intake);
    this.#arm();
  }

  forget(intake: PartitionIntake): void {
    this.#dirty.delete(intake);
  }

  stop(): void {
    this.#stopped = true;
    this.#armed?.();
  }

  /**
   * Resolves when the acknowledged offsets are committed, or Kafka refused them (they are tried again while the
   * partition is ours).
   */
  async write(): Promise<void> {
    this.#armed?.();
    this.#armed = null;
    const writing = [...this.#dirty].map((intake) => ({ intake, next: intake.acknowledged }));
    if (writing.length === 0 || this.#commit === null) return;
    this.#dirty.clear();
    const byTopic = Map.groupBy(writing, ({ intake }) => intake.source.topic);
    try {
      await this.#commit({
        topics: [...byTopic].map(([topic, entries]) => ({
          topic: this.#options.prefix + topic,
          partitions: entries.flatMap(({ intake, next }) =>
            next === null ? [] : [{ partition: intake.source.partition, offset: String(next) }],
          ),
        })),
      });
    } catch (error) {
      this.#options.reporter?.report('kafka-commit-failed', { detail: reasonOf(error), partitions: writing.length });
      for (const { intake } of writing) if (intake.held) this.#dirty.add(intake);
      this.#arm();
    }
  }

  #arm(): void {
    if (this.#stopped) return;
    this.#armed ??= this.#options.clock.after(this.#options.everyMs, () => {
      this.#armed = null;
      void this.write();
    });
  }
}
