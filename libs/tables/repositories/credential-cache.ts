import { createBoundedMap, type BoundedMap } from '#concurrency/bounded-map.ts';
import type { Clock } from '#ports/clock.ts';
import type { StoredCredential } from './credentials.ts';

export interface CredentialCacheOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly find: (tokenHash: string) => Promise<StoredCredential | null>;
  /** How long an answer may be given again, from when its read began. A revoked key reads nothing after this. */
  readonly lifeMs?: number;
  /** Of known keys, and as many again of unknown ones. */
  readonly capacity?: number;
}

interface Entry {
  readonly answer: Promise<StoredCredential | null>;
  readonly endsAt: number;
}

// Below the promised 5 s, so that a request that is let in at the last moment is over by then as well.
const LIFE_MS = 4_000;
const CAPACITY = 10_000;

/**
 * Remembers for a few seconds whom a key stands for. Requests that come together share one read. Unknown keys have a
 * map of their own, so that guessing at keys can not push the known ones out. A failed read is not remembered.
 */
export class CredentialCache {
  readonly #options: Required<CredentialCacheOptions>;
  readonly #known: BoundedMap<string, Entry>;
  readonly #unknown: BoundedMap<string, Entry>;

  constructor(options: CredentialCacheOptions) {
    this.#options = { lifeMs: LIFE_MS, capacity: CAPACITY, ...options };
    this.#known = createBoundedMap(this.#options.capacity);
    this.#unknown = createBoundedMap(this.#options.capacity);
  }

  /** As `findCredential`, at most `lifeMs` old. */
  find(tokenHash: string): Promise<StoredCredential | null> {
    const now = this.#options.clock.monotonic();
    const held = this.#known.get(tokenHash) ?? this.#unknown.get(tokenHash);
    if (held !== undefined && held.endsAt > now) return held.answer;
    return this.#read(tokenHash, now);
  }

  #read(tokenHash: string, now: number): Promise<StoredCredential | null> {
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
