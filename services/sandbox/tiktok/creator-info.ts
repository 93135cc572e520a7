import { avatarPath } from '../avatar.ts';
import type { SandboxAnswer } from '../exchange.ts';
import {
  isPostedOut,
  isUnaudited,
  withinMinute,
  type PublishRequest,
  type TiktokCallOptions,
} from './publish-request.ts';
import { done, tooManyCalls, tooManyPosts } from './envelope.ts';
import { PRIVATE } from './oauth.ts';
import { ONLY_ME, privacyOptions } from './post-info.ts';

/** POST /v2/post/publish/creator_info/query/: what the account may post now, and who may see it. */
export function creatorInfo(call: PublishRequest, options: TiktokCallOptions): SandboxAnswer {
  if (!withinMinute('creatorInfoPerMinute', call, options)) return tooManyCalls();
  const { account, now } = call;
  if (isPostedOut(account.accountId, options, now)) return tooManyPosts();
  return done({
    creator_avatar_url: options.baseUrl() + avatarPath(account),
    creator_username: account.username,
    creator_nickname: account.name,
    privacy_level_options: isUnaudited(options) ? [ONLY_ME] : privacyOptions(account.kind),
    comment_disabled: false,
    duet_disabled: account.kind === PRIVATE,
    stitch_disabled: account.kind === PRIVATE,
    max_video_post_duration_sec: options.limits.get('videoSeconds'),
  });
}
