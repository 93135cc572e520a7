/** The calls, and the scopes that each call on behalf of an account needs. */
const MEDIA_CALLS = [
  'media.upload',
  'media.initialize',
  'media.append',
  'media.finalize',
  'media.status',
  'media.metadata',
] as const;

export const ACCOUNT_CALLS = ['tweets.create', 'tweets.reply', 'users.me', 'users.tweets', ...MEDIA_CALLS] as const;
export type AccountCall = (typeof ACCOUNT_CALLS)[number];

export const X_CALLS = ['oauth.authorize', 'oauth.token', 'oauth.revoke', ...ACCOUNT_CALLS] as const;
export type XCall = (typeof X_CALLS)[number];

export const NEEDED_SCOPES: Readonly<Record<AccountCall, readonly string[]>> = {
  'tweets.create': ['tweet.read', 'tweet.write', 'users.read'],
  'tweets.reply': ['tweet.read', 'tweet.write', 'users.read'],
  'users.tweets': ['tweet.read', 'users.read'],
  'users.me': ['tweet.read', 'users.read'],
  'media.upload': ['media.write'],
  'media.initialize': ['media.write'],
  'media.append': ['media.write'],
  'media.finalize': ['media.write'],
  'media.status': ['media.write'],
  'media.metadata': ['media.write'],
};
