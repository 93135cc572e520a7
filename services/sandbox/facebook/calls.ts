/** What can be called with a token of a Page. The first is the one meant when a fault names none. */
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
  'video.upload',
  'photo_stories.create',
  'video_stories.start',
  'video_stories.finish',
  'stories.list',
  'page.read',
  'objects.read',
  'objects.delete',
] as const;
export type PageCall = (typeof PAGE_CALLS)[number];

/** What can be called with a token of a person, or with the app's own. */
export const PERSON_CALLS = ['me', 'me.accounts', 'me.permissions'] as const;
export type PersonCall = (typeof PERSON_CALLS)[number];

export const FACEBOOK_CALLS = ['oauth.dialog', 'oauth.access_token', 'debug_token', ...PERSON_CALLS, ...PAGE_CALLS] as const;
export type FacebookCall = (typeof FACEBOOK_CALLS)[number];

/** Those after which something may be public. */
export const PUBLISHING: readonly PageCall[] = [
  'posts.publish',
  'feed.create',
  'photos.create',
  'videos.create',
  'videos.finish',
  'video_reels.finish',
  'photo_stories.create',
  'video_stories.finish',
];

const READING: readonly PageCall[] = ['feed.list', 'published_posts.list', 'video_reels.list', 'stories.list', 'page.read', 'objects.read'];

export const scopeOf = (call: PageCall): string => (READING.includes(call) ? 'pages_read_engagement' : 'pages_manage_posts');
