import type { Clock } from '#ports/clock.ts';

/** A request of an app that a person has not decided about yet. */
export interface OpenInteraction {
  readonly id: string;
  readonly clientId: string;
  /** Who asked, by their address; null: nobody knows. */
  readonly caller: string | null;
}

export interface OpenInteractionsOptions {
  /** Has the request be as if it was never made; harmless for one that was answered. Rejects with `PortError`. */
  readonly forget: (id: string) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
}

/** As long as the authorization server keeps one. */
export const INTERACTION_MS = 3_600_000;
/** A person has a few; an office behind one address some dozens in an hour. */
const MAX_OF_CALLER = 50;
/**
 * Far more than one caller may have: an app that many people connect must not lose theirs because somebody begins
 * requests in its name.
 */
const MAX_OF_CLIENT = 2_000;
/** Bounds what this process remembers, whoever asks. */
const MAX_OF_ALL = 20_000;

/**
 * How many requests may be open at once that this process took: whoever begins more has the oldest of their own
 * forgotten. Anybody may begin them, without a credential, and each is a row for an hour. What another process took
 * counts there.
 */
export class OpenInteractions {
  readonly #options: OpenInteractionsOptions;
  /** In the order in which they began. */
  readonly #open = new Map<string, OpenInteraction & { readonly begunAt: number }>();
  /** By caller and by client: ids in the order in which they began. */
  readonly #ofHolder = new Map<string, Set<string>>();

  constructor(options: OpenInteractionsOptions) {
    this.#options = options;
  }

  /** Rejects with `PortError`. */
  async begun(interaction: OpenInteraction): Promise<void> {
    const now = this.#options.clock.now();
    for (const [id, { begunAt }] of this.#open) {
      if (now - begunAt < INTERACTION_MS) break;
      this.ended(id);
    }
    this.#open.set(interaction.id, { ...interaction, begunAt: now });
    const beyond: string[] = [];
    for (const [holder, most] of holdersOf(interaction)) {
      const ids = this.#ofHolder.get(holder) ?? new Set();
      this.#ofHolder.set(holder, ids.add(interaction.id));
      if (ids.size > most) beyond.push(first(ids));
    }
    if (this.#open.size > MAX_OF_ALL) beyond.push(first(this.#open.keys()));
    for (const id of beyond) this.ended(id);
    for (const id of new Set(beyond)) await this.#options.forget(id);
  }

  /** It was decided about, or is over: it counts no more. */
  ended(id: string): void {
    const interaction = this.#open.get(id);
    if (interaction === undefined) return;
    this.#open.delete(id);
    for (const [holder] of holdersOf(interaction)) {
      const ids = this.#ofHolder.get(holder)!;
      ids.delete(id);
      if (ids.size === 0) this.#ofHolder.delete(holder);
    }
  }

  /** How many are open. */
  get size(): number {
    return this.#open.size;
  }
}

function holdersOf({ caller, clientId }: OpenInteraction): readonly (readonly [holder: string, most: number])[] {
  const ofClient = [`client ${clientId}`, MAX_OF_CLIENT] as const;
  return caller === null ? [ofClient] : [[`caller ${caller}`, MAX_OF_CALLER], ofClient];
}

function first(ids: Iterable<string>): string {
  const [id] = ids;
  return id!;
}
