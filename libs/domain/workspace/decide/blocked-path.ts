import type { BlockedPart } from '../../network-limits.ts';
import type { ChannelOptions } from '../../post/channel-options.ts';

/**
 * Where what is wrong with a Variant is put right in the request for its Post. An option that came from the Channel's
 * defaults is put right there, too: by one of the Post's own.
 */
export function pathOf(part: Exclude<BlockedPart, 'channel'>, channelId: string, options: ChannelOptions = {}): string {
  if (part === 'media' || part.startsWith('media.')) return part;
  if (part === 'text' && options.text === undefined) return part;
  const isUnderNetwork = part === 'title' && options.title === undefined && options.youtube?.title !== undefined;
  return ['channelOptions', channelId, ...(isUnderNetwork ? ['youtube'] : []), part].join('.');
}
