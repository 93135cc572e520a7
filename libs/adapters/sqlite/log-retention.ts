import type { Clock } from '#ports/clock.ts';
import { DEFAULT_RETENTION_DAYS, type TopicShape } from '#ports/log-admin.ts';
import type { GroupCommit } from './group-commit.ts';
import type { LogOffsets } from './log-offsets.ts';
import type { LogRecords, PartitionSource } from './log-records.ts';

export interface RetentionOptions {
  /** The newest records of each partition that are always kept, at least 1. */
  readonly keepRecords: number;
  /**
   * How long a partition without groups keeps its records, and how long a group that no longer comes holds them back.
   * Null: as long as the topic says.
   */
  readonly unreadAgeMs: number | null;
  /** The most records of a partition without groups. */
  readonly unreadRecords: number;
}

/** The fewest and the most records that one commit deletes. */
const PIECE_RECORDS = { least: 8, first: 32, most: 128 };
/** For how long one commit may delete: appends wait behind it, and so does the event loop. Records differ in size. */
const PIECE_MS = 4;
const DAY_MS = 86_400_000;

/**
 * Deletes records that no group needs any more, in pieces. Returns the number of records deleted. Rejects as a group
 * commit does.
 */
export async function retain(
  log: {
    readonly records: LogRecords;
    readonly offsets: LogOffsets;
    readonly commits: GroupCommit;
    readonly clock: Clock;
    readonly topics: ReadonlyMap<string, TopicShape>;
  },
  options: RetentionOptions,
  presentGroups: (topic: string) => ReadonlySet<string>,
): Promise<number> {
  let deleted = 0;
  const pieces = new Pieces(log.clock);
  for (const source of log.records.sources) {
    const until = firstNeeded(log, source, options, presentGroups(source.topic));
    if (until <= log.records.oldest(source)) continue;
    for (;;) {
      const piece = pieces.records;
      const went = await log.commits.enqueue(() => pieces.timed(() => log.records.deleteBefore(source, until, piece)));
      deleted += went;
      if (went < piece) break;
    }
  }
  return deleted;
}

/** How many records the next commit deletes, by how long the last one took. */
export class Pieces {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #records = PIECE_RECORDS.first;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get records(): number {
    return this.#records;
  }

  timed<T>(work: () => T): T {
    const { least, most } = PIECE_RECORDS;
    const from = this.#clock.monotonic();
    const result = work();
    const tookMs = this.#clock.monotonic() - from;
    if (tookMs > PIECE_MS) this.#records = Math.max(least, Math.round((this.#records * PIECE_MS) / tookMs));
    else if (tookMs < PIECE_MS / 2) this.#records = Math.min(most, this.#records * 2);
    return result;
  }
}

function firstNeeded(
  { records, offsets, clock, topics }: Pick<Parameters<typeof retain>[0], 'records' | 'offsets' | 'clock' | 'topics'>,
  source: PartitionSource,
  options: RetentionOptions,
  present: ReadonlySet<string>,
): number {
  const tail = records.offsetBehind(source, Math.max(1, options.keepRecords) - 1);
  if (tail === null) return 0;
  const oldest =
    clock.now() - (options.unreadAgeMs ?? (topics.get(source.topic)?.retentionDays ?? DEFAULT_RETENTION_DAYS) * DAY_MS);
  const done = offsets.doneByAll(source, oldest, present);
  if (done !== null) return Math.min(tail, done);
  // Gaps in the offsets make it keep fewer than the limit; counting the rows would cost a scan of them.
  const crowded = source.nextOffset - options.unreadRecords;
  return Math.min(tail, Math.max(crowded, records.offsetSince(source, oldest)));
}
