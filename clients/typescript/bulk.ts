import type { BulkItem, BulkPost } from './api.ts';
import { CrierError } from './crier-error.ts';
import { isTransient, type Transport } from './transport.ts';

export interface BulkCallOptions {
  /** Judge only, create nothing. */
  readonly dryRun?: boolean;
  /** Told after each request: the places in `posts` that have their item now, and how many have one in all. */
  readonly onProgress?: (progress: BulkProgress) => void;
  readonly signal?: AbortSignal;
}

export interface BulkProgress {
  readonly done: number;
  readonly total: number;
  /** By place in the list that was given. */
  readonly items: ReadonlyMap<number, BulkItem>;
}

const MAX_POSTS = 100;
/** Below the megabyte that a body may have. */
const MAX_CHARACTERS = 300_000;

/** How long to wait for Posts that were refused for the addresses in them, which are counted by the minute. */
const ADDRESSES_RETRY_SECONDS = 20;

type NumberedPost = readonly [place: number, post: BulkPost];

/**
 * Sends any number of Posts by requests of at most a hundred. Each Post has an Idempotency-Key, so a request is
 * repeated when its answer is lost, and Posts that failed in passing are sent again, without creating any twice.
 */
export async function createInBulk(
  transport: Transport,
  posts: readonly BulkPost[],
  options: BulkCallOptions,
): Promise<readonly BulkItem[]> {
  const keyed = posts.map((post): BulkPost => ({
    ...post,
    idempotencyKey: post.idempotencyKey ?? crypto.randomUUID(),
  }));
  const items: BulkItem[] = [];
  let done = 0;
  for (const batch of batchesOf(keyed)) {
    const settled = await settle(transport, batch, options);
    for (const [place, item] of settled) items[place] = item;
    done += settled.size;
    options.onProgress?.({ done, total: posts.length, items: settled });
  }
  return items;
}

function* batchesOf(posts: readonly BulkPost[]): Generator<readonly NumberedPost[]> {
  let batch: NumberedPost[] = [];
  let characters = 0;
  for (const [place, post] of posts.entries()) {
    const length = JSON.stringify(post).length;
    if (batch.length === MAX_POSTS || (batch.length > 0 && characters + length > MAX_CHARACTERS)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push([place, post]);
    characters += length;
  }
  if (batch.length > 0) yield batch;
}

/** The items of one batch. Posts that still fail in passing after all repetitions keep that failure as their item. */
async function settle(
  transport: Transport,
  batch: readonly NumberedPost[],
  options: BulkCallOptions,
): Promise<ReadonlyMap<number, BulkItem>> {
  const items = new Map<number, BulkItem>();
  let open = batch;
  for (let retries = 0; open.length > 0; retries++) {
    const { body } = await transport.send<{ data: readonly BulkItem[] }>('create-posts-in-bulk', {
      body: { posts: open.map(([, post]) => post) },
      query: options.dryRun === true ? { dryRun: 'true' } : {},
      signal: options.signal,
    });
    for (const [index, [place]] of open.entries()) items.set(place, body.data[index]!);
    open = open.filter(([place]) => failedInPassing(items.get(place)!));
    if (open[0] === undefined) break;
    const trouble = errorOf(items.get(open[0][0])!);
    try {
      await transport.waitAfter(trouble, retries, options.signal);
    } catch (error) {
      if (error !== trouble) throw error;
      break;
    }
  }
  return items;
}

function failedInPassing({ status, error }: BulkItem): boolean {
  return error !== undefined && isTransient({ status, code: error.code });
}

function errorOf({ status, error }: BulkItem): CrierError {
  return new CrierError({
    status,
    code: error!.code,
    message: error!.message,
    retryAfterSeconds: error!.code === 'rate_limited' ? ADDRESSES_RETRY_SECONDS : null,
  });
}
