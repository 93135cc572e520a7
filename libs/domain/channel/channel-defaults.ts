import { factsOf } from '../network.ts';
import type { OptionName } from '../network-options.ts';
import { foreignOptions, ownOptions, type ChannelOptions } from '../post/channel-options.ts';
import { placementsOf } from '../post/placements.ts';
import type { Channel } from './channel.ts';

/** An option that a Channel can not have, and why, for a person; null: it can have all of them. */
export function misfit(
  { network }: Pick<Channel, 'network'>,
  options: ChannelOptions,
): { readonly option: OptionName; readonly message: string } | null {
  const { displayName, options: known, privacies } = factsOf(network);
  const [foreign] = foreignOptions(network, options);
  if (foreign !== undefined) {
    const list = ['text', ...known].join(', ');
    const message = `${displayName} has no option ${foreign}. Leave it out for this Channel; it has ${list}.`;
    return { option: foreign as OptionName, message };
  }
  const { privacy } = options;
  if (privacy !== undefined && !privacies.includes(privacy))
    return { option: 'privacy', message: `${displayName} has no privacy ${privacy}. Choose ${orList(privacies)}.` };
  return null;
}

/**
 * `options` of a Post, with the Channel's defaults where they say nothing. They are for the feed: what is right there
 * may be refused of a Story, such as a first comment.
 */
export function withDefaults({ network, defaults }: Channel, options: ChannelOptions = {}): ChannelOptions {
  if (defaults === undefined || !placementsOf(options).includes('feed')) return options;
  return { ...ownOptions(network, defaults), ...options };
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
