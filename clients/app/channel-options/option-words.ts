import type { Network } from '#domain/network.ts';
import { factsOf } from '#domain/network.ts';
import type { OptionName, Privacy } from '#domain/network-options.ts';
import type { ChannelOptions } from '#domain/post/channel-options.ts';

/** The label of an option. `leftOut`: what holds when the option is left out. */
export interface OptionWords {
  readonly label: string;
  readonly leftOut?: string;
}

export const OPTION_WORDS: Readonly<Record<OptionName, OptionWords>> = {
  firstComment: { label: 'First comment', leftOut: 'none' },
  cover: { label: 'Cover' },
  title: { label: 'Title' },
  link: { label: 'Card of the first link', leftOut: 'yes' },
  collaborators: { label: 'Collaborators', leftOut: 'none' },
  shareToFeed: { label: 'Show reels in the feed', leftOut: 'yes' },
  userTags: { label: 'Accounts marked in the picture', leftOut: 'none' },
  privacy: { label: 'Who can see it' },
  allowComments: { label: 'Allow comments', leftOut: 'no' },
  allowDuet: { label: 'Allow duets', leftOut: 'no' },
  allowStitch: { label: 'Allow stitches', leftOut: 'no' },
  brandedContent: { label: 'Paid partnership: it advertises the brand of another', leftOut: 'no' },
  ownBrand: { label: 'It advertises your own brand', leftOut: 'no' },
  aiGenerated: { label: 'Made by AI', leftOut: 'no' },
  autoMusic: { label: 'TikTok adds music to pictures', leftOut: 'no' },
  madeForKids: { label: 'Made for children', leftOut: 'no' },
  tags: { label: 'Tags', leftOut: 'none' },
  categoryId: { label: 'Category', leftOut: 'as YouTube chooses' },
  playlistIds: { label: 'Playlists', leftOut: 'none' },
  syntheticMedia: { label: 'Altered or made up, and looks real', leftOut: 'no' },
  notifySubscribers: { label: 'Notify subscribers', leftOut: 'yes' },
  replySettings: { label: 'Who may reply', leftOut: 'everyone' },
  madeWithAi: { label: 'Made with AI', leftOut: 'no' },
  topicTag: { label: 'Topic', leftOut: 'none' },
  replyControl: { label: 'Who may reply', leftOut: 'everyone' },
};

export const PRIVACY_WORDS: Readonly<Record<Privacy, string>> = {
  public: 'Everyone',
  friends: 'Friends',
  followers: 'Followers',
  only_me: 'Only me',
  unlisted: 'Everyone with the link (unlisted)',
  private: 'Only me (private)',
};

/** Of replySettings and replyControl. */
export const REPLY_WORDS: Readonly<Record<string, string>> = {
  everyone: 'Everyone',
  following: 'Accounts that it follows',
  followed: 'Accounts that it follows',
  mentioned: 'Accounts that it mentions',
};

/** What `options` says for a Channel of the Network, beside texts and the first comment. */
export function optionFacts(
  network: Network,
  options: ChannelOptions,
): readonly { readonly name: string; readonly value: string }[] {
  const said = { ...options, title: options.title ?? options.youtube?.title };
  return factsOf(network)
    .options.filter((name) => name !== 'firstComment')
    .flatMap((name) => {
      const value = (said as Partial<Record<OptionName, unknown>>)[name];
      return value === undefined ? [] : [{ name: OPTION_WORDS[name].label, value: valueWords(name, value) }];
    });
}

function valueWords(name: OptionName, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (name === 'privacy') return PRIVACY_WORDS[value as Privacy];
  if (name === 'replySettings' || name === 'replyControl') return REPLY_WORDS[String(value)] ?? String(value);
  if (name === 'cover') return coverWords(value as NonNullable<ChannelOptions['cover']>);
  if (name === 'userTags') return (value as NonNullable<ChannelOptions['userTags']>).map(tagWords).join(', ');
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function coverWords({ atSeconds, url }: NonNullable<ChannelOptions['cover']>): string {
  if (atSeconds !== undefined) return `The picture at ${atSeconds} s`;
  return url ?? 'A picture of its own';
}

function tagWords({ username }: { readonly username: string }): string {
  return `@${username}`;
}
