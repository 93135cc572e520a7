import { avatarPath } from '../avatar.ts';
import { json, type SandboxAnswer } from '../exchange.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import type { UploadRequest, YoutubeOptions } from './upload-request.ts';
import { badParameter, googleError, missingParameter } from './errors.ts';
import { countsOf } from './figures.ts';
import { NO_CHANNEL } from './oauth.ts';
import { uploadStatusOf, type YoutubeVideo } from './videos.ts';

const MAX_RESULTS = 50;
const RESULTS = 5;
const ETAG = 'sandbox';

/** A resource's parts, each made only when it is requested. */
type ResourceParts = Readonly<Record<string, () => unknown>>;

const pick = (all: ResourceParts, parts: readonly string[]): object =>
  Object.fromEntries(parts.filter((part) => Object.hasOwn(all, part)).map((part) => [part, all[part]!()]));

/** The requested parts, or why they are refused. */
function readParts({ query }: UploadRequest, known: readonly string[]): readonly string[] | SandboxAnswer {
  const parts = (query.get('part') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0) return missingParameter('part');
  const unknown = parts.find((part) => part !== 'id' && !known.includes(part));
  return unknown === undefined ? parts : badParameter('unknownPart', 'part', unknown);
}

function listOf(kind: string, items: readonly object[], more: object = {}): SandboxAnswer {
  return json(200, {
    kind: `youtube#${kind}`,
    etag: ETAG,
    ...more,
    items,
    pageInfo: { totalResults: items.length, resultsPerPage: items.length },
  });
}

const noFilter = () =>
  googleError(400, 'missingRequiredParameter', 'No filter selected. Expected one of: id, mine', {
    domain: 'youtube.parameter',
  });
const PROCESSING = { uploaded: 'processing', processed: 'succeeded', failed: 'failed', rejected: 'terminated' };
const VIDEO_PARTS = ['snippet', 'status', 'processingDetails', 'statistics'];

export function videoResource(video: YoutubeVideo, parts: readonly string[], now: number): object {
  const { videoId, accountId, metadata, uploadedAt, failureReason, rejectionReason } = video;
  const { title, description, tags, categoryId, privacy, madeForKids } = metadata;
  const uploadStatus = uploadStatusOf(video, now);
  const reasons = { failed: { failureReason }, rejected: { rejectionReason }, uploaded: {}, processed: {} };
  const all: ResourceParts = {
    snippet: () => ({
      publishedAt: new Date(uploadedAt).toISOString(),
      channelId: accountId,
      title,
      description,
      ...(tags.length === 0 ? {} : { tags }),
      categoryId,
    }),
    status: () => ({
      uploadStatus,
      ...reasons[uploadStatus],
      privacyStatus: privacy,
      license: 'youtube',
      embeddable: true,
      madeForKids,
      selfDeclaredMadeForKids: madeForKids,
    }),
    processingDetails: () => ({ processingStatus: PROCESSING[uploadStatus] }),
    statistics() {
      const { views, likes, comments } = countsOf(video, now);
      return {
        viewCount: String(views),
        likeCount: String(likes),
        dislikeCount: '0',
        favoriteCount: '0',
        commentCount: String(comments),
      };
    },
  };
  return { kind: 'youtube#video', etag: ETAG, id: videoId, ...pick(all, parts) };
}

/** GET /youtube/v3/videos: the account's own, by id; missing ones are left out. */
export function listVideos(call: UploadRequest, { videos }: YoutubeOptions): SandboxAnswer {
  const parts = readParts(call, VIDEO_PARTS);
  if ('status' in parts) return parts;
  const ids = (call.query.get('id') ?? '').split(',').filter((id) => id !== '');
  if (ids.length === 0) return noFilter();
  if (ids.length > MAX_RESULTS) return badParameter('invalidParameter', 'id', `${ids.length} ids`);
  const found = ids
    .flatMap((id) => videos.get(id) ?? [])
    .filter(({ accountId }) => accountId === call.account.accountId);
  return listOf(
    'videoListResponse',
    found.map((video) => videoResource(video, parts, call.now)),
  );
}

const uploadsOf = (accountId: string): string => `UU${accountId}`;

