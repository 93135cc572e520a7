import { isRecord, json, type SandboxAnswer } from '../exchange.ts';
import { shelf, type SandboxStore } from '../store/store.ts';
import { googleError, missingParameter, parseError, videoNotFound } from './errors.ts';
import { PLAYLIST_ITEM_NAMES, refuseUnknown } from './known-names.ts';
import { NO_CHANNEL } from './oauth.ts';
import { ETAG, listOf, pageOf, pick, readParts } from './parts.ts';
import type { UploadRequest, YoutubeOptions } from './upload-request.ts';
import type { YoutubeVideo } from './videos.ts';

/** A place of a video in a playlist; the same video may have several. */
interface PlaylistEntry {
  readonly entryId: string;
  readonly playlistId: string;
  readonly videoId: string;
  readonly addedAt: number;
}

const entriesOf = (store: SandboxStore) => shelf<PlaylistEntry>(store, 'youtube.playlist-entries');

export const uploadsOf = (accountId: string): string => `UU${accountId}`;

/** The playlists that the person made; the limit `playlists` says how many. */
function playlistIds({ account }: UploadRequest, { limits }: YoutubeOptions): readonly string[] {
  if (account.kind === NO_CHANNEL) return [];
  return Array.from({ length: limits.get('playlists') }, (_, each) => `PL${account.accountId}_${each + 1}`);
}

const titleOf = (playlistId: string): string => `Playlist ${playlistId.replace(/^.*_/s, '')}`;

export const playlistNotFound = () =>
  googleError(
    404,
    'playlistNotFound',
    "The playlist identified with the request's playlistId parameter cannot be found.",
    { domain: 'youtube.playlistItem', location: 'playlistId', locationType: 'parameter' },
  );

const badItem = (reason: string, message: string) =>
  googleError(400, reason, message, { domain: 'youtube.playlistItem', location: 'body', locationType: 'other' });

/** GET /youtube/v3/playlists?mine=true: those that the person made, not the one of uploads. */
export function listPlaylists(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const parts = readParts(call, ['snippet', 'status', 'contentDetails']);
  if ('status' in parts) return parts;
  const { query, account } = call;
  if (query.get('mine') !== 'true' && query.get('channelId') !== account.accountId && !query.has('id'))
    return missingParameter('mine');
  const ids = query.get('id')?.split(',');
  const own = playlistIds(call, options).filter((id) => ids?.includes(id) ?? true);
  const page = pageOf(own, call, (id) => id);
  if ('status' in page) return page;
  const resources = page.shown.map((id) => ({
    ...{ kind: 'youtube#playlist', etag: ETAG, id },
    ...pick(
      {
        snippet: () => ({
          publishedAt: new Date(account.createdAt).toISOString(),
          channelId: account.accountId,
          title: titleOf(id),
          description: '',
          channelTitle: account.name,
        }),
        status: () => ({ privacyStatus: 'public' }),
        contentDetails: () => ({ itemCount: entriesOf(options.store).scan({ prefix: `${id}/` }).length }),
      },
      parts,
    ),
  }));
  return listOf('playlistListResponse', resources, page.more);
}

export function playlistItem(
  { videoId, accountId, metadata, uploadedAt }: YoutubeVideo,
  place: { readonly entryId: string; readonly playlistId: string; readonly addedAt: number },
  parts: readonly string[],
): object {
  const { title, description, privacy } = metadata;
  const all = {
    snippet: () => ({
      publishedAt: new Date(place.addedAt).toISOString(),
      channelId: accountId,
      title,
      description,
      playlistId: place.playlistId,
      resourceId: { kind: 'youtube#video', videoId },
    }),
    contentDetails: () => ({ videoId, videoPublishedAt: new Date(uploadedAt).toISOString() }),
    status: () => ({ privacyStatus: privacy }),
  };
  return { kind: 'youtube#playlistItem', etag: ETAG, id: place.entryId, ...pick(all, parts) };
}

/** The entries of a playlist that the person made, in their order; null: it is no such playlist. */
export function listEntries(
  call: UploadRequest,
  options: YoutubeOptions,
  parts: readonly string[],
): SandboxAnswer | null {
  const playlistId = call.query.get('playlistId') ?? '';
  if (!playlistIds(call, options).includes(playlistId)) return null;
  const wanted = call.query.get('videoId');
  const entries = entriesOf(options.store)
    .scan({ prefix: `${playlistId}/` })
    .map(({ value }) => value)
    .filter(({ videoId }) => wanted === null || videoId === wanted);
  const page = pageOf(entries, call, ({ entryId }) => entryId);
  if ('status' in page) return page;
  const items = page.shown.map((entry) => playlistItem(options.videos.get(entry.videoId)!, entry, parts));
  return listOf('playlistItemListResponse', items, page.more);
}

/** POST /youtube/v3/playlistItems: a further place of a video of the channel; YouTube takes the same video twice. */
export function insertPlaylistItem(call: UploadRequest, options: YoutubeOptions): SandboxAnswer {
  const parts = readParts(call, ['snippet', 'contentDetails', 'status']);
  if ('status' in parts) return parts;
  const body = call.request.json();
  if (body === undefined) return parseError();
  const refused = refuseUnknown(body, PLAYLIST_ITEM_NAMES);
  if (refused !== null) return refused;
  const snippet = isRecord(body) && isRecord(body['snippet']) ? body['snippet'] : {};
  const { playlistId, resourceId } = snippet;
  if (typeof playlistId !== 'string' || playlistId === '')
    return badItem('playlistIdRequired', 'The request does not specify a value for the required playlistId property.');
  if (!isRecord(resourceId))
    return badItem('resourceIdRequired', 'The request must specify a resourceId property for the playlist item.');
  if (resourceId['kind'] !== 'youtube#video')
    return badItem('invalidResourceType', 'The type set for the resource ID is not supported.');
  if (!playlistIds(call, options).includes(playlistId)) return playlistNotFound();
  const video = options.videos.get(String(resourceId['videoId']));
  const item = video === null ? null : options.items.get('youtube', call.account.accountId, video.videoId);
  if (video === null || item === null) return videoNotFound();
  const entry = { entryId: options.remoteIds.next(), playlistId, videoId: video.videoId, addedAt: call.now };
  entriesOf(options.store).put(`${playlistId}/${entry.entryId}`, entry);
  const told = item.options ?? {};
  options.items.change(item, { options: { ...told, playlistIds: [...(told.playlistIds ?? []), playlistId] } });
  return json(200, playlistItem(video, entry, parts));
}
