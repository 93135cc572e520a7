import type { FacebookVideo } from './records.ts';

/** Below the sandbox's own address. */
export const FACEBOOK_PATH = '/sim/facebook';

export const permalinkPath = (postId: string): string => `${FACEBOOK_PATH}/${postId.replace('_', '/posts/')}`;

export const storyPath = (storyId: string): string => `${FACEBOOK_PATH}/stories/${storyId}`;

export const videoPath = ({ kind, id, postId }: Pick<FacebookVideo, 'kind' | 'id' | 'postId'>): string =>
  kind === 'story' ? storyPath(postId!) : `${FACEBOOK_PATH}/${kind === 'reel' ? 'reel' : 'videos'}/${id}`;
