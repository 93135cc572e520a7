import { factsOf } from '../network.ts';
import type { ChannelOptions, Cover } from './channel-options.ts';
import type { Post, Variant } from './post.ts';

type OptionsByChannel = Readonly<Record<string, ChannelOptions>>;

/**
 * The picture of a cover, by its upload or its address; several Channels of a Post may name the same one. null: the
 * cover is an instant of the video.
 */
function coverAssetOf({ assetId, inspected }: Cover): string | null {
  return assetId ?? inspected?.assetId ?? null;
}

/** How the cover of a Variant comes to its Network. */
export type VariantCover =
  | { readonly kind: 'picture'; readonly assetId: string }
  /** An instant of the video, for a Network that takes a picture only: the picture that is there. */
  | { readonly kind: 'still'; readonly atMs: number }
  /** An instant of the video, at which the Network takes the picture itself. */
  | { readonly kind: 'instant'; readonly atMs: number };

/** null: the Network chooses what the video of the Variant shows before it is played, or it is a Story. */
export function coverOfVariant(
  { network, placement, channelId }: Pick<Variant, 'network' | 'placement' | 'channelId'>,
  channelOptions: OptionsByChannel,
): VariantCover | null {
  const cover = channelOptions[channelId]?.cover;
  const taken = factsOf(network).cover;
  if (cover === undefined || taken === null || placement === 'story') return null;
  if (cover.atSeconds !== undefined)
    return { kind: taken.moment === 'instant' ? 'instant' : 'still', atMs: Math.round(cover.atSeconds * 1000) };
  const assetId = coverAssetOf(cover);
  return assetId === null ? null : { kind: 'picture', assetId };
}

/** The pictures of covers, each once, in the order of the Channels that name them first. */
function coverAssetsIn(channelOptions: OptionsByChannel): readonly string[] {
  const named = Object.values(channelOptions).map(({ cover }) => (cover === undefined ? null : coverAssetOf(cover)));
  return [...new Set(named.filter((assetId) => assetId !== null))];
}

/** Every file that belongs to the Post: those that it shows, then the pictures of covers. */
export function assetsOfPost({ media, channelOptions }: Pick<Post, 'media' | 'channelOptions'>): readonly string[] {
  return [...media.map(({ assetId }) => assetId), ...coverAssetsIn(channelOptions)];
}

/** Words for a person whose cover is an instant after the end of the video. */
export function coverBeyondEnd(atSeconds: number): string {
  return `The video ends before second ${atSeconds}. Choose an earlier cover.atSeconds.`;
}
