import { factsOf, type Network, type Placement } from '../network.ts';
import type { ChannelOptions } from './channel-options.ts';

/** One Variant is made for each. */
export function placementsOf(options: ChannelOptions | undefined): readonly Placement[] {
  const placement = options?.placement ?? 'feed';
  return placement === 'feed_and_story' ? ['feed', 'story'] : [placement];
}

export function hasStories(network: Network): boolean {
  return factsOf(network).placements.includes('story');
}
