import { MAX_STEP_POSTS } from './step-bounds.ts';
import type { Asset } from '../media/asset.ts';
import type { Post } from '../post/post.ts';
import type { CreatePost } from './commands.ts';
import type { TurnStep } from './turn-step.ts';
import { postIdOfVariant } from '../post/ids.ts';
import { dueStepOf } from './due-step.ts';

/** What a command names beside the state; the owner loads it before deciding. */
export interface Loads {
  readonly posts: readonly string[];
  readonly assets: readonly string[];
  /** Posts of `posts` whose files are needed too: every asset that `assetsOfPost` names. */
  readonly filesOf: readonly string[];
  /** A digest of the 10-minute rule. */
  readonly digest: string | null;
  readonly idempotencyKey: string | null;
  /** Of a key that is to be created. */
  readonly tokenHash: string | null;
  /** Ids of Posts due in a week, after one, in the table's order (newest first); at most `limit`. */
  readonly dueWeek: { readonly week: number; readonly afterPostId: string | null; readonly limit: number } | null;
}

/**
 * The loaded things, as they are after the commands before this one in the same turn: what `Loads` names, and the Posts
 * that the answers to it name.
 */
export interface LoadedView {
  /** Every Post of `needs.posts`, `digests` and `dueWeek.postIds`; null: there is no such Post in this Workspace. */
  readonly posts: ReadonlyMap<string, Post | null>;
  /** Every asset of `needs.assets` and of the Posts of `needs.filesOf`; null: this Workspace has no such asset. */
  readonly assets: ReadonlyMap<string, Asset | null>;
  /** digest -> the Post it was made for, null when none is remembered. */
  readonly digests: ReadonlyMap<string, { readonly postId: string; readonly createdAt: number } | null>;
  /** Idempotency-Key -> the Post that was created with it. */
  readonly idempotencyKeys: ReadonlyMap<
    string,
    { readonly postId: string; readonly digest: string; readonly createdAt: number } | null
  >;
  /** tokenHash -> the Workspace that owns it for good: the first that claimed it. */
  readonly tokenOwners: ReadonlyMap<string, string>;
  /**
   * The answer to `needs.dueWeek`: ids, whether they are the week's last, and every later week that holds due Posts,
   * ascending.
   */
  readonly dueWeek: {
    readonly postIds: readonly string[];
    readonly ended: boolean;
    readonly weeks: readonly number[];
  } | null;
}

export type LoadsOf = (command: TurnStep, now: number) => Loads;

export const NO_LOADS: Loads = {
  posts: [],
  assets: [],
  filesOf: [],
  digest: null,
  idempotencyKey: null,
  tokenHash: null,
  dueWeek: null,
};

function uploadsIn({ media, channelOptions }: CreatePost): readonly string[] {
  const covers = Object.values(channelOptions).map(({ cover }) => cover?.assetId);
  const named = [...media.map(({ assetId }) => assetId), ...covers];
  return [...new Set(named.filter((assetId) => assetId !== undefined))];
}

/** Of a command that takes several steps: what its next step needs. */
export const loadsOf: LoadsOf = (command) => {
  switch (command.type) {
    case 'CreatePost':
      return {
        ...NO_LOADS,
        ...(command.dryRun ? {} : { digest: command.digest, idempotencyKey: command.idempotencyKey }),
        assets: uploadsIn(command),
        posts: command.replaces === undefined ? [] : [command.replaces],
      };
    case 'RemovePosts':
      return { ...NO_LOADS, posts: command.postIds };
    case 'CancelPost':
    case 'VoidFileAddresses':
      return { ...NO_LOADS, posts: [command.postId] };
    case 'RetryVariant': {
      const posts = [postIdOfVariant(command.variantId)];
      return { ...NO_LOADS, posts, filesOf: posts };
    }
    case 'PublishSucceeded':
    case 'PublishFailed':
    case 'PublishUnconfirmed':
    case 'PublishHeld':
    case 'FirstCommentEnded':
      return { ...NO_LOADS, posts: [postIdOfVariant(command.variantId)] };
    case 'VariantsDue':
      return { ...NO_LOADS, posts: [...new Set(dueStepOf(command).posts.map(({ postId }) => postId))] };
    case 'FileFetched':
      return { ...NO_LOADS, posts: [command.postId], assets: [command.assetId] };
    case 'MediaPrepared':
    case 'MediaFailed':
      return { ...NO_LOADS, posts: [command.postId] };
    case 'FilesDue':
      return { ...NO_LOADS, posts: [command.postId], assets: command.assetIds };
    case 'ReserveUpload':
    case 'CompleteUpload':
    case 'RemoveUpload':
    case 'UploadExpired':
      return { ...NO_LOADS, assets: [command.assetId] };
    case 'CreateKey':
      return { ...NO_LOADS, tokenHash: command.tokenHash };
    case 'ContinueSweep':
      return {
        ...NO_LOADS,
        dueWeek: { week: command.dueWeek, afterPostId: command.afterPostId, limit: MAX_STEP_POSTS },
      };
    default:
      return NO_LOADS;
  }
};
