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
  /** When a person last connected it. */
  readonly connectedAt: number;
  /** When its state was last heard of, from a person or the Network: older news is ignored. */
  readonly seenAt: number;
  /** How often it was disconnected. A Variant that was queued at a smaller count never publishes. */
  readonly disconnects: number;
  /** When and whose the last Disconnect was (kept after a reconnect); `by` null means a Downgrade. */
  readonly lastDisconnect: { readonly at: number; readonly by: string | null } | null;
}
