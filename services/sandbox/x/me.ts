import type { Account } from '../accounts.ts';
import { json, type SandboxAnswer } from '../exchange.ts';
import { avatarPath } from '../avatar.ts';

/** GET /2/users/me. Fields that X has no name for are dropped without a word. */
export function me(query: URLSearchParams, account: Account, baseUrl: string): SandboxAnswer {
  const always = { id: account.accountId, name: account.name, username: account.username };
  const onDemand: Readonly<Record<string, unknown>> = {
    profile_image_url: baseUrl + avatarPath(account),
    verified: false,
    verified_type: 'none',
    subscription_type: account.kind,
    created_at: new Date(account.createdAt).toISOString(),
    description: '',
    public_metrics: { followers_count: 0, following_count: 0, tweet_count: 0, listed_count: 0 },
  };
  const fields = (query.get('user.fields') ?? '').split(',').filter((field) => field !== '');
  const extra = Object.fromEntries(
    fields.filter((field) => Object.hasOwn(onDemand, field)).map((field) => [field, onDemand[field]]),
  );
  return json(200, { data: { ...always, ...extra } });
}
