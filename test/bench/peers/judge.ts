import type { Arrival } from './sink/arrivals.ts';
import type { DuePost, Outcome } from './peer.ts';

/** What a plan came to at the sink. */
export interface Verdict {
  /** Variants that never arrived, and of which the service does not say so itself. */
  readonly lost: number;
  /** Variants that never arrived, and that the service reports as failed or unconfirmed. */
  readonly reported: number;
  /** Arrivals beyond the first of their Variant. */
  readonly doubled: number;
  /** Variants that arrived before they were due. */
  readonly early: number;
  /** The first arrival of each Variant: how long after its due time, and when. */
  readonly first: readonly { readonly lateMs: number; readonly at: number }[];
}

const keyOf = (text: string, account: string): string => `${account} ${text}`;

/** `accounts`: the sink's names of the channels that the plan counts. Arrivals of other texts are not looked at. */
export function judge(
  plan: readonly DuePost[],
  accounts: readonly string[],
  arrivals: readonly Arrival[],
  notPublished: readonly Outcome[] = [],
): Verdict {
  const dueAt = new Map(
    plan.flatMap((post) => post.channels.map((channel) => [keyOf(post.text, accounts[channel]!), post.dueAt] as const)),
  );
  const texts = new Set(plan.map(({ text }) => text));
  const firstAt = new Map<string, number>();
  let doubled = 0;
  for (const [text, account, at] of arrivals) {
    if (!texts.has(text)) continue;
    const key = keyOf(text, account);
    // At an account that was not asked for, it is one too many.
    if (firstAt.has(key) || !dueAt.has(key)) doubled++;
    else firstAt.set(key, at);
  }
  const first = [...firstAt].map(([key, at]) => ({ lateMs: at - dueAt.get(key)!, at }));
  const missing = [...dueAt.keys()].filter((key) => !firstAt.has(key));
  const told = new Set(notPublished.map(({ text, account }) => keyOf(text, account)));
  const reported = missing.filter((key) => told.has(key)).length;
  return {
    lost: missing.length - reported,
    reported,
    doubled,
    early: first.filter(({ lateMs }) => lateMs < 0).length,
    first,
  };
}
