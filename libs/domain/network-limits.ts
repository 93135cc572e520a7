import type { Network } from './network.ts';
import type { Draft } from './post/draft.ts';
import type { Blocker } from './workspace/results.ts';

/** What one Network allows, as data and pure functions; libs/networks/<name>/limits.ts has one for each. */
export interface NetworkLimits {
  readonly network: Network;
  /** Problems of this Variant, worded for a person; empty when there are none. */
  judge(draft: Draft): readonly Omit<Blocker, 'channelId'>[];
}
