import type { z } from 'zod';
import { CompleteMediaUploadArguments, CreateMediaUploadRequest } from '#schemas/http/media-requests.ts';
import { parse } from '#schemas/http/parse.ts';
import {
  ListPostsArguments,
  NoArguments,
  PostArguments,
  PublishNowArguments,
  SchedulePostArguments,
} from '#schemas/http/post-requests.ts';
import { TOOLS, type ToolName } from '#schemas/http/tools.ts';
import type { PostBody } from '#domain/post/render.ts';
import { missingPermission, type ApiCall } from '#use-cases/caller.ts';
import { done, failed, type UseCaseResult } from '#use-cases/outcome.ts';
import { cancelPost } from '#use-cases/cancel-post.ts';
import { completeMediaUpload, type CompleteMediaUploadOptions } from '#use-cases/complete-media-upload.ts';
import { createMediaUpload, type CreateMediaUploadOptions } from '#use-cases/create-media-upload.ts';
import { createPost, type CreatePostOptions } from '#use-cases/create-post.ts';
import { getPost } from '#use-cases/get-post.ts';
import { listChannels } from '#use-cases/list-channels.ts';
import { listPosts, type ListPostsOptions } from '#use-cases/list-posts.ts';

export type ToolOptions = CreatePostOptions &
  ListPostsOptions &
  CreateMediaUploadOptions &
  CompleteMediaUploadOptions & { readonly publicUrl: () => string };

/** The answer has a page twice, as text and as an object, and both are made in one go: REST sends pages in pieces. */
const MAX_PAGE_BYTES = 500_000;

/** Carries a tool out. `sent`: the arguments as they came, not yet checked. A refusal is a value. */
export type RunTool = (call: ApiCall, sent: unknown) => Promise<UseCaseResult<object>>;

/** The tools of schemas/http/tools.ts over the use cases of the REST API. */
export function createTools(options: ToolOptions): Readonly<Record<ToolName, RunTool>> {
  const create: Use<z.output<typeof SchedulePostArguments> | z.output<typeof PublishNowArguments>> = (call, input) =>
    createPost(call, input, null, options);
  return {
    list_channels: tool('list_channels', NoArguments, async (call) =>
      wrapped('channels', await listChannels(call, options)),
    ),
    list_posts: tool('list_posts', ListPostsArguments, async (call, input) => {
      const own = { ...options, metrics: async () => new Map(), maxPageBytes: MAX_PAGE_BYTES };
      return options.turns.run('lists', call, () => listPosts(call, input, own, withoutFigures));
    }),
    get_post: tool('get_post', PostArguments, async (call, { postId }) =>
      wrapped('post', await getPost(call, postId, options)),
    ),
    schedule_post: tool('schedule_post', SchedulePostArguments, create),
    publish_now: tool('publish_now', PublishNowArguments, create),
    cancel_post: tool('cancel_post', PostArguments, async (call, { postId }) =>
      wrapped('post', await cancelPost(call, postId, options)),
    ),
    create_media_upload: tool('create_media_upload', CreateMediaUploadRequest, (call, input) =>
      createMediaUpload(call, input, options),
    ),
    complete_media_upload: tool('complete_media_upload', CompleteMediaUploadArguments, (call, { assetId }) =>
      completeMediaUpload(call, assetId, options),
    ),
  };
}

type Use<I> = (call: ApiCall, input: I) => Promise<UseCaseResult<object>>;

/** What is wrong with arguments of one of two tools that are easily taken for each other. */
const OTHER_TOOL: Readonly<Partial<Record<ToolName, readonly [problem: string, advice: string]>>> = {
  schedule_post: ['scheduledAt is missing.', 'The tool publish_now publishes at once.'],
  publish_now: ['scheduledAt is not a known field.', 'The tool schedule_post publishes at an instant.'],
};

/** As every operation: shape, permission, use case. */
function tool<S extends z.ZodType>(name: ToolName, shape: S, use: Use<z.output<S>>): RunTool {
  const { scopes } = TOOLS.find((declared) => declared.name === name)!;
  const [mistake, advice] = OTHER_TOOL[name] ?? [];
  return async (call, sent) => {
    const input = parse(shape, sent);
    if (!input.ok) return failed('invalid_request', input.message === mistake ? `${mistake} ${advice}` : input.message);
    const lacking = scopes.map((scope) => missingPermission(call, scope)).find((one) => one !== null);
    return lacking ?? use(call, input.value);
  };
}

function wrapped<T>(name: string, outcome: UseCaseResult<T>): UseCaseResult<object> {
  return outcome.ok ? done({ [name]: outcome.value }) : outcome;
}

/** Figures of every day of a video would fill what a model can read. */
function withoutFigures({ variants, ...post }: PostBody): object {
  return { ...post, variants: variants.map(({ metrics: _, ...variant }) => variant) };
}
