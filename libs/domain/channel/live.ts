import type { WorkspaceState } from '../workspace/state.ts';
import type { Channel } from './channel.ts';

/**
 * Channels that are listed and count against the Plan, oldest first. A disconnected one is only in the history of
 * Posts.
 */
export function liveChannels(channels: WorkspaceState['channels']): readonly Channel[] {
  return Object.values(channels).filter((channel) => channel.state !== 'not_connected');
}

/** The newest live Channels beyond `limit`. */
export function channelsBeyond(channels: WorkspaceState['channels'], limit: number): readonly Channel[] {
  return liveChannels(channels).slice(limit);
}
