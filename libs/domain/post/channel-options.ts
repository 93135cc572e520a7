import { factsOf, NETWORKS, type Network, type NetworkWith, type Placement } from '../network.ts';
import type { NetworkOptions } from '../network-options.ts';
import type { MediaReference } from './media-reference.ts';

/**
 * What a video shows before it is played: a picture of its own, by its upload or its address, or the video's own
 * picture at an instant.
 */
export type Cover = Pick<MediaReference, 'assetId' | 'url' | 'inspected'> & {
  /** Seconds from the start of the video. */
  readonly atSeconds?: number;
};

/** What a Post may say for one of its Channels alone. */
export type ChannelOptions = {
  readonly placement?: Placement | 'feed_and_story';
  /** In place of the Post's text, also when it is empty. */
  readonly text?: string;
  /** Sent as a comment or reply once the Variant is live. */
  readonly firstComment?: string;
  readonly cover?: Cover;
} & NetworkOptions & { readonly [N in NetworkWith<'hasTitle'>]?: { readonly title?: string } };

/** Options that hold for every Post to a Channel that leaves them out. Texts, titles and covers belong to one Post. */
export type ChannelDefaults = Omit<ChannelOptions, 'placement' | 'text' | 'cover' | 'title' | 'youtube'>;

/**
 * Only what `network` reads of `options`. Options for other Networks must not make two Channels of this one differ.
 */
export function ownOptions(network: Network, options: ChannelOptions = {}): ChannelOptions {
  const { options: names, hasTitle } = factsOf(network);
  const own: Record<string, unknown> = {};
  for (const name of names) if (options[name] !== undefined) own[name] = options[name];
  if (hasTitle && titledAt(network, options) !== undefined) own[network] = titledAt(network, options);
  return own;
}

/**
 * The names in `options` that `network` has nothing for. Options under the name of another Network were always ignored,
 * and still are.
 */
export function foreignOptions(network: Network, options: ChannelOptions = {}): readonly string[] {
  const known: readonly string[] = ['placement', 'text', ...factsOf(network).options, ...NETWORKS];
  return Object.keys(options).filter((name) => !known.includes(name));
}

/** The text of the Variant at a Channel: its own where one was given, else the Post's. */
export function textFor(postText: string, options: ChannelOptions | undefined): string {
  return options?.text ?? postText;
}

/** The title that the Post gives `network`; null when it gives none, or the Network has no titles. */
export function titleFor(network: Network, options: ChannelOptions | undefined): string | null {
  const { options: names } = factsOf(network);
  return titledAt(network, options)?.title ?? (names.includes('title') ? options?.title : undefined) ?? null;
}

function titledAt(network: Network, options: ChannelOptions | undefined): { readonly title?: string } | undefined {
  return factsOf(network).hasTitle ? options?.[network as NetworkWith<'hasTitle'>] : undefined;
}

/** Every text that a Member wrote in `options` but the address of a cover, which is a file: to weigh a Post by. */
export function writingIn(options: ChannelOptions): readonly string[] {
  const { placement: _, cover: _file, ...others } = options;
  return stringsIn(others);
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** How many texts, numbers and choices there are in `options`, at any depth. */
export function valuesIn(options: unknown): number {
  if (typeof options !== 'object' || options === null) return 1;
  return Object.values(options).reduce((sum: number, value) => sum + valuesIn(value), 0);
}
