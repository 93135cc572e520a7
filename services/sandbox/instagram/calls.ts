/**
 * The calls in the name of an account. One address reads containers and media; the kind of its id decides which call it
 * is.
 */
export const ACCOUNT_CALLS = [
  'media.publish',
  'media.create',
  'media.upload',
  'media.list',
  'stories.list',
  'comments.create',
  'comments.list',
  'publishing_limit',
  'containers.read',
  'media.read',
  'me',
] as const;
export type AccountCall = (typeof ACCOUNT_CALLS)[number];

export const INSTAGRAM_CALLS = [
  'oauth.authorize',
  'oauth.access_token',
  'access_token.exchange',
  'access_token.refresh',
  ...ACCOUNT_CALLS,
] as const;
export type InstagramCall = (typeof INSTAGRAM_CALLS)[number];

const BASIC = 'instagram_business_basic';
export const PUBLISH_SCOPE = 'instagram_business_content_publish';

const COMMENT_SCOPE = 'instagram_business_manage_comments';

export const INSTAGRAM_SCOPES = [
  BASIC,
  PUBLISH_SCOPE,
  'instagram_business_manage_messages',
  COMMENT_SCOPE,
  'instagram_business_manage_insights',
];

export function scopeOf(call: AccountCall): string {
  if (call.startsWith('comments.')) return COMMENT_SCOPE;
  return ['media.publish', 'media.create', 'media.upload'].includes(call) ? PUBLISH_SCOPE : BASIC;
}
