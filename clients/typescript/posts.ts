import type { BulkItem, BulkPost, CreatePostRequest, Post, Verdict } from './api.ts';
import { createInBulk, type BulkCallOptions } from './bulk.ts';
import { isAfterUncertainAttempt, type Transport } from './transport.ts';
import { waitForOutcome, type OutcomeOptions } from './outcome.ts';

export interface CallOptions {
  /** Aborting rejects the call with the signal's reason. What was sent may be carried out all the same. */
  readonly signal?: AbortSignal;
}

export interface CreateOptions extends CallOptions {
  /**
   * A repeat with the same key within 24 hours returns the first Post. Left out: a key of this call alone, so that its
   * own repetitions create one Post.
   */
  readonly idempotencyKey?: string;
}

export interface PostFilter {
  /** Only Posts written, or with a Variant scheduled, in `[from, to)`. */
  readonly from?: string | Date;
  readonly to?: string | Date;
  /** Posts a page, 1 to 500. */
  readonly limit?: number;
}

export interface PostPage {
  readonly posts: readonly Post[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** A Post as this client sends it: instants may be `Date`s. */
export type PostInput<T extends CreatePostRequest = CreatePostRequest> = Omit<T, 'scheduledAt'> & {
  /** Left out: published at once, which needs the permission posts:publish. */
  readonly scheduledAt?: string | Date;
};

/** Operations on Posts. */
export class Posts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a Post, however often the connection is lost meanwhile: once. */
  async create(post: PostInput, { idempotencyKey = crypto.randomUUID(), signal }: CreateOptions = {}): Promise<Post> {
    const { body } = await this.#transport.send<{ data: Post }>('create-post', {
      body: sentPost(post),
      headers: { 'Idempotency-Key': idempotencyKey },
      signal,
    });
    return body.data;
  }

  /**
   * Creates any number of Posts, a hundred a request, each judged by itself: the answer has one item for each, in
   * order. Items that failed in passing are sent again. With `dryRun` nothing is created.
   */
  createBulk(posts: readonly PostInput<BulkPost>[], options: BulkCallOptions = {}): Promise<readonly BulkItem[]> {
    return createInBulk(this.#transport, posts.map(sentPost), options);
  }

  /** What would be said of a Post, without creating it. */
  async validate(post: PostInput, { signal }: CallOptions = {}): Promise<Verdict> {
    const { body } = await this.#transport.send<{ data: Verdict }>('validate-post', { body: sentPost(post), signal });
    return body.data;
  }

  /** Every Post of the filter, newest written first; pages are read as the loop comes to them. */
  async *list(filter: PostFilter = {}, options: CallOptions = {}): AsyncGenerator<Post, void, undefined> {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page: PostPage = await this.page({ ...filter, ...(cursor === undefined ? {} : { cursor }) }, options);
      yield* page.posts;
      cursor = page.nextCursor;
    }
  }

  /** One page, from the beginning or after `cursor`, which a page before gave with the same filter. */
  async page(filter: PostFilter & { readonly cursor?: string } = {}, { signal }: CallOptions = {}): Promise<PostPage> {
    const { from, to, limit, cursor } = filter;
    const { body } = await this.#transport.send<{ data: readonly Post[]; nextCursor: string | null }>('list-posts', {
      query: { from: instant(from), to: instant(to), limit, cursor },
      signal,
    });
    return { posts: body.data, nextCursor: body.nextCursor };
  }

  async get(id: string, { signal }: CallOptions = {}): Promise<Post> {
    const { body } = await this.#transport.send<{ data: Post }>('get-post', { path: { id }, signal });
    return body.data;
  }

  /** Cancels what is still scheduled of a Post, and returns the Post as it is then. */
  async cancel(id: string, { signal }: CallOptions = {}): Promise<Post> {
    try {
      const { body } = await this.#transport.send<{ data: Post }>('cancel-post', { path: { id }, signal });
      return body.data;
    } catch (error) {
      // The answer of the first attempt was lost, and it has left nothing for the next one to cancel.
      if (!isAfterUncertainAttempt(error) || error.code !== 'not_cancellable') throw error;
      const post = await this.get(id, signal === undefined ? {} : { signal });
      if (!post.variants.some(({ status }) => status === 'cancelled')) throw error;
      return post;
    }
  }

  /** Makes the addresses of a Post's files void, and returns the Post as it is then. */
  async voidFileAddresses(id: string, { signal }: CallOptions = {}): Promise<Post> {
    const { body } = await this.#transport.send<{ data: Post }>('void-file-addresses', { path: { id }, signal });
    return body.data;
  }

  /** The Post once each of its Variants is published, failed or cancelled. */
  waitForOutcome(id: string, options: OutcomeOptions = {}): Promise<Post> {
    return waitForOutcome((signal) => this.get(id, signal === undefined ? {} : { signal }), options);
  }
}

function sentPost<T extends CreatePostRequest>(post: PostInput<T>): T {
  const { scheduledAt, ...rest } = post;
  return { ...rest, ...(scheduledAt === undefined ? {} : { scheduledAt: instant(scheduledAt) }) } as unknown as T;
}

function instant(value: string | Date | undefined): string | undefined {
  return value instanceof Date ? value.toISOString() : value;
}
