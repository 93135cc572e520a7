/** Who may see a post. Each Network offers some of them: `privacies` in libs/domain/networks/<name>.ts. */
export type Privacy = 'public' | 'friends' | 'followers' | 'only_me' | 'unlisted' | 'private';

/** An account that is marked in a picture. `x`, `y`: the place, from 0 (left, top) to 1. */
export interface UserTag {
  readonly username: string;
  readonly x: number;
  readonly y: number;
}

/**
 * Choices that only some Networks offer; `options` in libs/domain/networks/<name>.ts says which. One that is left out
 * is as the Channel's defaults have it, else as the Network's adapter says.
 */
export interface NetworkOptions {
  /** A card of the first address in the text. */
  readonly link?: boolean;
  readonly collaborators?: readonly string[];
  readonly shareToFeed?: boolean;
  readonly userTags?: readonly UserTag[];
  readonly title?: string;
  readonly privacy?: Privacy;
  readonly allowComments?: boolean;
  readonly allowDuet?: boolean;
  readonly allowStitch?: boolean;
  /** It advertises the brand of another. */
  readonly brandedContent?: boolean;
  /** It advertises the author's own brand. */
  readonly ownBrand?: boolean;
  readonly aiGenerated?: boolean;
  /** The Network picks music for pictures. */
  readonly autoMusic?: boolean;
  readonly madeForKids?: boolean;
  readonly tags?: readonly string[];
  readonly categoryId?: string;
  readonly playlistIds?: readonly string[];
  /** It shows what looks real and is not. */
  readonly syntheticMedia?: boolean;
  readonly notifySubscribers?: boolean;
  readonly replySettings?: 'everyone' | 'following' | 'mentioned';
  readonly madeWithAi?: boolean;
  readonly topicTag?: string;
  readonly replyControl?: 'everyone' | 'followed' | 'mentioned';
}

/** The names of what a Network may have or lack. Every Network has `placement` and `text`. */
export type OptionName = keyof NetworkOptions | 'firstComment' | 'cover';
