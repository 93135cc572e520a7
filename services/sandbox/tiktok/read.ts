import { avatarPath } from '../avatar.ts';
import type { Answer } from '../exchange.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import type { Asked, TiktokDeps } from './asked.ts';
import { bigNumber, done, foreignPublication, invalidParameter, tooManyCalls, unknownPublication } from './envelope.ts';
import { withinMinute } from './init.ts';
import { statusOf } from './publications.ts';
import type { Publication } from './publications.ts';

/** The publication that the call names; an answer where it is not there or somebody else's. */
function named({ body, account }: Asked, { publications }: TiktokDeps): Publication | Answer {
  const publication = typeof body['publish_id'] === 'string' ? publications.get(body['publish_id']) : null;
  if (publication === null) return unknownPublication();
  return publication.accountId === account.accountId ? publication : foreignPublication();
}

/** POST /v2/post/publish/status/fetch/ */
export function fetchStatus(asked: Asked, deps: TiktokDeps): Answer {
  if (!withinMinute('statusPerMinute', asked, deps)) return tooManyCalls();
  const publication = named(asked, deps);
  if ('status' in publication) return publication;
  const { upload, files, failReason, idShownAt, postId } = publication;
  const status = statusOf(publication, asked.now);
  const bytes = files === null ? (upload === null ? 0 : deps.files.size(upload.uploadId)) : files.reduce((sum, file) => sum + file.bytes, 0);
  const shown = status === 'PUBLISH_COMPLETE' && idShownAt !== null && asked.now >= idShownAt && asked.fault?.fault !== 'permalink_missing';
  return done({
    status,
    fail_reason: status === 'FAILED' ? failReason : '',
    publicaly_available_post_id: shown ? [bigNumber(postId!)] : [],
    uploaded_bytes: upload === null ? 0 : bytes,
    downloaded_bytes: upload === null ? bytes : 0,
  });
}

/** POST /v2/post/publish/cancel/: while it is still coming. */
export function cancel(asked: Asked, deps: TiktokDeps): Answer {
  const publication = named(asked, deps);
  if ('status' in publication) return publication;
  if (publication.files !== null || publication.upload === null) return invalidParameter('The publication can not be cancelled any more.');
  deps.files.discard(publication.upload.uploadId);
  deps.publications.put({ ...publication, files: [], failReason: 'publish_cancelled', readyAt: asked.now });
  return done({});
}

const VIDEO_FIELDS = ['id', 'create_time', 'share_url', 'title', 'video_description', 'duration', 'cover_image_url', 'width', 'height'];

/** POST /v2/video/list/: newest first; photos are not among them. */
export function listVideos(asked: Asked, deps: TiktokDeps): Answer {
  const { body, query, account, now } = asked;
  const fields = (query.get('fields') ?? '').split(',').filter((field) => field !== '');
  if (fields.length === 0 || fields.some((field) => !VIDEO_FIELDS.includes(field))) return invalidParameter(`fields must name some of ${VIDEO_FIELDS.join(', ')}.`);
  const most = typeof body['max_count'] === 'number' ? Math.min(Math.max(1, body['max_count']), 20) : 10;
  const cursor = typeof body['cursor'] === 'number' && body['cursor'] > 0 ? body['cursor'] : Infinity;
  const until = now - deps.timing.scaled('tiktok', LISTED_AFTER_MS);
  const videos = deps.items
    .ofAccount('tiktok', account.accountId, { descending: true })
    .filter(({ media, publishedAt }) => media[0]?.contentType.startsWith('video/') === true && publishedAt <= until && publishedAt < cursor);
  const shown = videos.slice(0, most);
  const data = shown.map((item) => {
    const all: Readonly<Record<string, unknown>> = {
      id: item.remoteId,
      create_time: Math.floor(item.publishedAt / 1000),
      share_url: deps.baseUrl() + item.path,
      title: item.text,
      video_description: item.text,
      duration: Math.round((deps.files.get(item.media[0]!.sha256)?.durationMs ?? 0) / 1000),
      cover_image_url: '',
      width: 0,
      height: 0,
    };
    return Object.fromEntries(fields.map((field) => [field, all[field]]));
  });
  return done({ videos: data, cursor: shown.at(-1)?.publishedAt ?? 0, has_more: videos.length > shown.length });
}

const USER_FIELDS = ['open_id', 'union_id', 'avatar_url', 'display_name', 'username'];

/** GET /v2/user/info/ */
export function userInfo({ query, account }: Asked, scopes: readonly string[], { baseUrl }: TiktokDeps): Answer | null {
  const fields = (query.get('fields') ?? '').split(',').filter((field) => field !== '');
  if (fields.length === 0 || fields.some((field) => !USER_FIELDS.includes(field))) return invalidParameter(`fields must name some of ${USER_FIELDS.join(', ')}.`);
  if (fields.includes('username') && !scopes.includes('user.info.profile')) return null;
  const all: Readonly<Record<string, string>> = {
    open_id: account.accountId,
    union_id: `union-${account.accountId}`,
    avatar_url: baseUrl() + avatarPath(account),
    display_name: account.name,
    username: account.username,
  };
  return done({ user: Object.fromEntries(fields.map((field) => [field, all[field]])) });
}
