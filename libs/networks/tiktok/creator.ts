import type { FailedAnswer } from '../contract/answers.ts';
import { at, listAt, summaryOf, textAt } from '../http/call.ts';
import { dataOf, tiktokFailure, tiktokPost, type TikTokWork } from './calls.ts';

/** What an account lets apps do, at this moment. */
export interface Creator {
  readonly username: string;
  readonly privacy: string;
  readonly isCommentOff: boolean;
  readonly isDuetOff: boolean;
  readonly isStitchOff: boolean;
  /** The longest video of this account; null when TikTok doesn't say. */
  readonly longestMs: number | null;
}

/**
 * Who sees it, widest first. Posts carry no choice of their own, so they go to everyone, or to followers where the
 * account is private. `SELF_ONLY` is never chosen: it is all that an app gets before TikTok's audit, and a Post that
 * counts as published would be visible to its author alone.
 */
const AUDIENCES = ['PUBLIC_TO_EVERYONE', 'FOLLOWER_OF_CREATOR'] as const;

/** TikTok wants to be asked before each post. */
export async function askCreator(
  work: TikTokWork,
): Promise<{ readonly kind: 'ok'; readonly creator: Creator } | FailedAnswer> {
  const secrets = [work.publication.accessToken];
  const called = await tiktokPost(work, '/v2/post/publish/creator_info/query/', null);
  const data = dataOf(called);
  if (data === null) return tiktokFailure(called, secrets);
  const options = listAt(data, 'privacy_level_options');
  const privacy = AUDIENCES.find((audience) => options.includes(audience));
  if (privacy === undefined) {
    const detail = 'TikTok lets this account publish neither to everyone nor to its followers through this app.';
    return {
      kind: 'failed',
      failure: { reason: 'rejected_by_platform', retry: 'never', detail },
      summary: summaryOf(called, detail),
    };
  }
  const seconds = at(data, 'max_video_post_duration_sec');
  const creator: Creator = {
    username: textAt(data, 'creator_username') ?? work.publication.username,
    privacy,
    isCommentOff: at(data, 'comment_disabled') === true,
    isDuetOff: at(data, 'duet_disabled') === true,
    isStitchOff: at(data, 'stitch_disabled') === true,
    longestMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null,
  };
  return { kind: 'ok', creator };
}
