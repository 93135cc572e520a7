import type { MediaReference } from '#domain/post/media-reference.ts';
import { isPostId } from '#domain/post/ids.ts';
import type { Post } from '#domain/post/post.ts';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { ApiCall } from './caller.ts';
import type { AssetReader, PostReader } from './dependencies.ts';
import { NO_POST } from './get-post.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';

export interface ReadDraftOptions {
  readonly posts: Pick<PostReader, 'read'>;
  readonly assets: AssetReader;
}

/**
 * A Post as somebody would write it again: what POST /api/posts takes. It names the files that the Post has, which
 * only a Post in its place may have. `channelsOf`: those of its Channels that it is written for; left out: all.
 */
export function readDraft(
  call: ApiCall,
  postId: string,
  { posts, assets }: ReadDraftOptions,
  channelsOf: (post: Post) => readonly string[] = allChannels,
): Promise<UseCaseResult<CreatePostInput>> {
  return settled('read', async () => {
    const post = isPostId(postId) ? await posts.read(call.workspaceId, postId) : null;
    if (post === null) return NO_POST;
    const fileOf = async (assetId: string): Promise<Pick<MediaReference, 'assetId' | 'url'>> => {
      const asset = await assets(call.workspaceId, assetId);
      // A file that was not fetched yet has nothing to hand on but its address.
      return asset !== null && asset.facts === null && asset.url !== null ? { url: asset.url } : { assetId };
    };
    const media = await Promise.all(
      post.media.map(async ({ assetId, altText }) => ({
        ...(await fileOf(assetId)),
        ...(altText !== null && { altText }),
      })),
    );
    const optionsOf = async ({ cover, ...options }: (typeof post.channelOptions)[string]) => {
      const picture = cover?.assetId ?? cover?.inspected?.assetId;
      const own = cover !== undefined && picture !== undefined ? await fileOf(picture) : cover;
      return { ...options, ...(own !== undefined && { cover: own }) };
    };
    const channelIds = channelsOf(post);
    const chosen = Object.entries(post.channelOptions).filter(([id]) => channelIds.includes(id));
    const channelOptions = Object.fromEntries(
      await Promise.all(chosen.map(async ([id, each]) => [id, await optionsOf(each)] as const)),
    );
    const { text, scheduledAt } = post;
    return done({
      text,
      channelIds,
      media,
      channelOptions,
      ...(scheduledAt !== null && { scheduledAt }),
    } as CreatePostInput);
  });
}

function allChannels({ variants }: Pick<Post, 'variants'>): readonly string[] {
  return [...new Set(variants.map(({ channelId }) => channelId))];
}

/** Those for which it is not cancelled. A Post that was cancelled as a whole is for all of its Channels. */
export function channelsLeft({ variants }: Post): readonly string[] {
  const left = variants.filter(({ status }) => status !== 'cancelled');
  return allChannels({ variants: left.length === 0 ? variants : left });
}
