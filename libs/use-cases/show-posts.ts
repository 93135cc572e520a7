import type { Post } from '#domain/post/post.ts';
import { renderPost, type Channels, type MediaUrl, type PostBody } from '#domain/post/render.ts';
import { hasMetrics } from '#domain/variant/metrics.ts';
import type { MetricsOfPost } from './dependencies.ts';

export interface ShowPostsOptions {
  readonly metrics: MetricsOfPost;
  readonly mediaUrl: MediaUrl;
}

/** A Post as REST shows it, with the figures of those Variants that have any. Rejects with `PortError`. */
export async function showPost(
  post: Post,
  channels: Channels,
  { metrics, mediaUrl }: ShowPostsOptions,
): Promise<PostBody> {
  return renderPost(post, channels, mediaUrl, counts(post) ? await metrics(post.id) : new Map());
}

/** Few Posts have figures, so only those are read. */
function counts({ variants }: Post): boolean {
  return variants.some(({ network, status }) => status === 'published' && hasMetrics(network));
}
