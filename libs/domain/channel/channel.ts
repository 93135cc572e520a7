import type { Network } from '../network.ts';

export type ChannelState = 'connected' | 'needs_reconnect' | 'not_connected';

/** One connected account on one Network. Kept for ever: the history of Posts names it. */
export interface Channel {
  readonly id: string;
  readonly network: Network;
  readonly name: string;
  readonly avatarUrl: string | null;
  /** The account's id at the Network. */
  readonly accountId: string;
  /** What the Network says about the account that its limits depend on, e.g. `page`, `premium`; '' when nothing. */
  readonly kind: string;
  readonly state: ChannelState;
  readonly connectedAt: number;
  /** Set while `not_connected`: when, and the name of whose Disconnect it was; `by` null means a Downgrade. */
  readonly disconnected: { readonly at: number; readonly by: string | null } | null;
}
