import { jsonBytes } from '../json-size.ts';
import type { Network } from '../network.ts';
import type { ChannelDefaults } from '../post/channel-options.ts';

export type ChannelState = 'connected' | 'needs_reconnect' | 'not_connected';

/** A copy of an account's picture. */
export interface ChannelPicture {
  readonly blob: string;
  /** When the copy was asked for: of two copies the later one counts. */
  readonly askedAt: number;
}

/** One connected account on one Network. Kept for ever: the history of Posts names it. */
export interface Channel {
  readonly id: string;
  readonly network: Network;
  readonly name: string;
  /** An address of its picture that was kept before copies were; shown until there is a copy. */
  readonly avatarUrl: string | null;
  /** Of the tokens that it was connected with; absent where it was connected before tokens had ids. */
  readonly connectionId?: string;
  /** The copy of its picture that is served; absent while there is none. */
  readonly picture?: ChannelPicture;
  /** The account's id at the Network. */
  readonly accountId: string;
  /** What the Network says about the account that its limits depend on, e.g. `page`, `premium`; '' when nothing. */
  readonly kind: string;
  readonly state: ChannelState;
  /** When a person last connected it. */
  readonly connectedAt: number;
  /** The instant of the newest report of its state, by a person or the Network: older reports are ignored. */
  readonly seenAt: number;
  /** How often it was disconnected. A Variant that was queued at a smaller count never publishes. */
  readonly disconnects: number;
  /** When and whose the last Disconnect was (kept after a reconnect); `by` null means a Downgrade. */
  readonly lastDisconnect: { readonly at: number; readonly by: string | null } | null;
  /** What a Member set for every Post to it; absent: nothing. */
  readonly defaults?: ChannelDefaults;
}

export const MAX_CHANNEL_NAME_BYTES = 1_250;
export const MAX_CHANNEL_PICTURE_URL_BYTES = 4_096;
/** Limits on what is stored of an account, in bytes of JSON: every event and every job names the account. */
const MAX_BYTES = {
  name: MAX_CHANNEL_NAME_BYTES,
  avatarUrl: MAX_CHANNEL_PICTURE_URL_BYTES,
  accountId: 256,
  kind: 256,
} as const;

/** The first of them that is longer than its limit; null: none. */
export function overlongPart(channel: Pick<Channel, keyof typeof MAX_BYTES>): keyof typeof MAX_BYTES | null {
  const parts = Object.keys(MAX_BYTES) as (keyof typeof MAX_BYTES)[];
  return parts.find((part) => jsonBytes(channel[part] ?? '') > MAX_BYTES[part]) ?? null;
}
