import type { Network } from './network.ts';
import type { Draft } from './post/draft.ts';
import type { OptionName } from './network-options.ts';
import type { Blocker } from './workspace/results.ts';

/** What of a Variant has to be put right: the Channel itself, its text, its files or one, or one of its options. */
export type BlockedPart =
  'channel' | 'text' | 'media' | `media.${number}` | `media.${number}.altText` | 'placement' | OptionName;

/** What keeps a draft from one Network, in words for a person. */
export interface LimitProblem extends Pick<Blocker, 'code' | 'message'> {
  readonly part: BlockedPart;
}

type Problems = readonly LimitProblem[];

/**
 * Makes a judgement, or repeats it if it was made for this Post before. `key`: all that it depends on, beside the
 * Network.
 */
export type JudgeOnce = (key: string, judge: () => Problems) => Problems;

/** How a Network counts a text that a Member writes, and how much of it the Network takes. */
export interface TextLimit {
  readonly most: number;
  readonly unit: 'characters' | 'bytes';
  readonly count: (text: string) => number;
}

/** The texts of a Variant that have a limit. */
export type LimitedText = 'text' | 'firstComment' | 'title' | 'altText' | 'topicTag';

/** What one Network allows, as data and pure functions; libs/networks/<name>/limits.ts has one for each. */
export interface NetworkLimits {
  readonly network: Network;
  /**
   * Problems of this Variant, worded for a person; empty when there are none. `once`: for what takes long, such as
   * measuring a text. The Channels of a Post may all have other options, and share one text. Left out: nothing is kept.
   */
  judge(draft: Draft, once?: JudgeOnce): Problems;
  /** The limits by which `judge` judges the texts of such a Variant, for who counts while somebody writes. */
  texts?(draft: Pick<Draft, 'placement' | 'channel' | 'media'>): Readonly<Partial<Record<LimitedText, TextLimit>>>;
}
