import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { PostDigest } from '#tables/repositories/post-digests.ts';

/** An actor's load of a head, and the turns committed since. */
export interface Load {
  /**
   * Every Post that was made since is among the recent digests, in monotonic ms; of those before only the table knows.
   */
  digestsFrom: number;
}

interface Entry extends PostDigest {
  readonly load: Load;
  /** When its turn was committed, monotonic ms. */
  readonly at: number;
}

interface Asked {
  readonly load: Load;
  /** Posts from before this do not count, monotonic ms. */
  readonly since: number;
}

/**
 * Digests of Posts that actors of this process made lately, for the 10-minute rule: of a head that was loaded long
 * enough ago, a digest that is not among them belongs to no Post that still counts, and the table need not be asked.
 * Bounded, for all Workspaces together.
 */
export class RecentDigests {
  readonly #entries;

  constructor(maxEntries: number) {
    this.#entries = createBoundedMap<string, Entry>(maxEntries, {
      onRemoved: ({ load, at }) => void (load.digestsFrom = Math.max(load.digestsFrom, at)),
    });
  }

  /** Null: no Post that counts has it. Undefined: only the table knows. */
  find(workspaceId: string, digest: string, { load, since }: Asked): PostDigest | null | undefined {
    const entry = this.#entries.get(keyOf(workspaceId, digest));
    if (entry?.load === load) return { postId: entry.postId, createdAt: entry.createdAt };
    return load.digestsFrom < since ? null : undefined;
  }

  /** Of a turn that is committed. */
  add(workspaceId: string, digest: string, entry: Entry): void {
    this.#entries.set(keyOf(workspaceId, digest), entry);
  }
}

const keyOf = (workspaceId: string, digest: string): string => `${workspaceId} ${digest}`;
