import type { Asset } from '#domain/media/asset.ts';
import { assetsOfPost } from '#domain/post/covers.ts';
import { hasEnded, type Post } from '#domain/post/post.ts';
import type { Decision } from '#domain/workspace/decision.ts';
import type { Loads, LoadedView } from '#domain/workspace/loads.ts';
import type { Row } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { readAsset } from '#tables/repositories/assets.ts';
import { claimTokenHash } from '#tables/repositories/credentials.ts';
import { listPeriods, type ListedPeriod } from '#tables/repositories/post-days.ts';
import { readPostDigest, type PostDigest } from '#tables/repositories/post-digests.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { bucketNumber, bucketOf } from '#tables/buckets.ts';
import { POSTS_BY_DUE_WEEK } from '#tables/declarations/tables.ts';
import { readIdempotencyKey, type IdempotencyKey } from '#tables/repositories/workspaces.ts';
import type { PostCache } from './post-cache.ts';
import type { Load, RecentDigests } from './recent-digests.ts';

export interface TurnViewOptions {
  readonly workspaceId: string;
  readonly store: TableStore;
  readonly posts: PostCache;
  readonly digests: RecentDigests;
  /** Of the head, under which Posts are cached. */
  readonly load: Load;
  /** Posts from before this do not count for the 10-minute rule, monotonic ms. */
  readonly digestsSince: number;
}

/** What the commands of one turn see: rows as they were read, and what the commands before them changed. */
export class TurnView {
  readonly posts = new Map<string, Post | null>();
  readonly assets = new Map<string, Asset | null>();
  readonly digests = new Map<string, PostDigest | null>();
  readonly idempotencyKeys = new Map<string, IdempotencyKey | null>();
  readonly tokenOwners = new Map<string, string>();
  readonly #store: TableStore;
  readonly #workspaceId: string;
  readonly #cache: PostCache;
  readonly #recent: RecentDigests;
  readonly #load: Load;
  readonly #digestsSince: number;
  readonly #read: Post[] = [];
  /** Digests of the Posts that the turn makes. */
  readonly #made = new Map<string, PostDigest>();

  constructor({ store, workspaceId, posts, digests, load, digestsSince }: TurnViewOptions) {
    this.#store = store;
    this.#workspaceId = workspaceId;
    this.#cache = posts;
    this.#recent = digests;
    this.#load = load;
    this.#digestsSince = digestsSince;
  }

