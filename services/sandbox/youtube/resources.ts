import { avatarPath } from '../avatar.ts';
import { json, type SandboxAnswer } from '../exchange.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import type { UploadRequest, YoutubeOptions } from './upload-request.ts';
import { badParameter, googleError, missingParameter } from './errors.ts';
import { countsOf } from './figures.ts';
import { NO_CHANNEL } from './oauth.ts';
import { ETAG, listOf, MAX_RESULTS, pageOf, pick, readParts, type ResourceParts } from './parts.ts';
import { listEntries, playlistItem, playlistNotFound, uploadsOf } from './playlists.ts';
import { uploadStatusOf, type YoutubeVideo } from './videos.ts';

const noFilter = () =>
  googleError(400, 'missingRequiredParameter', 'No filter selected. Expected one of: id, mine', {
    domain: 'youtube.parameter',
  });
const PROCESSING = { uploaded: 'processing', processed: 'succeeded', failed: 'failed', rejected: 'terminated' };
const VIDEO_PARTS = ['snippet', 'status', 'processingDetails', 'statistics'];

export function videoResource(video: YoutubeVideo, parts: readonly string[], now: number): object {
  const { videoId, accountId, metadata, uploadedAt, failureReason, rejectionReason } = video;
  const { title, description, tags, categoryId, privacy, madeForKids, isSynthetic = false } = metadata;
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
      ...(isSynthetic ? { containsSyntheticMedia: true } : {}),
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

/** GET /youtube/v3/playlistItems of the channel's uploads, newest first, or of a playlist that the person made. */
export function listPlaylistItems(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const parts = readParts(call, ['snippet', 'contentDetails', 'status']);
  if ('status' in parts) return parts;
  const { query, account, now } = call;
  if (!query.has('playlistId')) return missingParameter('playlistId');
  const uploads = uploadsOf(account.accountId);
  if (query.get('playlistId') !== uploads || account.kind === NO_CHANNEL)
    return listEntries(call, options, parts) ?? playlistNotFound();
  const until = now - options.timing.scaled('youtube', LISTED_AFTER_MS);
  const wanted = query.get('videoId');
  const listed = videosOf(account.accountId, options).filter(
    ({ videoId, uploadedAt }) => uploadedAt <= until && (wanted === null || videoId === wanted),
  );
  const page = pageOf(listed, call, ({ videoId }) => videoId);
  if ('status' in page) return page;
  const items = page.shown.map((video) =>
    playlistItem(
      video,
      { entryId: `${uploads}.${video.videoId}`, playlistId: uploads, addedAt: video.uploadedAt },
      parts,
    ),
  );
  return listOf('playlistItemListResponse', items, page.more);
}
