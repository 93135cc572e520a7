import type { Network } from '#domain/network.ts';
import type { FixtureName } from '#testing/media-fixtures.ts';

/** Every kind of feed post of each Network. */
const KINDS: Readonly<Record<Network, readonly (readonly FixtureName[])[]>> = {
  facebook: [[], ['photo'], ['photo', 'square', 'wideshot'], ['film'], ['reel']],
  instagram: [['photo'], ['photo', 'reel', 'square'], ['reel']],
  tiktok: [['reel'], ['photo', 'square']],
  youtube: [['film'], ['reel']],
  x: [[], ['photo'], ['photo', 'square', 'wideshot', 'story'], ['film']],
  threads: [[], ['photo'], ['photo', 'reel', 'square'], ['reel']],
};

/** The files of a Variant, chosen by its id: the same for the publisher and for the check. */
export function filesFor(network: Network, variantId: string): readonly FixtureName[] {
  const kinds = KINDS[network];
  // The last byte is the Variant's number; those before it are as good as random.
  return kinds[parseInt(variantId.slice(-8, -2), 16) % kinds.length]!;
}
