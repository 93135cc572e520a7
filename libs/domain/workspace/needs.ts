import { postIdOfVariant } from '../post/ids.ts';
import { dueStepOf } from './due-step.ts';
import type { MediaReference } from '../post/post.ts';
import type { Needs, NeedsOf } from './turn.ts';

const NOTHING: Needs = { posts: [], assets: [], digest: null, idempotencyKey: null, dueWeek: null };

/** Posts that one step of a sweep looks at. */
const SWEEP_POSTS = 100;

function uploadsIn(media: readonly MediaReference[]): readonly string[] {
  return media.flatMap(({ assetId }) => assetId ?? []);
}

/** Of a command that takes several steps: what its next step needs. */
export const needsOf: NeedsOf = (command) => {
  switch (command.type) {
    case 'CreatePost':
      return { ...NOTHING, ...(command.dryRun ? {} : { digest: command.digest, idempotencyKey: command.idempotencyKey }), assets: uploadsIn(command.media) };
    case 'CancelPost':
      return { ...NOTHING, posts: [command.postId] };
    case 'RetryVariant':
    case 'PublishSucceeded':
    case 'PublishFailed':
    case 'PublishUnconfirmed':
      return { ...NOTHING, posts: [postIdOfVariant(command.variantId)] };
    case 'VariantsDue':
      return { ...NOTHING, posts: [...new Set(dueStepOf(command).posts.map(({ postId }) => postId))] };
    case 'FileFetched':
      return { ...NOTHING, posts: [command.postId], assets: [command.assetId] };
    case 'MediaPrepared':
    case 'MediaFailed':
      return { ...NOTHING, posts: [command.postId] };
    case 'FilesDue':
      return { ...NOTHING, posts: [command.postId], assets: command.assetIds };
    case 'ReserveUpload':
    case 'CompleteUpload':
    case 'RemoveUpload':
    case 'UploadExpired':
      return { ...NOTHING, assets: [command.assetId] };
    case 'ContinueSweep':
      return { ...NOTHING, dueWeek: { week: command.dueWeek, afterPostId: command.afterPostId, limit: SWEEP_POSTS } };
    default:
      return NOTHING;
  }
};
