import { avatarPath } from '../avatar.ts';
import type { SandboxAnswer } from '../exchange.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import type { PublishRequest, TiktokCallOptions } from './publish-request.ts';
import { done, invalidParameter, missingScope } from './envelope.ts';
import { PUBLIC } from './post-info.ts';
import { statusOf } from './publications.ts';

/** The requested fields; a message where there are none, or an unknown one. */
function readFields({ query }: PublishRequest, known: readonly string[]): readonly string[] | string {
  const fields = (query.get('fields') ?? '').split(',').filter((field) => field !== '');
  return fields.length > 0 && fields.every((field) => known.includes(field))
    ? fields
    : `fields must name some of ${known.join(', ')}.`;
}

const select = (fields: readonly string[], all: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(fields.map((field) => [field, all[field]]));

const BASIC = ['open_id', 'union_id', 'avatar_url', 'avatar_url_100', 'avatar_large_url', 'display_name'];
const PROFILE = ['username', 'bio_description', 'profile_web_link', 'profile_deep_link', 'is_verified'];
const STATS = ['follower_count', 'following_count', 'likes_count', 'video_count'];
/** Fields that need more than the scope of the call. */
const SCOPES_OF_FIELDS = [
  { fields: PROFILE, scope: 'user.info.profile' },
  { fields: STATS, scope: 'user.info.stats' },
];

/** GET /v2/user/info/: one field without its scope refuses the whole call. */
export function userInfo(call: PublishRequest, { baseUrl }: TiktokCallOptions): SandboxAnswer {
  const fields = readFields(call, [...BASIC, ...PROFILE, ...STATS]);
  if (typeof fields === 'string') return invalidParameter(fields);
  const { account, grant } = call;
  const isLacking = SCOPES_OF_FIELDS.some(
    ({ fields: some, scope }) => !grant.scopes.includes(scope) && fields.some((field) => some.includes(field)),
  );
  if (isLacking) return missingScope();
  const avatar = baseUrl() + avatarPath(account);
  const link = `${baseUrl()}/sim/tiktok/@${account.username}`;
  const user = {
    ...{ open_id: account.accountId, union_id: `union-${account.accountId}`, display_name: account.name },
    ...{ avatar_url: avatar, avatar_url_100: avatar, avatar_large_url: avatar },
    ...{ username: account.username, bio_description: '', is_verified: false },
    ...{ profile_web_link: link, profile_deep_link: link },
    ...{ follower_count: 0, following_count: 0, likes_count: 0, video_count: 0 },
  };
  return done({ user: select(fields, user) });
}

const VIDEO_FIELDS = ['id', 'create_time', 'share_url', 'title', 'video_description', 'duration', 'width', 'height'];
const MAX_LISTED = 20;
const LISTED = 10;

/**
 * POST /v2/video/list/: public videos, newest first, once they were moderated; photos are not among them.
 * `cursor`: milliseconds, of the last one seen.
 */
export function listVideos(call: PublishRequest, options: TiktokCallOptions): SandboxAnswer {
  const fields = readFields(call, VIDEO_FIELDS);
  if (typeof fields === 'string') return invalidParameter(fields);
  const { body, account, now, fault } = call;
  const { max_count: most = LISTED, cursor = 0 } = body;
  if (!Number.isSafeInteger(most) || (most as number) < 1 || (most as number) > MAX_LISTED)
    return invalidParameter(`max_count must be from 1 to ${MAX_LISTED}.`);
  if (!Number.isSafeInteger(cursor) || (cursor as number) < 0)
    return invalidParameter('cursor must be a time in milliseconds.');
  const until = now - options.timing.scaled('tiktok', LISTED_AFTER_MS);
  const before = cursor === 0 ? Infinity : (cursor as number);
  const videos = options.items
    .ofAccount('tiktok', account.accountId, { descending: true })
    .filter(({ remoteId, publishedAt }) => {
      const publication = publishedAt <= until && publishedAt < before ? options.publications.byPost(remoteId) : null;
      return (
        publication !== null &&
        publication.kind === 'video' &&
        publication.privacy === PUBLIC &&
        statusOf(publication, now) === 'PUBLISH_COMPLETE' &&
        (publication.idShownAt ?? 0) <= now
      );
    });
  const shown = videos.slice(0, most as number);
  const data = shown.map(({ remoteId, publishedAt, text, path, media }) => {
    const { durationMs, width, height } = options.files.get(media[0]!.sha256)!;
    return select(fields, {
      id: remoteId,
      create_time: Math.floor(publishedAt / 1000),
      share_url: fault?.fault === 'permalink_missing' ? '' : options.baseUrl() + path,
      title: text,
      video_description: text,
      duration: Math.round(durationMs / 1000),
      ...{ width, height },
    });
  });
  return done({ videos: data, cursor: shown.at(-1)?.publishedAt ?? 0, has_more: videos.length > shown.length });
}
