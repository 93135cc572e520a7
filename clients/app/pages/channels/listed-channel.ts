import type { ChannelBody } from '#domain/channel/render.ts';
import type { Network } from '#domain/network.ts';
import type { ChannelDefaults } from '#domain/post/channel-options.ts';

/** A Channel as channels.list shows it. */
export interface ListedChannel extends ChannelBody {
  /** The Network's word for what kind of account it is; empty: it has none. */
  readonly kind: string;
  readonly defaults: ChannelDefaults;
  readonly connectedAt: string;
}

export interface ChannelList {
  readonly channels: readonly ListedChannel[];
  /** Those that this installation can connect. */
  readonly networks: readonly Network[];
}
