/** The calls with a token of a Page. The first is the default of a fault. */
export const PAGE_CALLS = [
  'posts.publish',
  'photos.create',
  'feed.create',
  'feed.list',
  'published_posts.list',
  'videos.create',
  'videos.start',
  'videos.transfer',
  'videos.finish',
  'videos.cancel',
  'video_reels.start',
  'video_reels.finish',
  'video_reels.list',
  'photo_stories.create',
  'video_stories.start',
  'video_stories.finish',
  'stories.list',
  'comments.create',
  'comments.list',
  'thumbnails.create',
  'thumbnails.list',
  'page.read',
  'objects.read',
  'objects.delete',
] as const;
export type PageCall = (typeof PAGE_CALLS)[number];

/** Calls with a token of a person. */
export const PERSON_CALLS = [
  'me',
  'me.accounts',
  'me.permissions',
  'uploads.start',
  'uploads.transfer',
  'uploads.read',
] as const;
export type PersonCall = (typeof PERSON_CALLS)[number];

/** Calls to a host of its own, whose answers have another shape. */
export const UPLOAD_CALL = 'video.upload';

export const FACEBOOK_CALLS = [
  'oauth.dialog',
  'oauth.access_token',
  'debug_token',
  ...PERSON_CALLS,
  ...PAGE_CALLS,
  UPLOAD_CALL,
] as const;
export type FacebookCall = (typeof FACEBOOK_CALLS)[number];

/** The calls after which something may be public. */
export const PUBLISHING = [
  'posts.publish',
  'feed.create',
  'photos.create',
  'videos.create',
  'videos.finish',
  'video_reels.finish',
  'photo_stories.create',
  'video_stories.finish',
  'comments.create',
] as const satisfies readonly PageCall[];

const READING: readonly FacebookCall[] = [
  'feed.list',
  'published_posts.list',
  'video_reels.list',
  'stories.list',
  'comments.list',
  'thumbnails.list',
  'page.read',
  'objects.read',
];

export const PUBLISH_SCOPE = 'pages_manage_posts';
export const READ_SCOPE = 'pages_read_engagement';
export const LIST_SCOPE = 'pages_show_list';
export const PORTFOLIO_SCOPE = 'business_management';
export const COMMENT_SCOPE = 'pages_manage_engagement';

export const FACEBOOK_SCOPES: readonly string[] = [
  ...[
    LIST_SCOPE,
    READ_SCOPE,
    PUBLISH_SCOPE,
    PORTFOLIO_SCOPE,
    COMMENT_SCOPE,
    'pages_read_user_content',
    'publish_video',
  ],
  ...['instagram_basic', 'instagram_content_publish', 'instagram_manage_comments', 'public_profile'],
];

export const scopeOf = (call: PageCall | typeof UPLOAD_CALL): string =>
  READING.includes(call) ? READ_SCOPE : call === 'comments.create' ? COMMENT_SCOPE : PUBLISH_SCOPE;
