import type { Network } from '#domain/network.ts';
import type { SentOptions } from '../draft/compose-draft.ts';

type FlagName = {
  [Name in keyof SentOptions]-?: NonNullable<SentOptions[Name]> extends boolean ? Name : never;
}[keyof SentOptions];

/** An option that is on or off. `builtIn`: what holds when neither the Post nor the Channel says. */
export interface FlagField {
  readonly kind: 'flag';
  readonly name: FlagName;
  readonly label: string;
  readonly note?: string;
  readonly builtIn: boolean;
}

/** One of several words of the API, by what people call them. The first holds when nothing is said. */
export interface ChoiceField {
  readonly kind: 'choice';
  readonly name: 'replySettings' | 'replyControl';
  readonly label: string;
  readonly choices: readonly { readonly value: string; readonly name: string }[];
}

/** Names, separated by commas. */
export interface ListField {
  readonly kind: 'list';
  readonly name: 'collaborators' | 'tags';
  readonly label: string;
  readonly note: string;
}

/** One line of text. */
export interface LineField {
  readonly kind: 'line';
  readonly name: 'topicTag';
  readonly label: string;
  readonly note: string;
}

export type OptionField = FlagField | ChoiceField | ListField | LineField;

/** Options that are the same for every account of a Network. What an account has to choose from is asked of it. */
export const OPTION_FIELDS: Partial<Readonly<Record<Network, readonly OptionField[]>>> = {
  facebook: [{ kind: 'flag', name: 'link', label: 'Show a card of the first link in the text', builtIn: true }],
  instagram: [
    { kind: 'flag', name: 'shareToFeed', label: 'Show a reel in the feed, too', builtIn: true },
    {
      kind: 'list',
      name: 'collaborators',
      label: 'Collaborators',
      note: 'Up to three usernames, separated by commas. Each is invited as an author.',
    },
  ],
  x: [
    {
      kind: 'choice',
      name: 'replySettings',
      label: 'Who may reply',
      choices: [
        { value: 'everyone', name: 'Everyone' },
        { value: 'following', name: 'Accounts you follow' },
        { value: 'mentioned', name: 'Accounts you mention' },
      ],
    },
    { kind: 'flag', name: 'madeWithAi', label: 'It was made with AI', builtIn: false },
  ],
  threads: [
    { kind: 'line', name: 'topicTag', label: 'Topic', note: 'One, without #.' },
    {
      kind: 'choice',
      name: 'replyControl',
      label: 'Who may reply',
      choices: [
        { value: 'everyone', name: 'Everyone' },
        { value: 'followed', name: 'Profiles you follow' },
        { value: 'mentioned', name: 'Profiles you mention' },
      ],
    },
  ],
  youtube: [
    {
      kind: 'flag',
      name: 'madeForKids',
      label: 'It is made for kids',
      note: 'Videos for kids have no comments.',
      builtIn: false,
    },
    { kind: 'flag', name: 'syntheticMedia', label: 'It shows what looks real and is not', builtIn: false },
    { kind: 'flag', name: 'notifySubscribers', label: 'Tell subscribers about it', builtIn: true },
    { kind: 'list', name: 'tags', label: 'Tags', note: 'Separated by commas.' },
  ],
};

/** What a Channel's tab calls options that differ from the Post's. */
const DIFFERENCE_WORDS: Readonly<Partial<Record<keyof SentOptions, string>>> = {
  text: 'own text',
  placement: 'placement',
  firstComment: 'first comment',
  cover: 'cover',
  title: 'title',
  youtube: 'title',
};

/** "own text, title, 2 options": what a Channel has of its own; '' = nothing. */
export function differencesIn(options: SentOptions | undefined, hasCoverFile: boolean): string {
  const names = Object.keys(options ?? {}) as (keyof SentOptions)[];
  const named = [...new Set(names.flatMap((name) => DIFFERENCE_WORDS[name] ?? []))];
  if (hasCoverFile) named.push('cover');
  const others = names.filter((name) => DIFFERENCE_WORDS[name] === undefined).length;
  if (others > 0) named.push(others === 1 ? '1 option' : `${others} options`);
  return named.join(', ');
}