  /** Loads what commands name, all at once. Rejects with `PortError`. */
  async loadAll(loads: readonly Loads[]): Promise<void> {
    const posts = new Set(loads.flatMap((each) => each.posts));
    const assets = new Set(loads.flatMap((each) => each.assets));
    const filesOf = new Set(loads.flatMap((each) => each.filesOf));
    const digests = new Set(loads.flatMap((each) => each.digest ?? []));
    const keys = new Set(loads.flatMap((each) => each.idempotencyKey ?? []));
    await Promise.all([
      ...[...posts].map((id) => this.#loadPost(id)),
      ...[...assets].map((id) => this.#loadAsset(id)),
      ...[...digests].map((digest) => this.#loadDigest(digest)),
      ...[...keys].map((key) => this.#loadIdempotencyKey(key)),
    ]);
    const files = [...filesOf].flatMap((id) => {
      const post = this.posts.get(id) ?? null;
      return post === null ? [] : assetsOfPost(post);
    });
    await Promise.all([...new Set(files)].map((id) => this.#loadAsset(id)));
  }

  /**
   * The view of one command. A week is read for it alone, as it depends on what the turn did so far. So is the owner of
   * a key's value: the read claims the value for this Workspace, which therefore must exist, and it does so before the
   * head has the key, so that no two Workspaces have the same.
   */
  async of(loads: Loads): Promise<LoadedView> {
    const { posts, assets, digests, idempotencyKeys, tokenOwners } = this;
    if (loads.tokenHash !== null)
      tokenOwners.set(loads.tokenHash, await claimTokenHash(this.#store, loads.tokenHash, this.#workspaceId));
    return {
      posts,
      assets,
      digests,
      idempotencyKeys,
      tokenOwners,
      dueWeek: loads.dueWeek === null ? null : await this.#dueWeek(loads.dueWeek),
    };
  }

  /** Shows the commands after this one what it changed. */
  apply(decision: Pick<Decision, 'posts' | 'effects'>): void {
    for (const post of decision.posts) this.posts.set(post.id, post);
    for (const effect of decision.effects) {
      if (effect.kind === 'post-created') this.#make(effect.post);
      else if (effect.kind === 'post-removed') this.posts.set(effect.post.id, null);
      else if (effect.kind === 'asset-changed') this.assets.set(effect.asset.id, effect.asset);
      else if (effect.kind === 'idempotency-key')
        this.idempotencyKeys.set(effect.key, {
          postId: effect.postId,
          digest: effect.digest,
          createdAt: effect.createdAt,
        });
    }
  }

  /**
   * Caches the Posts that were read and that the turn does not change. Called by the turn at its end, and not by each
   * read: the read of a turn that failed may end after the next turn changed its Post, and would put the old one over
   * the new one.
   */
  rememberRead(changedPostIds: ReadonlySet<string>): void {
    for (const post of this.#read.splice(0)) if (!changedPostIds.has(post.id)) this.#cache.set(this.#load, post);
  }

  /**
   * Caches what the turn made and changed, once the turn is committed; `at`: when, monotonic ms. A Post that has ended
   * is hardly read again: it would take the room of one that is due at the same instant and has its turn later.
   */
  remember(changedPostIds: Iterable<string>, at: number): void {
    for (const [digest, made] of this.#made)
      this.#recent.add(this.#workspaceId, digest, { ...made, load: this.#load, at });
    for (const id of changedPostIds) {
      const post = this.posts.get(id);
      if (post != null && !hasEnded(post)) this.#cache.set(this.#load, post);
      else this.#cache.delete(id);
    }
  }

  #make({ id, digest, createdAt }: Post): void {
    const made = { postId: id, createdAt };
    this.digests.set(digest, made);
    this.#made.set(digest, made);
  }

  async #loadPost(postId: string): Promise<void> {
    if (this.posts.has(postId)) return;
    const cached = this.#cache.get(this.#load, postId);
    const post = cached ?? (await readPost(this.#store, this.#workspaceId, postId));
    if (post !== null && cached === null) this.#read.push(post);
    this.posts.set(postId, post);
  }

  async #loadAsset(assetId: string): Promise<void> {
    if (!this.assets.has(assetId)) this.assets.set(assetId, await readAsset(this.#store, this.#workspaceId, assetId));
  }

  async #loadDigest(digest: string): Promise<void> {
    if (this.digests.has(digest)) return;
    const about = { load: this.#load, since: this.#digestsSince };
    const recent = this.#recent.find(this.#workspaceId, digest, about);
    const known = recent === undefined ? await readPostDigest(this.#store, this.#workspaceId, digest) : recent;
    this.digests.set(digest, known);
    if (known !== null) await this.#loadPost(known.postId);
  }

  async #loadIdempotencyKey(key: string): Promise<void> {
    if (this.idempotencyKeys.has(key)) return;
    const known = await readIdempotencyKey(this.#store, this.#workspaceId, key);
    this.idempotencyKeys.set(key, known);
    if (known !== null) await this.#loadPost(known.postId);
  }

  async #dueWeek(wanted: NonNullable<Loads['dueWeek']>): Promise<NonNullable<LoadedView['dueWeek']>> {
    const [of, ...later] = await this.#weeksFrom(wanted.week);
    const rows: Row[] = [];
    const last = wanted.afterPostId === null ? of.ends.length : bucketOf(of.ends, wanted.afterPostId);
    for (let bucket = last; bucket >= 0 && rows.length < wanted.limit; bucket--)
      rows.push(
        ...(await this.#store.slice(POSTS_BY_DUE_WEEK, [this.#workspaceId, bucketNumber(wanted.week, bucket)], {
          limit: wanted.limit - rows.length,
          ...(wanted.afterPostId === null ? {} : { after: [wanted.afterPostId, Number.MAX_SAFE_INTEGER] }),
        })),
      );
    const postIds = rows.map((row) => row.clustering[0] as string);
    await Promise.all(postIds.map((id) => this.#loadPost(id)));
    return { postIds, ended: rows.length < wanted.limit, weeks: later.map(({ number }) => number) };
  }

  /** This week, whether or not something is due in it, and those after it in which something is. */
  async #weeksFrom(week: number): Promise<readonly [ListedPeriod, ...ListedPeriod[]]> {
    const weeks = await listPeriods(this.#store, this.#workspaceId, 'due', { from: week });
    const [first, ...later] = weeks;
    return first?.number === week ? [first, ...later] : [{ number: week, ends: [] }, ...weeks];
  }
}
