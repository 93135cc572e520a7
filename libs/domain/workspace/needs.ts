import { postIdOfVariant } from '../post/ids.ts';
import { dueStepOf } from './due-step.ts';
import type { Needs, NeedsOf } from './turn.ts';

const NOTHING: Needs = { posts: [], assets: [], digest: null, idempotencyKey: null, dueWeek: null };

/** Posts that one step of a sweep looks at. */
const SWEEP_POSTS = 100;

/** Of a command that takes several steps: what its next step needs. */
export const needsOf: NeedsOf = (command) => {
  switch (command.type) {
    case 'CreatePost':
      return command.dryRun ? NOTHING : { ...NOTHING, digest: command.digest, idempotencyKey: command.idempotencyKey };
    case 'CancelPost':
      return { ...NOTHING, posts: [command.postId] };
    case 'RetryVariant':
    case 'PublishSucceeded':
    case 'PublishFailed':
    case 'PublishUnconfirmed':
      return { ...NOTHING, posts: [postIdOfVariant(command.variantId)] };
    case 'VariantsDue':
      return { ...NOTHING, posts: [...new Set(dueStepOf(command).posts.map(({ postId }) => postId))] };
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
