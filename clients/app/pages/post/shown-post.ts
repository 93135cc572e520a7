import type { PostBody, VariantBody } from '#domain/post/render.ts';
import { queryClient, serverKey, useServerQuery } from '../../server/queries.ts';
import { serverNow } from '../../workspace/clock.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

const EVERY_MS = 2_000;
/** A Variant that is due this soon is looked at as often as one that publishes. */
const SOON_MS = 60_000;

/** The Post, read again and again while something of it is under way. */
export function useShownPost(postId: string) {
  const { id: workspaceId } = useWorkspace();
  return useServerQuery<{ workspaceId: string; postId: string }, PostBody>(
    (from) => from.posts.get,
    { workspaceId, postId },
    { refetchInterval: ({ state: { data } }) => (data !== undefined && isUnderWay(data) ? EVERY_MS : false) },
  );
}

function isUnderWay({ variants }: PostBody): boolean {
  return variants.some((variant) => isMoving(variant) || variant.firstComment?.status === 'waiting');
}

/** Whether the Variant publishes, or is about to. */
export function isMoving({ status, scheduledAt, mediaReady }: VariantBody): boolean {
  if (status === 'publishing') return true;
  return (
    status === 'scheduled' && (!mediaReady || scheduledAt === null || Date.parse(scheduledAt) - serverNow() < SOON_MS)
  );
}

/** "My Page on Facebook", and whether it is the story. */
export function variantName({ channelName, network, placement }: VariantBody, networkName: string): string {
  const name = channelName === '' ? networkName : `${channelName} on ${networkName}`;
  return placement === 'story'
    ? `${name}, story`
    : `${name}${network === 'facebook' || network === 'instagram' ? ', feed' : ''}`;
}

/** Keeps the Post as a change answered it: that is newer than what a read right after it may find. */
export function keepPost(workspaceId: string, post: PostBody): void {
  queryClient.setQueryData(
    serverKey((from) => from.posts.get, { workspaceId, postId: post.id }),
    post,
  );
}
