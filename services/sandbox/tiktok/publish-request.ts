import type { Account } from '../accounts.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { Grant } from '../grants.ts';
import type { Limits } from '../limits.ts';
import type { SimulatorOptions } from '../simulator.ts';
import type { Use, Uses } from '../uses.ts';
import type { Publications } from './publications.ts';

/** Configurable. */
export const TIKTOK_LIMITS = {
  initsPerMinute: 6,
  statusPerMinute: 30,
  creatorInfoPerMinute: 20,
  postsPerDay: 15,
  videoSeconds: 600,
};
export type TiktokLimit = keyof typeof TIKTOK_LIMITS;

export interface TiktokOptions {
  /** Domains of the internet whose ownership the app has verified, with all below them. */
  readonly verifiedDomains?: readonly string[];
}

export interface TiktokCallOptions extends SimulatorOptions, TiktokOptions {
  readonly publications: Publications;
  readonly limits: Limits<TiktokLimit>;
  readonly uses: Uses;
}

/** An admitted call in the name of an account. */
export interface PublishRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: URLSearchParams;
  readonly account: Account;
  readonly grant: Grant;
  readonly fault: Fault<NetworkFault> | null;
  readonly now: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Waits are shorter here, so that clients poll as often within a shorter minute. */
export function withinMinute(
  what: 'initsPerMinute' | 'statusPerMinute' | 'creatorInfoPerMinute',
  { account, now }: PublishRequest,
  { uses, limits, timing }: TiktokCallOptions,
): boolean {
  return uses.admit(
    { what, accountId: account.accountId, windowMs: timing.scaled('tiktok', MINUTE_MS) },
    limits.get(what),
    now,
  );
}

/** Whether TikTok has not audited the app: then it takes only what the creator alone may see. */
export const isUnaudited = ({ appStates }: TiktokCallOptions): boolean => appStates.get('tiktok').state === 'unaudited';

export const postsOf = (accountId: string): Use => ({ what: 'posts', accountId, windowMs: DAY_MS });

/** Whether the account has reached its posts of a day. */
export function isPostedOut(accountId: string, { uses, limits }: TiktokCallOptions, now: number): boolean {
  return uses.count(postsOf(accountId), now) >= limits.get('postsPerDay');
}
