import type { Codec, DeadLetter } from '#messages/messages.ts';
import type { Ids } from '#ports/ids.ts';
import type { Log, StoredRecord, Subscription, TopicPartition } from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Service } from '#runtime/service.ts';
import { DEAD_LETTERS } from '#tables/declarations/topics.ts';

/** A dead letter, and its position in the topic of dead letters. */
export interface DeadLetterEntry extends DeadLetter {
  /** `<partition>-<offset>` in the topic of dead letters. */
  readonly id: string;
}

export interface DeadLetters {
  /**
   * Newest first. `all`: every partition of the topic is assigned to this reader; older letters may still be unread.
   */
  list(limit: number): { readonly letters: readonly DeadLetterEntry[]; readonly all: boolean };
  find(id: string): DeadLetterEntry | null;
}

export interface DeadLetterReaderOptions {
  readonly log: Log;
  readonly codec: Codec;
  readonly ids: Ids;
  readonly reporter: Reporter;
}

const MAX_LETTERS = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Keeps the newest dead letters in memory. It reads the topic from its start under a group of its own and acknowledges
 * nothing, so every process that runs admin sees all of them after every start. new -> reading -> stopped.
 */
export class DeadLetterReader implements Service, DeadLetters {
  readonly name = 'admin';
  readonly #options: DeadLetterReaderOptions;
  readonly #letters = new Map<string, DeadLetterEntry>();
  readonly #assigned = new Set<number>();
  #bytes = 0;
  #mode: 'new' | 'reading' | 'stopped' = 'new';
  #subscription: Subscription | null = null;
  #decoding: Promise<void> = Promise.resolve();

  constructor(options: DeadLetterReaderOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#mode !== 'new') throw new Error('the dead letters are being read already');
    this.#mode = 'reading';
    this.#subscription = await this.#options.log.subscribe({
      // Two processes that shared a group would each read half of the letters.
      group: `admin-dead-letters-${this.#options.ids.token(9)}`,
      topics: [DEAD_LETTERS.name],
      onAssigned: (partitions) => partitions.forEach(({ partition }) => this.#assigned.add(partition)),
      onRecords: (source, records) => this.#take(source, records),
    });
  }

  drain(): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    this.#mode = 'stopped';
    await this.#subscription?.close();
  }

  trouble(): string | null {
    return null;
  }

  list(limit: number): { readonly letters: readonly DeadLetterEntry[]; readonly all: boolean } {
    const newestFirst = [...this.#letters.values()].toSorted((a, b) => b.at - a.at);
    return { letters: newestFirst.slice(0, limit), all: this.#assigned.size === DEAD_LETTERS.partitions };
  }

  find(id: string): DeadLetterEntry | null {
    return this.#letters.get(id) ?? null;
  }

  #take(source: TopicPartition, records: readonly StoredRecord[]): void {
    this.#decoding = this.#decoding.then(async () => {
      for (const record of records) {
        await this.#keep(source, record).catch((error: unknown) =>
          this.#options.reporter.failure('dead-letter-read-failed', error, { offset: record.offset }),
        );
      }
    });
  }

  async #keep({ partition }: TopicPartition, { offset, value }: StoredRecord): Promise<void> {
    if (this.#mode !== 'reading') return;
    const decoded = await this.#options.codec.decode(value);
    if (!decoded.ok || decoded.message.type !== 'DeadLetter') {
      return this.#options.reporter.report('dead-letter-unreadable', {
        partition,
        offset,
        detail: decoded.ok ? decoded.message.type : decoded.detail,
      });
    }
    const id = `${partition}-${offset}`;
    if (this.#letters.has(id)) return;
    // A copy: decoded bytes are a view of the whole batch, which would stay in memory.
    this.#letters.set(id, { ...decoded.message, value: decoded.message.value.slice(), id });
    this.#bytes += decoded.message.value.length;
    while (this.#letters.size > 1 && (this.#letters.size > MAX_LETTERS || this.#bytes > MAX_BYTES))
      this.#forgetOldest();
  }

  #forgetOldest(): void {
    let oldest: DeadLetterEntry | null = null;
    for (const letter of this.#letters.values()) if (oldest === null || letter.at < oldest.at) oldest = letter;
    if (oldest === null) return;
    this.#letters.delete(oldest.id);
    this.#bytes -= oldest.value.length;
  }
}
