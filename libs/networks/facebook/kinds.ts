import type { FacebookHandle } from './handle.ts';
import type { PageKind } from './page-kind.ts';
import { pagePost } from './post.ts';
import { reel } from './reel.ts';
import { photoStory, videoStory } from './story.ts';
import { feedVideo } from './video.ts';

const KINDS: { readonly [K in FacebookHandle['kind']]: unknown } = {
  post: pagePost,
  video: feedVideo,
  reel,
  photoStory,
  videoStory,
};

/** The steps of one kind. Each takes handles of its kind only, which TypeScript can't follow through a table. */
export function stepsOf(kind: FacebookHandle['kind']): PageKind<FacebookHandle> {
  return KINDS[kind] as PageKind<FacebookHandle>;
}
