import type { PostBody } from '#domain/post/render.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import { statusOf } from '#schemas/http/errors.ts';
import { parse, type ParseResult } from '#schemas/http/parse.ts';
import { BulkPost, type BulkPostInput } from '#schemas/http/post-requests.ts';
import type { ApiCall } from './caller.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import { done, failed, type UseCaseResult } from './outcome.ts';
import { createInspected, lackingFor, type CreatePostOptions, type InspectedPost } from './create-post.ts';
import { inspectMedia, NO_FILES } from './inspect-media.ts';
import { validateInspected } from './validate-post.ts';

export interface CreatePostsInBulkOptions extends CreatePostOptions {
  readonly slices: TimeSlices;
}

/** The result of one Post of the bulk, as POST /api/posts would have answered it. */
export type BulkItem =
  | { readonly status: number; readonly post: PostBody | null; readonly replayed?: true }
  | { readonly status: number; readonly error: Pick<ApiProblem, 'code' | 'message' | 'blockers' | 'upgrade'> };

type Inspected = Awaited<ReturnType<typeof inspectMedia>>[number];

const CREATED = 201;
const ACCEPTABLE = 200;

/**
 * Creates each Post by itself, in order. A malformed Post is refused in its place; the others are created. The shape of
 * each of `posts` is checked here; each may bear an idempotencyKey, which a dry run passes over. The bulk counts as one
 * request. The event loop is yielded between Posts, so that other requests are served. `dryRun`: nothing is created,
 * and an acceptable Post has status 200.
 */
export async function createPostsInBulk(
  call: ApiCall,
  posts: readonly unknown[],
  dryRun: boolean,
  options: CreatePostsInBulkOptions,
): Promise<UseCaseResult<readonly BulkItem[]>> {
  const pause = options.slices.begin(call.workspaceId);
  const parsed: ParseResult<BulkPostInput>[] = [];
  for (const post of posts) {
    await pause();
    call.signal.throwIfAborted();
    parsed.push(parse(BulkPost, post));
  }
  const inspected = await inspectMedia(
    call,
    parsed.map((post) => (post.ok && lackingFor(call, post.value) === null ? post.value : NO_FILES)),
    options,
  );
  // Sent in order without waiting for results in between: the Workspace decides them in one turn or a few, in the order
  // of the log.
  const items: Promise<BulkItem>[] = [];
  for (const [index, post] of parsed.entries()) {
    await pause();
    // Posts that are being made go on, so that a client which sends the same bulk again gets the rest of them.
    if (dryRun) call.signal.throwIfAborted();
    const item = itemFor(call, post, inspected[index]!, dryRun, options);
    // A request that fails while others are still being sent is awaited below.
    item.catch(() => {});
    items.push(item);
  }
  return done(await Promise.all(items));
}

async function itemFor(
  call: ApiCall,
  post: ParseResult<BulkPostInput>,
  files: Inspected,
  dryRun: boolean,
  options: CreatePostOptions,
): Promise<BulkItem> {
  if (!post.ok) return itemOf(failed('invalid_request', post.message));
  if (!files.ok) return itemOf(files);
  const { idempotencyKey = null, ...input } = post.value;
  const inspected = { ...input, ...files.value };
  const own = { ...call, requestId: options.ids.uuid7(options.clock.now()) };
  return dryRun ? judged(own, inspected, options) : created(own, inspected, idempotencyKey, options);
}

async function created(
  call: ApiCall,
  post: InspectedPost,
  idempotencyKey: string | null,
  options: CreatePostOptions,
): Promise<BulkItem> {
  const refused = lackingFor(call, post);
  if (refused !== null) return itemOf(refused);
  const outcome = await createInspected(call, post, { idempotencyKey }, options);
  if (!outcome.ok) return itemOf(outcome);
  const { post: body, replayed } = outcome.value;
  return { status: CREATED, post: body, ...(replayed && { replayed: true as const }) };
}

async function judged(call: ApiCall, post: InspectedPost, options: CreatePostOptions): Promise<BulkItem> {
  const refused = lackingFor(call, post);
  if (refused !== null) return itemOf(refused);
  const outcome = await validateInspected(call, post, options);
  if (!outcome.ok) return itemOf(outcome);
  const { ok, blockers, upgrade } = outcome.value;
  if (ok) return { status: ACCEPTABLE, post: null };
  const problem: ApiProblem = {
    code: 'post_refused',
    message: 'This Post would be refused; see blockers.',
    blockers,
    ...(upgrade && { upgrade }),
  };
  return itemOf({ ok: false, problem });
}

function itemOf({ problem }: Extract<UseCaseResult<never>, { ok: false }>): BulkItem {
  const { retryAfterSeconds: _, ...error } = problem;
  return { status: statusOf(error.code), error };
}
