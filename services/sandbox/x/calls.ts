/** What can be called, and what each call on behalf of an account needs. */
export const X_CALLS = ['oauth.authorize', 'oauth.token', 'oauth.revoke', 'users.me', 'tweets.create', 'users.tweets'] as const;
export type XCall = (typeof X_CALLS)[number];

export const ACCOUNT_CALLS = ['tweets.create', 'users.me', 'users.tweets'] as const;
export type AccountCall = (typeof ACCOUNT_CALLS)[number];

export const NEEDED_SCOPES: Readonly<Record<AccountCall, readonly string[]>> = {
  'tweets.create': ['tweet.read', 'tweet.write', 'users.read'],
  'users.tweets': ['tweet.read', 'users.read'],
  'users.me': ['tweet.read', 'users.read'],
};
