import { isRecord, type SandboxAnswer } from '../exchange.ts';
import { unknownName } from './errors.ts';

/** The names of a resource's fields; `true`: whatever the field holds is not looked into. */
export interface NameTree {
  readonly [name: string]: NameTree | true;
}

const leaves = (names: string): NameTree =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, true]),
  );

const ABOUT = leaves('kind etag id');

/** `Video` of the Data API. */
export const VIDEO_NAMES: NameTree = {
  ...ABOUT,
  ...leaves(
    'ageGating contentDetails fileDetails liveStreamingDetails localizations monetizationDetails ' +
      'paidProductPlacementDetails player processingDetails projectDetails recordingDetails statistics suggestions ' +
      'topicDetails',
  ),
  snippet: leaves(
    'publishedAt channelId title description thumbnails channelTitle tags categoryId liveBroadcastContent ' +
      'defaultLanguage localized defaultAudioLanguage',
  ),
  status: leaves(
    'uploadStatus failureReason rejectionReason privacyStatus publishAt license embeddable publicStatsViewable ' +
      'madeForKids selfDeclaredMadeForKids containsSyntheticMedia',
  ),
};

/** `PlaylistItem` of the Data API. */
export const PLAYLIST_ITEM_NAMES: NameTree = {
  ...ABOUT,
  ...leaves('status'),
  contentDetails: leaves('videoId startAt endAt note videoPublishedAt'),
  snippet: {
    ...leaves(
      'publishedAt channelId title description thumbnails channelTitle playlistId position videoOwnerChannelTitle ' +
        'videoOwnerChannelId',
    ),
    resourceId: leaves('kind videoId channelId playlistId'),
  },
};

/** `CommentThread` of the Data API. */
export const COMMENT_THREAD_NAMES: NameTree = {
  ...ABOUT,
  ...leaves('replies'),
  snippet: {
    ...leaves('channelId videoId canReply totalReplyCount isPublic'),
    topLevelComment: {
      ...ABOUT,
      snippet: leaves(
        'authorDisplayName authorProfileImageUrl authorChannelUrl authorChannelId channelId videoId textDisplay ' +
          'textOriginal parentId canRate viewerRating likeCount moderationStatus publishedAt updatedAt',
      ),
    },
  },
};

/** Google refuses a body that has a field which its resource lacks, and names the field and its place; null: none. */
export function refuseUnknown(body: unknown, names: NameTree, at = 'resource'): SandboxAnswer | null {
  if (!isRecord(body)) return null;
  for (const [name, value] of Object.entries(body)) {
    const known = Object.hasOwn(names, name) ? names[name]! : null;
    if (known === null) return unknownName(name, at);
    const inside = known === true ? null : refuseUnknown(value, known, `${at}.${toSnakeCase(name)}`);
    if (inside !== null) return inside;
  }
  return null;
}

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
