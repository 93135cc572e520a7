import { z } from 'zod';
import { BulkEnvelope, CreatePostRequest, IdempotencyKey, ListPostsQuery } from '#schemas/http/post-requests.ts';
import { SentId, SentInstant } from '#schemas/http/scalars.ts';
import { cancelPost } from '#use-cases/cancel-post.ts';
import { createPost } from '#use-cases/create-post.ts';
import { createPostsInBulk, type CreatePostsInBulkOptions } from '#use-cases/create-posts-in-bulk.ts';
import { getPost } from '#use-cases/get-post.ts';
import { listAttempts, type ListAttemptsOptions } from '#use-cases/list-attempts.ts';
import { listCalendar, listFailures, readCards } from '#use-cases/list-calendar.ts';
import { listPosts, type ListPostsOptions } from '#use-cases/list-posts.ts';
import { done } from '#use-cases/outcome.ts';
import { readDraft, type ReadDraftOptions } from '#use-cases/read-draft.ts';
import { movePost, replacePost } from '#use-cases/replace-post.ts';
import type { RequestTurns } from '#use-cases/request-turns.ts';
import { retryVariant } from '#use-cases/retry-variant.ts';
import { validatePost } from '#use-cases/validate-post.ts';
import { voidFileAddresses } from '#use-cases/void-file-addresses.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { packCards } from './packed-cards.ts';
import { router, valueOf } from './procedure.ts';

export type PostProceduresOptions = CreatePostsInBulkOptions &
  ListPostsOptions &
  ReadDraftOptions &
  ListAttemptsOptions & { readonly turns: RequestTurns };

const Post = z.object({ postId: SentId });
/** A call that is sent again with it, because its answer was lost, is answered as the first one was. */
const Once = { idempotencyKey: IdempotencyKey.nullable().default(null) };
/** A calendar asks for what changed in a fraction of a second. */
const MAX_CARDS = 100;
/** The library makes the answers of a batch in one go: REST sends its larger pages in pieces. */
const MAX_PAGE_BYTES = 1_000_000;
const Variant = z.object({ variantId: SentId });

/** What a piece of costly work comes to, once it is its Workspace's turn; throws what tRPC answers for a refusal. */
type InTurn = <T>(...turn: Parameters<typeof RequestTurns.prototype.run<T>>) => Promise<T>;

function inTurnOf({ turns }: PostProceduresOptions): InTurn {
  return async (kind, call, work) => valueOf(await turns.run(kind, call, work));
}

export function postProcedures(member: MemberProcedure, options: PostProceduresOptions) {
  const inTurn = inTurnOf(options);
  return router({
    /** What a calendar shows of the Posts in [from, to): written then, or with a Variant scheduled then. */
    calendar: member.input(z.object({ from: SentInstant, to: SentInstant })).query(({ ctx: { call }, input }) =>
      inTurn('lists', call, async () => {
        const page = await listCalendar(call, input, options);
        return page.ok ? done(await packCards(page.value, options.slices.begin(call.workspaceId))) : page;
      }),
    ),
    /** Which of those Posts have a Variant that failed. */
    failures: member
      .input(z.object({ from: SentInstant, to: SentInstant }))
      .query(({ ctx: { call }, input }) => inTurn('lists', call, () => listFailures(call, input, options))),
    /** What a calendar shows of these Posts; one that is not there is left out. */
    cards: member
      .input(z.object({ postIds: z.array(SentId).min(1).max(MAX_CARDS) }))
      .query(({ ctx: { call }, input }) => inTurn('lists', call, () => readCards(call, input.postIds, options))),
    list: member
      .input(
        z.object({
          from: ListPostsQuery.shape.from,
          to: ListPostsQuery.shape.to,
          limit: z.int().min(1).max(500).exactOptional(),
          cursor: ListPostsQuery.shape.cursor,
        }),
      )
      .query(async ({ ctx: { call }, input: { workspaceId: _, ...filter } }) => {
        const own = { ...options, maxPageBytes: MAX_PAGE_BYTES };
        return inTurn('lists', call, () => listPosts(call, filter, own, (post) => post));
      }),
    /** The Post as REST shows it. */
    get: member
      .input(Post)
      .query(async ({ ctx: { call }, input }) => valueOf(await getPost(call, input.postId, options))),
    /** The Post as it would be written again; instants are in milliseconds since the epoch. */
    draft: member
      .input(Post)
      .query(({ ctx: { call }, input }) => inTurn('lists', call, () => readDraft(call, input.postId, options))),
    create: member
      .input(z.object({ post: CreatePostRequest, ...Once }))
      .mutation(async ({ ctx: { call }, input }) =>
        valueOf(await createPost(call, input.post, input.idempotencyKey, options)),
      ),
    /** `replaces`: the Post that it would replace. */
    validate: member
      .input(z.object({ post: CreatePostRequest, replaces: SentId.exactOptional() }))
      .mutation(({ ctx: { call }, input }) =>
        inTurn('validations', call, () => validatePost(call, input.post, options, input.replaces)),
      ),
    createBulk: member
      .input(z.object({ ...BulkEnvelope.shape, dryRun: z.boolean().default(false) }))
      .mutation(({ ctx: { call }, input }) =>
        inTurn('bulks', call, () => createPostsInBulk(call, input.posts, input.dryRun, options)),
      ),
    ...changesOfPosts(member, options),
  });
}

/** What a Member does with a Post that there is. */
function changesOfPosts(member: MemberProcedure, options: PostProceduresOptions) {
  return {
    cancel: member
      .input(Post)
      .mutation(async ({ ctx: { call }, input }) => valueOf(await cancelPost(call, input.postId, options))),
    voidFileAddresses: member
      .input(Post)
      .mutation(async ({ ctx: { call }, input }) => valueOf(await voidFileAddresses(call, input.postId, options))),
    replace: member
      .input(z.object({ ...Post.shape, post: CreatePostRequest, ...Once }))
      .mutation(async ({ ctx: { call }, input: { postId, ...input } }) =>
        valueOf(await replacePost(call, postId, input, options)),
      ),
    /** The same Post at another time: the answer is its successor. */
    move: member
      .input(z.object({ ...Post.shape, scheduledAt: SentInstant, ...Once }))
      .mutation(async ({ ctx: { call }, input: { postId, ...input } }) =>
        valueOf(await movePost(call, postId, input, options)),
      ),
  };
}

export function variantProcedures(member: MemberProcedure, options: PostProceduresOptions) {
  const inTurn = inTurnOf(options);
  return router({
    retry: member
      .input(Variant)
      .mutation(async ({ ctx: { call }, input }) => valueOf(await retryVariant(call, input.variantId, options))),
    attempts: member
      .input(Variant)
      .query(({ ctx: { call }, input }) => inTurn('lists', call, () => listAttempts(call, input.variantId, options))),
  });
}
