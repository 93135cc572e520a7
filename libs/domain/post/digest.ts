import { hash } from 'node:crypto';
import { titlesIn, type ChannelOptions } from './channel-options.ts';
import type { MediaReference } from './post.ts';

/** What makes two Posts of one Workspace the same. */
export interface PostIdentity {
  readonly text: string;
  readonly channelIds: readonly string[];
  readonly scheduledAt: number | null;
  readonly media: readonly MediaReference[];
  readonly channelOptions: Readonly<Record<string, ChannelOptions>>;
}

function optionsInput(channelId: string, options: ChannelOptions): readonly unknown[] | null {
  const placement = options.placement ?? 'feed';
  const [title = null, ...others] = titlesIn(options);
  return placement === 'feed' && title === null ? null : [channelId, placement, title, ...others];
}

/**
 * One text for each distinct Post: Channels are a set, options have one form (a default that is written out equals
 * one left out), and media count in their order. JSON keeps the parts apart, whatever they contain.
 */
export function digestInput(post: PostIdentity): string {
  const options = Object.keys(post.channelOptions)
    .toSorted()
    .map((id) => optionsInput(id, post.channelOptions[id]!))
    .filter((each) => each !== null);
  const media = post.media.map(({ assetId, url, altText }) => [assetId ?? null, url ?? null, altText ?? null]);
  return JSON.stringify([post.text, [...new Set(post.channelIds)].toSorted(), post.scheduledAt, media, options]);
}

/** SHA-256 of `digestInput`, lower-case hex. */
export function digestOf(post: PostIdentity): string {
  return hash('sha256', digestInput(post), 'hex');
}
