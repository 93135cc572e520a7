import { postIdOfVariant } from '../post/ids.ts';
import { dueStepOf } from './due-step.ts';
import type { MediaReference } from '../post/post.ts';
import type { Needs, NeedsOf } from './turn.ts';

export const NO_NEEDS: Needs = { posts: [], assets: [], digest: null, idempotencyKey: null, tokenHash: null, dueWeek: null };

/** Posts that one step of a sweep looks at. */
const SWEEP_POSTS = 100;

function uploadsIn(media: readonly MediaReference[]): readonly string[] {
  return media.flatMap(({ assetId }) => assetId ?? []);
}

/** Of a command that takes several steps: what its next step needs. */
export const needsOf: NeedsOf = (command) => {
  switch (command.type) {
    case 'CreatePost':
      return { ...NO_NEEDS, ...(command.dryRun ? {} : { digest: command.digest, idempotencyKey: command.idempotencyKey }), assets: uploadsIn(command.media) };
    case 'CancelPost':
      return { ...NO_NEEDS, posts: [command.postId] };
    case 'RetryVariant':
    case 'PublishSucceeded':
    case 'PublishFailed':
    case 'PublishUnconfirmed':
      return { ...NO_NEEDS, posts: [postIdOfVariant(command.variantId)] };
    case 'VariantsDue':
      return { ...NO_NEEDS, posts: [...new Set(dueStepOf(command).posts.map(({ postId }) => postId))] };
    case 'FileFetched':
      return { ...NO_NEEDS, posts: [command.postId], assets: [command.assetId] };
    case 'MediaPrepared':
    case 'MediaFailed':
      return { ...NO_NEEDS, posts: [command.postId] };
    case 'FilesDue':
      return { ...NO_NEEDS, posts: [command.postId], assets: command.assetIds };
    case 'ReserveUpload':
    case 'CompleteUpload':
    case 'RemoveUpload':
    case 'UploadExpired':
      return { ...NO_NEEDS, assets: [command.assetId] };
    case 'CreateKey':
      return { ...NO_NEEDS, tokenHash: command.tokenHash };
    case 'ContinueSweep':
      return { ...NO_NEEDS, dueWeek: { week: command.dueWeek, afterPostId: command.afterPostId, limit: SWEEP_POSTS } };
    default:
      return NO_NEEDS;
  }
};
