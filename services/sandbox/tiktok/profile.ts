import { avatarPath } from '../avatar.ts';
import type { SandboxAnswer } from '../exchange.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import type { PublishRequest, TiktokCallOptions } from './publish-request.ts';
import { done, invalidParameter, missedPermission } from './envelope.ts';
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

const USER_FIELDS = ['open_id', 'union_id', 'avatar_url', 'display_name', 'username'];

/** GET /v2/user/info/ */
export function userInfo(call: PublishRequest, { baseUrl }: TiktokCallOptions): SandboxAnswer {
  const fields = readFields(call, USER_FIELDS);
  if (typeof fields === 'string') return invalidParameter(fields);
  const { account, grant } = call;
  if (fields.includes('username') && !grant.scopes.includes('user.info.profile')) return missedPermission();
  const user = {
    open_id: account.accountId,
    union_id: `union-${account.accountId}`,
    avatar_url: baseUrl() + avatarPath(account),
    display_name: account.name,
    username: account.username,
  };
  return done({ user: select(fields, user) });
}

const VIDEO_FIELDS = ['id', 'create_time', 'share_url', 'title', 'video_description', 'duration', 'width', 'height'];
const MAX_LISTED = 20;
const LISTED = 10;

/** POST /v2/video/list/: newest first; photos are not among them. `cursor`: milliseconds, of the last one seen. */
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
      return publication !== null && publication.kind === 'video' && statusOf(publication, now) === 'PUBLISH_COMPLETE';
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
