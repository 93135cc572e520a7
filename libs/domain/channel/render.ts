import type { Network } from '../network.ts';
import type { WorkspaceState } from '../workspace/state.ts';
import type { ChannelState } from './channel.ts';
import { liveChannels } from './live.ts';

/** A Channel as REST shows it. */
export interface ChannelBody {
  readonly id: string;
  readonly network: Network;
  readonly name: string;
  readonly avatarUrl: string | null;
  readonly state: ChannelState;
  readonly canPostNow: boolean;
}

/** Live Channels, oldest first. */
export function renderChannels(channels: WorkspaceState['channels']): readonly ChannelBody[] {
  return liveChannels(channels).map(({ id, network, name, avatarUrl, state }) => ({
    id,
    network,
    name,
    avatarUrl,
    state,
    canPostNow: state === 'connected',
  }));
}
