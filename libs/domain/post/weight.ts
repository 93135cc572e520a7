import { jsonBytes, mostJsonBytes } from '../json-size.ts';
import { placementsOf } from './placements.ts';
import { valuesIn, writingIn, type ChannelOptions } from './channel-options.ts';
import type { Post } from './post.ts';
import type { MediaReference } from './media-reference.ts';

/**
 * How large a Post may be, so that every later event and row of it fits the bounds of a log record and of a row.
 * Counted as JSON in UTF-8, with each Variant at its longest.
 */

/** An event holds the whole Post, and is one record. */
export const MAX_EVENT_BYTES = 980_000;
/**
 * The turn that creates a Post has all of its rows, timers and messages in its outbox, in one row with the
 * Workspace's state.
 */
export const MAX_CREATION_BYTES = 662_000;

/** Bytes of an event, beside the Post's text and the descriptions of its files. */
const EVENT = {
  /** Most of it is the name of a key, and a Member's. */
  frame: 3_500,
  /** Its fields, its Channel's name, and one of failure detail, permalink and Member's name. */
  variant: 400 + 1_250 + 2_050,
  /** How its first comment fared: its fields, and one of permalink and what the Network said. */
  comment: 150 + 2_050,
  file: 800,
} as const;

/** Bytes of the turn that creates a Post, beside its text, options, and the descriptions and addresses of its files. */
const CREATION = {
  frame: 9_000,
  /** Its row, its job, and the job's watchdog. */
  variant: 2_200,
  /** In the Post, as a row of its own, and in the timer that removes it. */
  file: 1_400,
  /** The options of a Channel, and each value in them beside its text: its name, quotation marks, up to 25 digits. */
  options: 100,
  value: 60,
  /** In them, the cover and the answer of its address. */
  cover: 300,
  /** The filename of an upload. */
  filename: 1_550,
} as const;

/** Failure detail and permalink of a Variant are kept up to this many bytes of JSON each. */
export const MAX_CALL_DETAIL_BYTES = 2_048;

export interface PostToWeigh {
  readonly text: string;
  readonly channelIds: readonly string[];
  readonly media: readonly MediaReference[];
  readonly channelOptions: Readonly<Record<string, ChannelOptions>>;
}

const NAMES = {
  text: 'text',
  altTexts: 'the descriptions of its files (altText)',
  addresses: 'the addresses of its files (url)',
  options: 'the texts and titles in channelOptions',
} as const;
type Part = keyof typeof NAMES;
type Content = Readonly<Record<Part, number>>;
type Bytes = (text: string) => number;

/** Why the Post is too large, for a person; null when it is not. One of usual size is judged by its lengths alone. */
export function tooLarge(post: PostToWeigh): string | null {
  if (excess(contentOf(post, mostJsonBytes), post) <= 0) return null;
  const content = contentOf(post, jsonBytes);
  const over = excess(content, post);
  if (over <= 0) return null;
  const largest = (Object.keys(NAMES) as Part[]).reduce((most, part) => (content[part] > content[most] ? part : most));
  return `This Post is too large by ${kilobytes(over)}. Most of it is ${NAMES[largest]}: ${kilobytes(content[largest])}. Send less of that, or make several Posts of it.`;
}

function contentOf({ text, media, channelOptions }: PostToWeigh, bytes: Bytes): Content {
  return {
    text: bytes(text),
    altTexts: total(
      media.map(({ altText = '' }) => altText),
      bytes,
    ),
    addresses: total(
      // A cover's stands in the options of each Channel that names it, and in the row of its file.
      [...media, ...coversIn(channelOptions), ...distinctCoversIn(channelOptions)].map(({ url }) => url ?? ''),
      bytes,
    ),
    options: total(Object.values(channelOptions).flatMap(writingIn), bytes),
  };
}

type CoverFile = Pick<MediaReference, 'assetId' | 'url'>;

function coversIn(channelOptions: PostToWeigh['channelOptions']): readonly CoverFile[] {
  return Object.values(channelOptions).flatMap(({ cover }) => cover ?? []);
}

/** The files that the Post gets as covers: several Channels may name the same one. */
function distinctCoversIn(channelOptions: PostToWeigh['channelOptions']): readonly CoverFile[] {
  const named = coversIn(channelOptions).map((cover) => [cover.assetId ?? cover.url, cover] as const);
  return [...new Map(named).entries()].flatMap(([name, cover]) => (name === undefined ? [] : [cover]));
}

/** By how much the Post is over what it may weigh, in an event or in the turn that makes it. */
function excess(
  { text, altTexts, addresses, options }: Content,
  { media, channelIds, channelOptions }: PostToWeigh,
): number {
  const choices = Object.values(channelOptions);
  const variants = channelIds.reduce((sum, id) => sum + placementsOf(channelOptions[id]).length, 0);
  const comments = choices.filter(({ firstComment }) => firstComment !== undefined).length;
  // The Variant that an event is about stands in it twice, and so does its text.
  const perVariant = EVENT.variant * (variants + 1) + EVENT.comment * (comments + Math.min(comments, 1));
  const ownTexts = choices.some((each) => each.text !== undefined) ? 2 * options : 0;
  const event = text + altTexts + ownTexts + EVENT.file * media.length + perVariant + EVENT.frame;
  const owned = [...media, ...distinctCoversIn(channelOptions)];
  const uploads = owned.filter(({ assetId }) => assetId !== undefined).length;
  const files = CREATION.file * owned.length + CREATION.filename * uploads + addresses;
  const ofOptions =
    options +
    CREATION.options * choices.length +
    CREATION.value * valuesIn(choices) +
    CREATION.cover * coversIn(channelOptions).length;
  const creation = text + altTexts + ofOptions + files + CREATION.variant * variants + CREATION.frame;
  return Math.max(event - MAX_EVENT_BYTES, creation - MAX_CREATION_BYTES);
}

function total(texts: readonly string[], bytes: Bytes): number {
  return texts.reduce((sum, text) => sum + bytes(text), 0);
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1000).toLocaleString('en')} KB`;
}

/** About what a Post weighs, from lengths alone: to bound what is held or done at once. */
export function roughBytesOf({ text, media, variants, channelOptions }: Post): number {
  let units = text.length;
  for (const { altText } of media) units += altText?.length ?? 0;
  for (const written of Object.values(channelOptions).flatMap(writingIn)) units += written.length;
  for (const { url } of coversIn(channelOptions)) units += url?.length ?? 0;
  return 600 + 3 * units + 300 * media.length + 700 * variants.length;
}
