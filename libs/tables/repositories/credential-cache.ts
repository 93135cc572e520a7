import { createBoundedMap, type BoundedMap } from '#concurrency/bounded-map.ts';
import type { Clock } from '#ports/clock.ts';

export interface CredentialCacheOptions<T> {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly find: (tokenHash: string) => Promise<T | null>;
  /** How long an answer may be given again, from when its read began. A revoked key reads nothing after this. */
  readonly lifeMs?: number;
  /** Of known keys, and as many again of unknown ones. */
  readonly capacity?: number;
}

interface Entry<T> {
  readonly answer: Promise<T | null>;
  readonly endsAt: number;
}

// Below the promised 5 s, so that a request that is let in at the last moment is over by then as well.
const LIFE_MS = 4_000;
const CAPACITY = 10_000;

/**
 * Remembers for a few seconds whom a key or a token stands for. Requests that come together share one read. Unknown
 * ones have a map of their own, so that guessing at keys can not push the known ones out. A failed read is not
 * remembered.
 */
export class CredentialCache<T> {
  readonly #options: Required<CredentialCacheOptions<T>>;
  readonly #known: BoundedMap<string, Entry<T>>;
  readonly #unknown: BoundedMap<string, Entry<T>>;

  constructor(options: CredentialCacheOptions<T>) {
    this.#options = { lifeMs: LIFE_MS, capacity: CAPACITY, ...options };
    this.#known = createBoundedMap(this.#options.capacity);
    this.#unknown = createBoundedMap(this.#options.capacity);
  }

  /** As `find` of the options, at most `lifeMs` old. */
  find(tokenHash: string): Promise<T | null> {
    const now = this.#options.clock.monotonic();
    const held = this.#known.get(tokenHash) ?? this.#unknown.get(tokenHash);
    if (held !== undefined && held.endsAt > now) return held.answer;
    return this.#read(tokenHash, now);
  }

  #read(tokenHash: string, now: number): Promise<T | null> {
    const answer = this.#options.find(tokenHash);
    const entry = { answer, endsAt: now + this.#options.lifeMs };
    this.#known.delete(tokenHash);
    // Unknown until the read says otherwise.
    this.#unknown.set(tokenHash, entry);
    answer.then(
      (credential) => {
        if (credential === null || this.#unknown.get(tokenHash) !== entry) return;
        this.#unknown.delete(tokenHash);
        this.#known.set(tokenHash, entry);
      },
      () => {
        if (this.#unknown.get(tokenHash) === entry) this.#unknown.delete(tokenHash);
      },
    );
    return answer;
  }
}
