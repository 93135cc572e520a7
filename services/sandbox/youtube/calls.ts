/** The calls in the name of a channel. The first is the default of a fault. */
export const CHANNEL_CALLS = [
  'videos.insert',
  'videos.list',
  'channels.list',
  'playlistItems.list',
  'playlistItems.insert',
  'playlists.list',
  'thumbnails.set',
  'commentThreads.insert',
  'commentThreads.list',
  'videoCategories.list',
  'reports.query',
] as const;
export type ChannelCall = (typeof CHANNEL_CALLS)[number];

/**
 * Calls to the address of an upload: the one with the last byte, those before it, and the question how many bytes
 * arrived.
 */
export const SESSION_CALLS = ['videos.upload', 'videos.upload_part', 'videos.upload_status'] as const;
export type SessionCall = (typeof SESSION_CALLS)[number];

export const YOUTUBE_CALLS = ['oauth.auth', 'oauth.token', 'oauth.revoke', ...SESSION_CALLS, ...CHANNEL_CALLS] as const;
export type YoutubeCall = (typeof YOUTUBE_CALLS)[number];

const UPLOAD = 'https://www.googleapis.com/auth/youtube.upload';
const READ = 'https://www.googleapis.com/auth/youtube.readonly';
const ANALYTICS = 'https://www.googleapis.com/auth/yt-analytics.readonly';

const MANAGE = 'https://www.googleapis.com/auth/youtube';
const COMMENT = 'https://www.googleapis.com/auth/youtube.force-ssl';

export const YOUTUBE_SCOPES = [UPLOAD, READ, ANALYTICS, MANAGE, COMMENT, 'openid', 'email', 'profile'];

const READING = [READ, MANAGE, COMMENT];
const UPLOADING = [UPLOAD, MANAGE, COMMENT];

/** One of each row is needed. */
export const NEEDED_SCOPES: Readonly<Record<ChannelCall, readonly (readonly string[])[]>> = {
  'videos.insert': [UPLOADING],
  'videos.list': [READING],
  'channels.list': [READING],
  'playlistItems.list': [READING],
  'playlistItems.insert': [[MANAGE, COMMENT]],
  'playlists.list': [READING],
  'thumbnails.set': [UPLOADING],
  'commentThreads.insert': [[COMMENT]],
  'commentThreads.list': [[COMMENT]],
  'videoCategories.list': [READING],
  'reports.query': [[ANALYTICS], READING],
};
