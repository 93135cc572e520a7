import type { Asset } from '#domain/media/asset.ts';
import type { Post } from '#domain/post/post.ts';
import type { Decision } from '#domain/workspace/decision.ts';
import type { Loads, LoadedView } from '#domain/workspace/loads.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readAsset } from '#tables/repositories/assets.ts';
import { claimTokenHash } from '#tables/repositories/credentials.ts';
import { directory } from '#tables/repositories/post-list.ts';
import { readPostDigest, type PostDigest } from '#tables/repositories/post-digests.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { POSTS_BY_DUE_WEEK } from '#tables/declarations/tables.ts';
import { readIdempotencyKey, type IdempotencyKey } from '#tables/repositories/workspaces.ts';
import type { PostCache } from './post-cache.ts';

/** What the commands of one turn see, kept as the turn goes: a command sees what those before it did. */
export class TurnView {
  readonly posts = new Map<string, Post | null>();
  readonly assets = new Map<string, Asset | null>();
  readonly digests = new Map<string, PostDigest | null>();
  readonly idempotencyKeys = new Map<string, IdempotencyKey | null>();
  readonly tokenOwners = new Map<string, string>();
  readonly #store: TableStore;
  readonly #workspaceId: string;
  readonly #cache: PostCache;
  readonly #load: object;

  constructor(store: TableStore, workspaceId: string, cache: PostCache, load: object) {
    this.#store = store;
    this.#workspaceId = workspaceId;
    this.#cache = cache;
    this.#load = load;
  }

  /** Loads what commands need, all at once. Rejects with `PortError`. */
  async loadAll(needs: readonly Loads[]): Promise<void> {
    const posts = new Set(needs.flatMap((need) => need.posts));
    const assets = new Set(needs.flatMap((need) => need.assets));
    const digests = new Set(needs.flatMap((need) => need.digest ?? []));
    const keys = new Set(needs.flatMap((need) => need.idempotencyKey ?? []));
    await allEnded([
      ...[...posts].map((id) => this.#loadPost(id)),
      ...[...assets].map((id) => this.#loadAsset(id)),
      ...[...digests].map((digest) => this.#loadDigest(digest)),
      ...[...keys].map((key) => this.#loadIdempotencyKey(key)),
    ]);
  }

  /**
   * The view of one command. A week is read for it alone: it depends on what the turn did so far. So is the owner of a
   * key's value: by asking it becomes this Workspace's, which therefore has to be there; before the head says that
   * there is the key, so that no two heads ever do.
   */
  async of(need: Loads): Promise<LoadedView> {
    const { posts, assets, digests, idempotencyKeys, tokenOwners } = this;
    if (need.tokenHash !== null)
      tokenOwners.set(need.tokenHash, await claimTokenHash(this.#store, need.tokenHash, this.#workspaceId));
    return {
      posts,
      assets,
      digests,
      idempotencyKeys,
      tokenOwners,
      dueWeek: need.dueWeek === null ? null : await this.#dueWeek(need.dueWeek),
    };
  }

  /** Takes over what a command did. */
  apply(decision: Pick<Decision, 'posts' | 'effects'>): void {
    for (const post of decision.posts) this.posts.set(post.id, post);
    for (const effect of decision.effects) {
      if (effect.kind === 'post-created')
        this.digests.set(effect.post.digest, { postId: effect.post.id, createdAt: effect.post.createdAt });
      else if (effect.kind === 'asset-changed') this.assets.set(effect.asset.id, effect.asset);
      else if (effect.kind === 'idempotency-key')
        this.idempotencyKeys.set(effect.key, {
          postId: effect.postId,
          digest: effect.digest,
          createdAt: effect.createdAt,
        });
    }
  }

  /** What the turn did is the truth now. */
  remember(touched: Iterable<string>): void {
    for (const id of touched) {
      const post = this.posts.get(id);
      if (post != null) this.#cache.set(this.#load, post);
    }
  }

  async #loadPost(postId: string): Promise<void> {
    if (this.posts.has(postId)) return;
    const cached = this.#cache.get(this.#load, postId);
    const post = cached ?? (await readPost(this.#store, this.#workspaceId, postId));
    if (post !== null && cached === null) this.#cache.set(this.#load, post);
    this.posts.set(postId, post);
  }

  async #loadAsset(assetId: string): Promise<void> {
    if (!this.assets.has(assetId)) this.assets.set(assetId, await readAsset(this.#store, this.#workspaceId, assetId));
  }

  async #loadDigest(digest: string): Promise<void> {
    if (this.digests.has(digest)) return;
    const known = await readPostDigest(this.#store, this.#workspaceId, digest);
    this.digests.set(digest, known);
    if (known !== null) await this.#loadPost(known.postId);
  }

  async #loadIdempotencyKey(key: string): Promise<void> {
    if (this.idempotencyKeys.has(key)) return;
    const known = await readIdempotencyKey(this.#store, this.#workspaceId, key);
    this.idempotencyKeys.set(key, known);
    if (known !== null) await this.#loadPost(known.postId);
  }

  async #dueWeek(need: NonNullable<Loads['dueWeek']>): Promise<NonNullable<LoadedView['dueWeek']>> {
    const rows = await this.#store.slice(POSTS_BY_DUE_WEEK, [this.#workspaceId, need.week], {
      limit: need.limit,
      ...(need.afterPostId === null ? {} : { after: [need.afterPostId, Number.MAX_SAFE_INTEGER] }),
    });
    const postIds = rows.map((row) => row.clustering[0] as string);
    const weeks = await directory(this.#store, this.#workspaceId, 'due', need.week + 1);
    await allEnded(postIds.map((id) => this.#loadPost(id)));
    return { postIds, ended: rows.length < need.limit, weeks };
  }
}

/**
 * Rejects as one of them did, but not before all have ended: a read left behind would put what it finds into the cache
 * over what the next turn made of it.
 */
async function allEnded(loading: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(loading)).find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
