import type { Network } from '../network.ts';
import type { MediaUrl } from '../post/render.ts';
import type { WorkspaceState } from '../workspace/state.ts';
import type { Channel, ChannelState } from './channel.ts';
import { PICTURE_TYPE } from './picture.ts';
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
export function renderChannels(channels: WorkspaceState['channels'], mediaUrl: MediaUrl): readonly ChannelBody[] {
  return liveChannels(channels).map((channel) => {
    const { id, network, name, state } = channel;
    return { id, network, name, avatarUrl: avatarUrlOf(channel, mediaUrl), state, canPostNow: state === 'connected' };
  });
}

function avatarUrlOf({ picture, avatarUrl }: Channel, mediaUrl: MediaUrl): string | null {
  return picture === undefined ? avatarUrl : mediaUrl({ blob: picture.blob, contentType: PICTURE_TYPE });
}
