import {
  COMMENT_CALLS,
  COMMENT_NETWORKS,
  COMMENT_STEPS,
  openCommentHarness,
  type CommentNetwork,
} from './comment-harness.fixture.ts';
import { runWithCrash } from './crash.fixture.ts';
import { COMMON, endOfVerdict, type End, type FaultCase, type PublishCrash } from './fault-matrix.fixture.ts';

const EVERYWHERE: readonly FaultCase[] = [
  ...COMMON,
  { fault: 'delay' },
  { fault: 'token_revoked' },
  { fault: 'scope_removed' },
  { fault: 'rate_limited' },
];

/** How long a call is held up that is later than its time-out. */
const LATE_MS = 90_000;

/** What each Network can do to a comment beyond that. */
const OWN: Readonly<Record<CommentNetwork, readonly FaultCase[]>> = {
  facebook: [
    { fault: 'account_restricted', reason: 'limited' },
    { fault: 'token_revoked', call: 'comments.list' },
  ],
  instagram: [
    { fault: 'account_restricted', reason: 'spam' },
    { fault: 'duplicate' },
    { fault: 'token_revoked', call: 'comments.list' },
  ],
  youtube: [
    { fault: 'quota_exhausted', reason: 'project' },
    { fault: '5xx_before_commit', call: 'commentThreads.list' },
  ],
  x: [
    { fault: 'duplicate' },
    { fault: 'x_no_credits' },
    { fault: 'quota_exhausted', reason: 'monthly' },
    { fault: '5xx_before_commit', call: 'users.tweets' },
  ],
  threads: [
    { fault: 'drop_after_commit', call: 'replies.create' },
    { fault: '5xx_before_commit', call: 'replies.create' },
    { fault: 'token_revoked', call: 'replies.create' },
    { fault: 'account_restricted', reason: 'spam' },
    { fault: 'quota_exhausted' },
    { fault: 'duplicate' },
  ],
};

export interface CommentCell {
  readonly network: CommentNetwork;
  readonly fault: FaultCase;
}

export const COMMENT_CELLS: readonly CommentCell[] = COMMENT_NETWORKS.flatMap((network) =>
  [...EVERYWHERE, ...OWN[network]].map((fault) => ({ network, fault })),
);

/**
 * Written down before any run: the comments whose outcome may stay unknown. Threads names a reply before it is
 * published; no other Network names a comment, and their lists prove that one is there, never that it is not. So what a
 * worker leaves without an answer stays unknown unless the list has it: a worker that dies before it sends, or before
 * it wrote a refusal down, and an answer that does not say whether it was done. Where Instagram says that this was said
 * already, that speaks for a comment that is there. At threads, only a token that died with the call out can not be
 * asked with; and a lack of permission, which Threads has also answered to what went live, leaves nothing to ask with.
 */
export function commentMayBeUnconfirmed({ network, fault }: CommentCell, crash: PublishCrash): boolean {
  if (network === 'threads') {
    if (fault.fault === 'scope_removed') return true;
    return fault.fault === 'token_revoked' && fault.call === undefined && crash === 'after send';
  }
  if (network === 'instagram' && fault.fault === 'duplicate') return true;
  if (crash === 'before send') return true;
  if (fault.fault === 'drop_before_commit' || fault.fault === '5xx_before_commit') return fault.call === undefined;
  const isThere = ['none', 'drop_after_commit', '5xx_after_commit', 'delay'].includes(fault.fault);
  return crash === 'after send' && !isThere;
}

/** How a fault is played at the call that makes the comment public: longer than our time-out where it only delays. */
export function faultOfComment(
  network: CommentNetwork,
  fault: string,
): { readonly call: string; readonly delayMs?: number } {
  return { call: COMMENT_CALLS[network], ...(fault === 'delay' ? { delayMs: LATE_MS } : {}) };
}

export interface CommentEnded {
  readonly end: End;
  readonly comments: readonly string[];
  /** How many items are live. */
  readonly items: number;
  readonly missed: boolean;
  readonly died: boolean;
}

/** How the first comment ends under a fault, when its first worker dies at the crash. */
export async function endOfComment({ network, fault }: CommentCell, crash: PublishCrash): Promise<CommentEnded> {
  const attempts = await openCommentHarness(network);
  const { fault: name, ...more } = fault;
  const call = COMMENT_CALLS[network];
  if (name !== 'none') await attempts.fault(name, { ...faultOfComment(network, name), ...more });
  const died = await runWithCrash(attempts, attempts.job, COMMENT_STEPS[network], crash);
  const { faults } = await attempts.control('GET', '/sandbox/faults');
  const { calls } = await attempts.control('GET', `/sandbox/calls?network=${network}`);
  const made = (calls as readonly { readonly call: string }[]).some((each) => each.call === (fault.call ?? call));
  return {
    end: endOfVerdict(attempts.concluded.at(0)!.verdict),
    comments: await attempts.comments(),
    items: (await attempts.items()).length,
    missed: made && faults.length > 0,
    died,
  };
}
