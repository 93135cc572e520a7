import { avatarPath } from '../avatar.ts';
import { json } from '../exchange.ts';
import type { Answer } from '../exchange.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import type { Asked, YoutubeDeps } from './asked.ts';
import { badRequest, googleError } from './errors.ts';
import { viewsInAll } from './figures.ts';
import { uploadStatusOf } from './videos.ts';
import type { Video } from './videos.ts';

const MOST_RESULTS = 50;

const partsOf = ({ query }: Asked): readonly string[] => (query.get('part') ?? '').split(',').map((part) => part.trim()).filter((part) => part !== '');
const noPart = () => googleError(400, 'missingRequiredParameter', "No filter selected, or the parameter 'part' is missing.", 'youtube.parameter');

function pick(all: Readonly<Record<string, unknown>>, parts: readonly string[]): object {
  return Object.fromEntries(parts.filter((part) => Object.hasOwn(all, part)).map((part) => [part, all[part]]));
}

export function videoResource(video: Video, parts: readonly string[], now: number): object {
  const { videoId, accountId, title, description, privacy, uploadedAt, failureReason, rejectionReason } = video;
  const uploadStatus = uploadStatusOf(video, now);
  const { views, likes, comments } = viewsInAll(video, now);
  const reasons = { ...(uploadStatus === 'failed' ? { failureReason } : {}), ...(uploadStatus === 'rejected' ? { rejectionReason } : {}) };
  const all = {
    snippet: { publishedAt: new Date(uploadedAt).toISOString(), channelId: accountId, title, description, categoryId: '22' },
    status: { uploadStatus, ...reasons, privacyStatus: privacy, license: 'youtube', embeddable: true, madeForKids: false },
    processingDetails: { processingStatus: uploadStatus === 'uploaded' ? 'processing' : uploadStatus === 'failed' ? 'failed' : 'succeeded' },
    statistics: { viewCount: String(views), likeCount: String(likes), favoriteCount: '0', commentCount: String(comments) },
  };
  return { kind: 'youtube#video', etag: 'sandbox', id: videoId, ...pick(all, parts) };
}

function listOf(kind: string, items: readonly object[]): Answer {
  return json(200, { kind: `youtube#${kind}`, etag: 'sandbox', items, pageInfo: { totalResults: items.length, resultsPerPage: items.length } });
}

/** GET /youtube/v3/videos: one's own, by id; what is not there is left out. */
export function listVideos(asked: Asked, { videos }: YoutubeDeps): Answer {
  const parts = partsOf(asked);
  const ids = (asked.query.get('id') ?? '').split(',').filter((id) => id !== '');
  if (parts.length === 0 || ids.length === 0) return noPart();
  if (ids.length > MOST_RESULTS) return badRequest('invalidParameter', 'At most 50 ids.');
  const found = ids.flatMap((id) => videos.get(id) ?? []).filter(({ accountId }) => accountId === asked.account.accountId);
  return listOf('videoListResponse', found.map((video) => videoResource(video, parts, asked.now)));
}

export const uploadsOf = (accountId: string): string => `UU${accountId}`;

/** GET /youtube/v3/channels?mine=true */
export function listChannels(asked: Asked, { baseUrl }: YoutubeDeps): Answer {
  const parts = partsOf(asked);
  if (parts.length === 0 || asked.query.get('mine') !== 'true') return noPart();
  const { accountId, name, username, createdAt } = asked.account;
  const url = baseUrl() + avatarPath(asked.account);
  const thumbnails = { default: { url }, medium: { url }, high: { url } };
  const all = {
    snippet: { title: name, description: '', customUrl: `@${username}`, publishedAt: new Date(createdAt).toISOString(), thumbnails },
    contentDetails: { relatedPlaylists: { likes: '', uploads: uploadsOf(accountId) } },
    statistics: { viewCount: '0', subscriberCount: '0', hiddenSubscriberCount: false, videoCount: '0' },
  };
  return listOf('channelListResponse', [{ kind: 'youtube#channel', etag: 'sandbox', id: accountId, ...pick(all, parts) }]);
}

/** GET /youtube/v3/playlistItems of the channel's uploads, newest first. */
export function listUploads(asked: Asked, deps: YoutubeDeps): Answer {
  const parts = partsOf(asked);
  const { query, account, now } = asked;
  if (parts.length === 0) return noPart();
  if (query.get('playlistId') !== uploadsOf(account.accountId)) return googleError(404, 'playlistNotFound', 'The playlist cannot be found.', 'youtube.playlistItem');
  const most = Math.min(Math.max(Number(query.get('maxResults') ?? 5) || 5, 1), MOST_RESULTS);
  const until = now - deps.timing.scaled('youtube', LISTED_AFTER_MS);
  const items = deps.items.ofAccount('youtube', account.accountId, { descending: true }).filter(({ publishedAt }) => publishedAt <= until).slice(0, most);
  const shown = items.map(({ remoteId, title, text, publishedAt }) => {
    const at = new Date(publishedAt).toISOString();
    const all = {
      snippet: { publishedAt: at, channelId: account.accountId, title, description: text, resourceId: { kind: 'youtube#video', videoId: remoteId } },
      contentDetails: { videoId: remoteId, videoPublishedAt: at },
      status: { privacyStatus: 'public' },
    };
    return { kind: 'youtube#playlistItem', etag: 'sandbox', id: `item-${remoteId}`, ...pick(all, parts) };
  });
  return listOf('playlistItemListResponse', shown);
}
