import { jsonBytes, mostJsonBytes } from '../json-size.ts';
import { placementsOf } from './placements.ts';
import { titlesIn, type ChannelOptions } from './channel-options.ts';
import type { MediaReference, Post } from './post.ts';

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
export const MAX_CREATION_BYTES = 780_000;

/** Bytes of an event, beside the Post's text and the descriptions of its files. */
const EVENT = {
  /** Most of it is the name of a key, and a Member's. */
  frame: 3_500,
  /** Its fields, its Channel's name, and one of failure detail, permalink and Member's name. */
  variant: 400 + 1_250 + 2_050,
  file: 800,
} as const;

/** Bytes of the turn that creates a Post, beside its text, titles, and the descriptions and addresses of its files. */
const CREATION = {
  frame: 9_000,
  /** Its row, its job, and the job's watchdog. */
  variant: 2_200,
  /** In the Post, as a row of its own, and in the timer that removes it. */
  file: 1_400,
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
  titles: 'the titles in channelOptions',
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
      media.map(({ url }) => url ?? ''),
      bytes,
    ),
    titles: total(Object.values(channelOptions).flatMap(titlesIn), bytes),
  };
}

/** By how much the Post is over what it may weigh, in an event or in the turn that makes it. */
function excess(
  { text, altTexts, addresses, titles }: Content,
  { media, channelIds, channelOptions }: PostToWeigh,
): number {
  const variants = channelIds.reduce((sum, id) => sum + placementsOf(channelOptions[id]).length, 0);
  // The Variant that an event is about stands in it twice.
  const event = text + altTexts + EVENT.file * media.length + EVENT.variant * (variants + 1) + EVENT.frame;
  const uploads = media.filter(({ assetId }) => assetId !== undefined).length;
  const files = CREATION.file * media.length + CREATION.filename * uploads + addresses;
  const creation = text + altTexts + titles + files + CREATION.variant * variants + CREATION.frame;
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
  for (const title of Object.values(channelOptions).flatMap(titlesIn)) units += title.length;
  return 600 + 3 * units + 300 * media.length + 700 * variants.length;
}
