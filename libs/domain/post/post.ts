import type { FAILURE_REASONS, VARIANT_STATUSES } from '#schemas/http/variant-words.ts';
import type { ChannelOptions } from './channel-options.ts';
import type { AcceptedType } from '../media/file-facts.ts';
import type { Network, Placement } from '../network.ts';

export type VariantStatus = (typeof VARIANT_STATUSES)[number];

export type FailureReason = (typeof FAILURE_REASONS)[number];

/** What became of the first comment under a Variant. */
export interface FirstCommentState {
  /**
   * `waiting`: for the Variant to be live, then for the Network to take the comment. `unconfirmed`: it may be there; it
   * is not sent again, and readers see it as failed.
   */
  readonly status: 'waiting' | 'published' | 'failed' | 'unconfirmed';
  readonly permalink: string | null;
  /** What the Network said, when it failed. */
  readonly detail: string | null;
  /** An X credit is reserved for it, beside the Variant's. */
  readonly creditReserved: boolean;
}

/** A Post's copy for one Channel and placement. Instants are milliseconds since the epoch. */
export interface Variant {
  /** The Post's id with its last byte counting from 1: a Variant's Post is found without a table. */
  readonly id: string;
  readonly channelId: string;
  readonly network: Network;
  readonly placement: Placement;
  readonly status: VariantStatus;
  /** What the caller asked for; null for an immediate Post. Never changes. */
  readonly scheduledAt: number | null;
  /**
   * When the current attempt became or becomes due: scheduledAt, the creation of an immediate Post, or the moment of a
   * retry.
   */
  readonly dueAt: number;
  /** From 1; a retry adds one. Messages about an older attempt are ignored. */
  readonly attempt: number;
  readonly failureReason: FailureReason | null;
  readonly failureDetail: string | null;
  readonly remoteId: string | null;
  readonly permalink: string | null;
  /** Every file of the Post is ready for this Network and placement. */
  readonly mediaReady: boolean;
  /** Set while `cancelled`: when the cancel was requested. */
  readonly cancelledAt: number | null;
  readonly cancelledByDisconnect: { readonly by: string | null } | null;
  /** An X credit is reserved for it (given back on cancel and on failures that certainly published nothing). */
  readonly creditReserved: boolean;
  /** The Channel's count of Disconnects when this was queued. */
  readonly channelDisconnects: number;
  /** An earlier attempt may be live: the Network is asked before this one publishes. */
  readonly reconcileFirst: boolean;
  /** Absent: the Post has none for this Channel, or the Variant is a Story. */
  readonly firstComment?: FirstCommentState;
  /**
   * Set once a hold kept this attempt back; `waiting`: it does, and the Variant is `scheduled`. Absent: none did, since
   * the last retry.
   */
  readonly hold?: { readonly waiting: boolean };
}

export interface Via {
  readonly kind: 'key' | 'app';
  readonly name: string;
  readonly by: string | null;
}

/** A file of a Post. */
export interface PostFile {
  readonly assetId: string;
  readonly kind: 'image' | 'video';
  readonly altText: string | null;
  /** Where its bytes are; null until they have come, and again once they were removed. */
  readonly stored: { readonly blob: string; readonly contentType: AcceptedType } | null;
}

export interface Post {
  /** UUIDv7 whose last byte is 0. */
  readonly id: string;
  readonly workspaceId: string;
  readonly text: string;
  readonly createdAt: number;
  readonly scheduledAt: number | null;
  readonly via: Via | null;
  /** In the order they are shown in. */
  readonly media: readonly PostFile[];
  /** Counts how often a Member made the addresses of its files void; absent: never. */
  readonly addressVersion?: number;
  readonly channelOptions: Readonly<Record<string, ChannelOptions>>;
  /** Fingerprint of the 10-minute rule. */
  readonly digest: string;
  /**
   * Where the rows of a Post of a busy Workspace are: which bucket of its day, and of the week in which it is due.
   * Absent: in the first of both.
   */
  readonly buckets?: { readonly day: number; readonly week: number };
  readonly variants: readonly Variant[];
}

/**
 * The version of its files' addresses that is good; null: none is. Those of a Post that was cancelled as a whole are
 * void. Once a Member made them void, new ones are good for as long as something of the Post is to be published, since
 * Networks fetch files by them, and none after that.
 */
export function goodAddresses({
  variants,
  addressVersion = 0,
}: Pick<Post, 'variants' | 'addressVersion'>): number | null {
  if (variants.length === 0) return addressVersion;
  const isNeeded =
    addressVersion === 0 ? variants.some(({ status }) => status !== 'cancelled') : !hasEnded({ variants });
  return isNeeded ? addressVersion : null;
}

/** Whether nothing becomes of any of its Variants any more, unless a Member retries one. */
export function hasEnded({ variants }: Pick<Post, 'variants'>): boolean {
  return variants.every(({ status }) => status === 'published' || status === 'failed' || status === 'cancelled');
}
