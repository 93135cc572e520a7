import { factsOf, NETWORKS, type Network, type NetworkWith, type Placement } from '../network.ts';

/** What a Post may say for one of its Channels alone: where to show it, and what only that Channel's Network reads. */
export type ChannelOptions = {
  readonly placement?: Placement | 'feed_and_story';
} & { readonly [N in NetworkWith<'hasTitle'>]?: { readonly title?: string } };

/**
 * Only what `network` reads of `options`. Options for other Networks must not make two Channels of this one differ.
 */
export function ownOptions(network: Network, options: ChannelOptions = {}): ChannelOptions {
  const own = optionsAt(network, options);
  return own === undefined ? {} : { [network]: own };
}

/** The title that the Post gives `network`; null when it gives none, or the Network has no titles. */
export function titleFor(network: Network, options: ChannelOptions | undefined): string | null {
  return optionsAt(network, options)?.title ?? null;
}

/** Every title in `options`, in the order of `NETWORKS`. */
export function titlesIn(options: ChannelOptions): readonly string[] {
  return NETWORKS.map((network) => titleFor(network, options)).filter((title) => title !== null);
}

function optionsAt(network: Network, options: ChannelOptions | undefined): { readonly title?: string } | undefined {
  return factsOf(network).hasTitle ? options?.[network as NetworkWith<'hasTitle'>] : undefined;
}
