import type { Items } from '../items.ts';
import type { Limits } from '../limits.ts';
import type { Use } from '../uses.ts';

const DAY_MS = 24 * 3_600_000;

/** Posts, and replies apart from them, within any 24 hours; configurable. */
export const THREADS_LIMITS = { postsPerDay: 250, repliesPerDay: 1_000 };
export type ThreadsLimit = keyof typeof THREADS_LIMITS;

export interface PublishingQuota {
  total(): number;
  used(accountId: string, now: number): number;
  count(accountId: string, now: number): void;
}

/** An account's replies within any 24 hours. */
export const repliesOf = (accountId: string): Use => ({ what: 'replies', accountId, windowMs: DAY_MS });

/** The live items are counted, so their instants are read once and kept in memory from then on. */
export function createPublishingQuota(items: Items, limits: Limits<ThreadsLimit>): PublishingQuota {
  const instants = new Map<string, number[]>();
  const recent = (accountId: string, now: number): number[] => {
    let kept = instants.get(accountId);
    if (kept === undefined) {
      kept = items
        .ofAccount('threads', accountId, { descending: true, limit: limits.get('postsPerDay') })
        .map(({ publishedAt }) => publishedAt);
      kept.reverse();
      instants.set(accountId, kept);
    }
    const ended = kept.findIndex((instant) => instant > now - DAY_MS);
    if (ended !== 0) kept.splice(0, ended < 0 ? kept.length : ended);
    return kept;
  };
  return {
    total: () => limits.get('postsPerDay'),
    used: (accountId, now) => recent(accountId, now).length,
    count: (accountId, now) => void recent(accountId, now).push(now),
  };
}