/** The account's live videos, newest first. */
export function videosOf(accountId: string, { items, videos }: YoutubeOptions): readonly YoutubeVideo[] {
  return items
    .ofAccount('youtube', accountId, { descending: true })
    .flatMap(({ remoteId }) => videos.get(remoteId) ?? []);
}

/** GET /youtube/v3/channels?mine=true: none, where the person has no channel. */
export function listChannels(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const parts = readParts(call, ['snippet', 'contentDetails', 'statistics']);
  if ('status' in parts) return parts;
  const { account, query, now } = call;
  if (query.get('mine') !== 'true' && query.get('id') !== account.accountId) return noFilter();
  if (account.kind === NO_CHANNEL)
    return json(200, {
      kind: 'youtube#channelListResponse',
      etag: ETAG,
      pageInfo: { totalResults: 0, resultsPerPage: 5 },
    });
  const { accountId, name, username, createdAt } = account;
  const url = options.baseUrl() + avatarPath(account);
  const all: ResourceParts = {
    snippet() {
      const thumbnails = { default: { url }, medium: { url }, high: { url } };
      return {
        title: name,
        description: '',
        customUrl: `@${username}`,
        publishedAt: new Date(createdAt).toISOString(),
        thumbnails,
      };
    },
    contentDetails: () => ({ relatedPlaylists: { likes: 'LL', uploads: uploadsOf(accountId) } }),
    statistics() {
      const counts = videosOf(accountId, options).map((video) => countsOf(video, now));
      const sum = (name: 'views' | 'subscribersGained') =>
        String(counts.reduce((total, count) => total + count[name], 0));
      return {
        viewCount: sum('views'),
        subscriberCount: sum('subscribersGained'),
        hiddenSubscriberCount: false,
        videoCount: String(counts.length),
      };
    },
  };
  return listOf('channelListResponse', [{ kind: 'youtube#channel', etag: ETAG, id: accountId, ...pick(all, parts) }]);
}

/** GET /youtube/v3/playlistItems of the channel's uploads, newest first. */
export function listUploads(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const parts = readParts(call, ['snippet', 'contentDetails', 'status']);
  if ('status' in parts) return parts;
  const { query, account, now } = call;
  if (!query.has('playlistId')) return missingParameter('playlistId');
  if (query.get('playlistId') !== uploadsOf(account.accountId) || account.kind === NO_CHANNEL) {
    return googleError(
      404,
      'playlistNotFound',
      "The playlist identified with the request's playlistId parameter cannot be found.",
      { domain: 'youtube.playlistItem', location: 'playlistId', locationType: 'parameter' },
    );
  }
  const most = query.get('maxResults') ?? String(RESULTS);
  if (!/^\d{1,2}$/.test(most) || Number(most) > MAX_RESULTS)
    return badParameter('invalidParameter', 'maxResults', most);
  const after = query.get('pageToken');
  const until = now - options.timing.scaled('youtube', LISTED_AFTER_MS);
  const listed = videosOf(account.accountId, options).filter(
    ({ videoId, uploadedAt }) => uploadedAt <= until && (after === null || videoId < after),
  );
  const shown = listed.slice(0, Number(most));
  const more = listed.length > shown.length && shown.length > 0 ? { nextPageToken: shown.at(-1)!.videoId } : {};
  return listOf(
    'playlistItemListResponse',
    shown.map((video) => playlistItem(video, parts)),
    more,
  );
}

function playlistItem({ videoId, accountId, metadata, uploadedAt }: YoutubeVideo, parts: readonly string[]): object {
  const { title, description, privacy } = metadata;
  const at = new Date(uploadedAt).toISOString();
  const all: ResourceParts = {
    snippet: () => ({
      publishedAt: at,
      channelId: accountId,
      title,
      description,
      playlistId: uploadsOf(accountId),
      resourceId: { kind: 'youtube#video', videoId },
    }),
    contentDetails: () => ({ videoId, videoPublishedAt: at }),
    status: () => ({ privacyStatus: privacy }),
  };
  return { kind: 'youtube#playlistItem', etag: ETAG, id: `${uploadsOf(accountId)}.${videoId}`, ...pick(all, parts) };
}
