import type { Network } from '#domain/network.ts';

/** Characters of a text that a Network's feed shows before one has to ask for the rest, about; null: all of it. */
const SHOWN_CHARACTERS: Readonly<Partial<Record<Network, number>>> = {
  facebook: 477,
  instagram: 125,
  tiktok: 90,
  x: 280,
  youtube: 160,
};

export interface CutText {
  readonly shown: string;
  readonly isCut: boolean;
}

/** What of a text is seen at first, cut between two words where there are any. */
export function cutText(text: string, network: Network): CutText {
  const most = SHOWN_CHARACTERS[network] ?? Infinity;
  const characters = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)];
  if (characters.length <= most) return { shown: text, isCut: false };
  const head = text.slice(0, characters[most]!.index);
  const words = head.replace(/\s+\S*$/, '');
  return { shown: (words === '' ? head : words).trimEnd(), isCut: true };
}
