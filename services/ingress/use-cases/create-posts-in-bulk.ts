import type { PostBody } from '#domain/post/render.ts';
import { statusOf } from '#schemas/http/errors.ts';
import { parse } from '#schemas/http/parse.ts';
import { CreatePostRequest } from '#schemas/http/post-requests.ts';
import type { Call } from '../caller.ts';
import { done, failed, type Outcome, type Problem } from '../outcome.ts';
import { createInspected, lackingFor, type CreatePostOptions, type InspectedPost } from './create-post.ts';
import { inspectMedia } from './inspect-media.ts';
import { validateInspected } from './validate-post.ts';

/** What one Post of the bulk came to, as POST /api/posts would have answered it. */
export type BulkItem =
  | { readonly status: number; readonly post: PostBody | null }
  | { readonly status: number; readonly error: Pick<Problem, 'code' | 'message' | 'blockers' | 'upgrade'> };

const CREATED = 201;
const ACCEPTABLE = 200;

/**
 * Creates each Post by itself, in order. A malformed one is refused in its place; the others are not held up. `posts` are
 * unchecked: their shape is judged here. `dryRun`: nothing is created, and an acceptable Post has status 200.
 */
export async function createPostsInBulk(call: Call, posts: readonly unknown[], dryRun: boolean, options: CreatePostOptions): Promise<Outcome<readonly BulkItem[]>> {
  const parsed = posts.map((post) => parse(CreatePostRequest, post));
  const inspected = await inspectMedia(call, parsed.map((post) => (post.ok && lackingFor(call, post.value) === null ? post.value.media : [])), options);
  // Asked in order without waiting in between: the Workspace takes them as one turn, in the order of the log.
  const items = parsed.map((post, index) => {
    if (!post.ok) return itemOf(failed('invalid_request', post.message));
    const media = inspected[index]!;
    return media.ok ? one(call, { ...post.value, media: media.value }, dryRun, options) : itemOf(media);
  });
  return done(await Promise.all(items));
}

function one(call: Call, post: InspectedPost, dryRun: boolean, options: CreatePostOptions): Promise<BulkItem> {
  const own = { ...call, requestId: options.ids.uuid7(options.clock.now()) };
  return dryRun ? judged(own, post, options) : created(own, post, options);
}

async function created(call: Call, post: InspectedPost, options: CreatePostOptions): Promise<BulkItem> {
  const refused = lackingFor(call, post);
  if (refused !== null) return itemOf(refused);
  const outcome = await createInspected(call, post, null, options);
  return outcome.ok ? { status: CREATED, post: outcome.value.post } : itemOf(outcome);
}

async function judged(call: Call, post: InspectedPost, options: CreatePostOptions): Promise<BulkItem> {
  const refused = lackingFor(call, post);
  if (refused !== null) return itemOf(refused);
  const outcome = await validateInspected(call, post, options);
  if (!outcome.ok) return itemOf(outcome);
  const { ok, blockers, upgrade } = outcome.value;
  if (ok) return { status: ACCEPTABLE, post: null };
  const problem: Problem = { code: 'post_refused', message: 'This Post would be refused; see blockers.', blockers, ...(upgrade && { upgrade }) };
  return itemOf({ ok: false, problem });
}

function itemOf({ problem }: Extract<Outcome<never>, { ok: false }>): BulkItem {
  const { retryAfterSeconds: _, ...error } = problem;
  return { status: statusOf(error.code), error };
}
