/** The calls in the name of a channel. The first is the default of a fault. */
export const CHANNEL_CALLS = [
  'videos.insert',
  'videos.list',
  'channels.list',
  'playlistItems.list',
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

export const YOUTUBE_SCOPES = [
  UPLOAD,
  READ,
  ANALYTICS,
  'https://www.googleapis.com/auth/youtube',
  'openid',
  'email',
  'profile',
];

/** All of these are needed. */
export const NEEDED_SCOPES: Readonly<Record<ChannelCall, readonly string[]>> = {
  'videos.insert': [UPLOAD],
  'videos.list': [READ],
  'channels.list': [READ],
  'playlistItems.list': [READ],
  'reports.query': [ANALYTICS, READ],
};
