/** The calls. One address reads containers and media; the kind of its id decides which call it is. */
export const ACCOUNT_CALLS = [
  'me',
  'threads.create',
  'threads.publish',
  'threads.list',
  'replies.create',
  'replies.publish',
  'replies.list',
  'publishing_limit',
  'containers.read',
  'media.read',
] as const;
export type AccountCall = (typeof ACCOUNT_CALLS)[number];

export const THREADS_CALLS = [
  'oauth.authorize',
  'oauth.access_token',
  'access_token.exchange',
  'access_token.refresh',
  ...ACCOUNT_CALLS,
] as const;
export type ThreadsCall = (typeof THREADS_CALLS)[number];

export const NEEDED_SCOPE: Readonly<Record<AccountCall, string>> = {
  me: 'threads_basic',
  'threads.create': 'threads_content_publish',
  'threads.publish': 'threads_content_publish',
  'threads.list': 'threads_basic',
  // On a post of one's own no more is needed than for a post.
  'replies.create': 'threads_content_publish',
  'replies.publish': 'threads_content_publish',
  'replies.list': 'threads_basic',
  publishing_limit: 'threads_basic',
  'containers.read': 'threads_basic',
  'media.read': 'threads_basic',
};
