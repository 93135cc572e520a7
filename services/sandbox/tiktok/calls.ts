/** The calls in the name of an account. */
export const ACCOUNT_CALLS = [
  'video.init',
  'content.init',
  'status.fetch',
  'creator_info',
  'publish.cancel',
  'video.list',
  'user.info',
] as const;
export type AccountCall = (typeof ACCOUNT_CALLS)[number];

/** Calls to the address of an upload: the chunk with the last byte, and those before it. */
const UPLOAD_CALLS = ['video.upload', 'video.upload_part'] as const;
export type UploadCall = (typeof UPLOAD_CALLS)[number];

export const TIKTOK_CALLS = [
  'oauth.authorize',
  'oauth.token',
  'oauth.revoke',
  ...UPLOAD_CALLS,
  ...ACCOUNT_CALLS,
] as const;
export type TiktokCall = (typeof TIKTOK_CALLS)[number];

export const TIKTOK_SCOPES = [
  ...['user.info.basic', 'user.info.profile', 'user.info.stats'],
  ...['video.publish', 'video.list', 'video.upload'],
];

export const NEEDED_SCOPE: Readonly<Record<AccountCall, string>> = {
  'video.init': 'video.publish',
  'content.init': 'video.publish',
  'status.fetch': 'video.publish',
  creator_info: 'video.publish',
  'publish.cancel': 'video.publish',
  'video.list': 'video.list',
  'user.info': 'user.info.basic',
};
