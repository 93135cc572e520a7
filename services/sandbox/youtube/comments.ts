import { avatarPath } from '../avatar.ts';
import type { Account } from '../accounts.ts';
import { escapeHtml, isRecord, json, type SandboxAnswer } from '../exchange.ts';
import type { ItemComment, LiveItem } from '../items.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import { googleError, missingParameter, parseError, videoNotFound } from './errors.ts';
import { COMMENT_THREAD_NAMES, refuseUnknown } from './known-names.ts';
import { ETAG, listOf, pageOf, pick, readParts } from './parts.ts';
import type { UploadRequest, YoutubeOptions } from './upload-request.ts';
import { videoIdOf } from './videos.ts';

/** Characters. */
const MAX_COMMENT = 10_000;
const MAX_LISTED = 100;

const badThread = (code: number, reason: string, message: string) =>
  googleError(code, reason, message, { domain: 'youtube.commentThread', location: 'body', locationType: 'other' });

const disabled = () =>
  badThread(
    403,
    'commentsDisabled',
    'The video identified by the <code><a href="/youtube/v3/docs/commentThreads/list#videoId">videoId</a></code> parameter has disabled comments.',
  );

function threadOf(
  { remoteId: videoId }: LiveItem,
  { remoteId: id, text, publishedAt }: ItemComment,
  { accountId, username, ...account }: Account,
  { baseUrl, isPlain }: Pick<YoutubeOptions, 'baseUrl'> & { readonly isPlain: boolean },
): object {
  const at = new Date(publishedAt).toISOString();
  const snippet = {
    ...{ channelId: accountId, videoId, textOriginal: text },
    textDisplay: isPlain ? text : escapeHtml(text).replace(/\n/g, '<br>'),
    authorDisplayName: `@${username}`,
    authorProfileImageUrl: baseUrl() + avatarPath({ ...account, accountId, username }),
    authorChannelId: { value: accountId },
    ...{ canRate: true, viewerRating: 'none', likeCount: 0, publishedAt: at, updatedAt: at },
  };
  return {
    channelId: accountId,
    videoId,
    topLevelComment: { kind: 'youtube#comment', etag: ETAG, id, snippet },
    ...{ canReply: true, totalReplyCount: 0, isPublic: true },
  };
}

/** The channel's own video that the request names, or why there are no comments on it. */
function commentable(videoId: unknown, { account }: UploadRequest, options: YoutubeOptions): LiveItem | SandboxAnswer {
  const item = typeof videoId === 'string' ? options.items.get('youtube', account.accountId, videoId) : null;
  if (item === null) return videoNotFound();
  // YouTube turns comments off wherever a video is made for kids.
  return options.videos.get(item.remoteId)!.metadata.madeForKids ? disabled() : item;
}

/** POST /youtube/v3/commentThreads: a comment of the channel on a video of its own. */
export function insertCommentThread(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const parts = readParts(call, ['snippet', 'replies']);
  if ('status' in parts) return parts;
  const body = call.request.json();
  if (body === undefined) return parseError();
  const refused = refuseUnknown(body, COMMENT_THREAD_NAMES);
  if (refused !== null) return refused;
  const snippet = isRecord(body) && isRecord(body['snippet']) ? body['snippet'] : {};
  const { videoId, topLevelComment: top } = snippet;
  if (videoId === undefined)
    return badThread(400, 'channelOrVideoIdMissing', 'Each comment thread must be linked to a video.');
  const text = isRecord(top) && isRecord(top['snippet']) ? top['snippet']['textOriginal'] : undefined;
  if (typeof text !== 'string' || text.trim() === '')
    return badThread(400, 'commentTextRequired', 'The comment resource that is being inserted must specify a value.');
  if ([...text].length > MAX_COMMENT)
    return badThread(400, 'commentTextTooLong', 'The comment that is being inserted contains too many characters.');
  const item = commentable(videoId, call, options);
  if ('headers' in item) return item;
  const remoteId = `Ug${videoIdOf(options.remoteIds.next())}`;
  const comment = { remoteId, text, publishedAt: call.now, path: `${item.path}&lc=${remoteId}` };
  options.items.comment(item, comment);
  return json(200, {
    ...{ kind: 'youtube#commentThread', etag: ETAG, id: remoteId },
    ...pick(
      { snippet: () => threadOf(item, comment, call.account, { baseUrl: options.baseUrl, isPlain: false }) },
      parts,
    ),
  });
}

/** GET /youtube/v3/commentThreads of a video, newest first; a comment is listed after a while. */
export function listCommentThreads(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const parts = readParts(call, ['snippet', 'replies']);
  if ('status' in parts) return parts;
  const { query, now } = call;
  if (!query.has('videoId')) return missingParameter('videoId');
  const item = commentable(query.get('videoId'), call, options);
  if ('headers' in item) return item;
  const until = now - options.timing.scaled('youtube', LISTED_AFTER_MS);
  const listed = (item.comments ?? []).filter(({ publishedAt }) => publishedAt <= until).toReversed();
  const page = pageOf(listed, call, ({ remoteId }) => remoteId, MAX_LISTED);
  if ('status' in page) return page;
  const isPlain = query.get('textFormat') === 'plainText';
  const threads = page.shown.map((comment) => ({
    ...{ kind: 'youtube#commentThread', etag: ETAG, id: comment.remoteId },
    ...pick({ snippet: () => threadOf(item, comment, call.account, { baseUrl: options.baseUrl, isPlain }) }, parts),
  }));
  return listOf('commentThreadListResponse', threads, page.more);
}
