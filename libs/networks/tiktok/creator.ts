import type { AccountAccess } from '../contract/adapter.ts';
import { unfit, type FailedAnswer } from '../contract/answers.ts';
import { at, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { dataOf, tiktokFailure, tiktokPost, type TikTokWork } from './calls.ts';
import { levelOf, NO_PRIVACY, privacyOf } from './privacy.ts';

/** What an account lets apps do, at this moment. */
export interface Creator {
  /** Its name in addresses; '' when TikTok doesn't say. */
  readonly username: string;
  /** The name that it shows; null when TikTok doesn't say. */
  readonly nickname: string | null;
  /** Who may be chosen to see a post, in TikTok's words. */
  readonly levels: readonly string[];
  readonly isCommentOff: boolean;
  readonly isDuetOff: boolean;
  readonly isStitchOff: boolean;
  /** The longest video of this account; null when TikTok doesn't say. */
  readonly longestMs: number | null;
}

type CreatorAnswer = { readonly kind: 'ok'; readonly creator: Creator; readonly called: CallResult } | FailedAnswer;

/** What TikTok wants to be asked before each post, and before a person chooses how to post. */
export async function readCreator(
  api: string,
  account: Pick<AccountAccess, 'http' | 'accessToken'>,
): Promise<CreatorAnswer> {
  const called = await tiktokPost({ at: { api }, publication: account }, '/v2/post/publish/creator_info/query/', null);
  const data = dataOf(called);
  if (data === null) return tiktokFailure(called, [account.accessToken]);
  const seconds = at(data, 'max_video_post_duration_sec');
  const creator: Creator = {
    username: textAt(data, 'creator_username') ?? '',
    nickname: textAt(data, 'creator_nickname'),
    levels: listAt(data, 'privacy_level_options').filter((level) => typeof level === 'string'),
    isCommentOff: at(data, 'comment_disabled') === true,
    isDuetOff: at(data, 'duet_disabled') === true,
    isStitchOff: at(data, 'stitch_disabled') === true,
    longestMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null,
  };
  return { kind: 'ok', creator, called };
}

/** Leave to post: `level` is whom the Member chose to see it, which the account allows. */
export async function askLeave({
  at: { api },
  publication,
}: TikTokWork): Promise<{ readonly kind: 'ok'; readonly creator: Creator; readonly level: string } | FailedAnswer> {
  const { privacy } = publication.options;
  const level = levelOf(privacy);
  if (level === null) return unfit(NO_PRIVACY, 'rejected_by_platform');
  const asked = await readCreator(api, publication);
  if (asked.kind === 'failed') return asked;
  const { creator, called } = asked;
  if (creator.levels.includes(level)) return { kind: 'ok', creator, level };
  const offered = creator.levels.map((each) => privacyOf(each) ?? each).join(', ');
  const detail = `TikTok does not offer the privacy ${privacy} to this account through this app; it offers: ${offered === '' ? 'none' : offered}. Choose one of these for the Post, or in the defaults of the Channel. Before TikTok has audited an app, only only_me can be used.`;
  return {
    kind: 'failed',
    failure: { reason: 'rejected_by_platform', retry: 'never', detail },
    summary: summaryOf(called, detail),
  };
}
