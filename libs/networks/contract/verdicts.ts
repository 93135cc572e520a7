import type { Failure } from './adapter.ts';

/** What a row of a Network's error table says of a refusal. */
export type Verdict = Pick<Failure, 'reason' | 'retry'> & { readonly delayMs?: number };

/**
 * What a comment is for is not there: just live, the next call may not see it yet; or it was deleted. It is no trouble
 * of the Network, which would hold back other posts of the account.
 */
export const NOT_THERE_YET = {
  reason: 'rejected_by_platform',
  retry: 'later',
  delayMs: 30_000,
  giveUpAfterMs: 10 * 60_000,
} as const;
export const REJECTED = { reason: 'rejected_by_platform', retry: 'never' } as const;
export const RECONNECT = { reason: 'needs_reconnect', retry: 'afterReconnect' } as const;
/**
 * A refresh brings a new token where one can be had at all; where none can, the refresh itself is refused, and a person
 * must connect the Channel again.
 */
export const TOKEN_REFUSED = { reason: 'needs_reconnect', retry: 'refresh' } as const;
export const MEDIA = { reason: 'media_problem', retry: 'never' } as const;
/** Worth another try, with a file made or uploaded anew. */
export const MEDIA_ONCE = { reason: 'media_problem', retry: 'once' } as const;
