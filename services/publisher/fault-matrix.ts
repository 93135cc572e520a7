import type { Network, Placement } from '#domain/network.ts';

/** What is published in a row of the matrix. `files`: names of fixtures, in order. */
export interface Kind {
  readonly network: Network;
  readonly kind: string;
  readonly placement: Placement;
  readonly text: string;
  readonly files: readonly string[];
}

export interface FaultCase {
  readonly fault: string;
  /** Left out: the irreversible call. */
  readonly call?: string;
  readonly reason?: string;
}

/** Where the first worker dies, if at all: right before it makes the irreversible call, when that was answered, or when the answer was written. */
export const CRASHES = ['no crash', 'before send', 'after send', 'after write'] as const;
export type Crash = (typeof CRASHES)[number];

export type End = 'published' | 'unconfirmed' | `failed ${string}`;

export const KINDS: readonly Kind[] = [
  { network: 'x', kind: 'text', placement: 'feed', text: 'Only once, please', files: [] },
  { network: 'threads', kind: 'text', placement: 'feed', text: 'Only once, please', files: [] },
];

const COMMON: readonly FaultCase[] = [
  { fault: 'none' },
  { fault: 'drop_before_commit' },
  { fault: 'drop_after_commit' },
  { fault: '5xx_before_commit' },
  { fault: '5xx_after_commit' },
];

/** What each Network can do to a publication, from its documentation and what was seen of it. */
export const FAULTS: Readonly<Partial<Record<Network, readonly FaultCase[]>>> = {
  x: [
    ...COMMON,
    { fault: 'token_revoked' },
    { fault: 'scope_removed' },
    { fault: 'account_restricted', reason: 'suspended' },
    { fault: 'account_restricted', reason: 'automated' },
    { fault: 'rate_limited' },
    { fault: 'quota_exhausted', reason: 'daily' },
    { fault: 'quota_exhausted', reason: 'monthly' },
    { fault: 'duplicate' },
    { fault: 'x_no_credits' },
  ],
  threads: [
    ...COMMON,
    { fault: 'drop_after_commit', call: 'threads.create' },
    { fault: '5xx_before_commit', call: 'threads.create' },
    { fault: 'token_revoked', call: 'threads.create' },
    { fault: 'scope_removed', call: 'threads.create' },
    { fault: 'account_restricted', reason: 'restricted' },
    { fault: 'account_restricted', reason: 'spam' },
    { fault: 'rate_limited' },
    { fault: 'quota_exhausted' },
    { fault: 'processing_failed', call: 'threads.create', reason: 'UNKNOWN' },
    { fault: 'duplicate' },
    { fault: 'permalink_missing', call: 'media.read' },
    { fault: 'container_read_100_33', call: 'containers.read' },
  ],
};

/**
 * Written down before any run: the cells that may end `unconfirmed`. X names nothing before it publishes, so a worker that dies while
 * armed leaves nothing to prove absence by; and where X itself says nothing, its timeline is the only witness.
 */
export function mayBeUnconfirmed({ network }: Pick<Kind, 'network'>, { fault }: FaultCase, crash: Crash): boolean {
  if (network !== 'x') return false;
  if (crash === 'before send' || crash === 'after send') return true;
  return fault === 'drop_before_commit' || fault === '5xx_before_commit';
}
