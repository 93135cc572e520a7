import { comparable as comparableText } from '../contract/comparable-text.ts';
import { NETWORK_CLOCK_SKEW_MS } from '../contract/waits.ts';
import { at, listAt, textAt, type CallResult } from '../http/call.ts';
import { xGet, type XCaller } from './calls.ts';
import { withSchemes } from './links.ts';

/** Of a page; X takes no more. */
const PAGE = 100;
/**
 * How many of its newest posts an account's timeline reaches back at the most, as X documents. Where replies are left
 * out it is 800, so they are read along.
 */
export const MAX_LISTED = 3_200;
/** Whether the last page says so or not, there may be older posts behind it: X lists no more. */
const MAX_PAGES = MAX_LISTED / PAGE;
/**
 * In the names that X gives its fields today. The older ones (`tweet.fields`, `note_tweet`) are known only to each
 * other: X drops a field that the other dialect names without a word.
 */
const FIELDS = 'created_at,text,entities,attachments,note_post,conversation_id';
const SHORT_LINK_AT_END = /(?:^|\s)https:\/\/t\.co\/\w+$/;
const MEDIA_LINK = /\/(?:photo|video)\/\d+$/;
const MENTIONS_AT_START = /^(?:@\w+\s+)+/;

/** The post that may have been made. */
export interface SoughtPost {
  readonly text: string;
  /** Of each of its files; null: X did not say. */
  readonly mediaKeys: readonly (string | null)[];
  /** The account's own post that it answers; null: it answers none. */
  readonly inReplyTo: string | null;
}

export type TimelineMatch =
  /** The posts that may be the sought one. */
  | {
      readonly kind: 'read';
      readonly ids: readonly string[];
      /** The very files say that it is the one. */
      readonly isSure: boolean;
      readonly last: CallResult;
    }
  /** X does not list posts as old as the sought one any more, so that one or none of those listed proves nothing. */
  | { readonly kind: 'too many'; readonly last: CallResult }
  | { readonly kind: 'unreadable'; readonly last: CallResult };

/**
 * The account's own posts since shortly before `armedAt` that say what the sought one says and show as many files. One
 * that shows the very files that were uploaded for it is the only one; where there are no words to go by, nothing else
 * counts. Reads every page that X has since then: at most `MAX_PAGES` calls.
 */
export async function findOnTimeline(caller: XCaller, sought: SoughtPost, armedAt: number): Promise<TimelineMatch> {
  const ids: string[] = [];
  let next: string | null = null;
  for (let page = 1; ; page++) {
    const called = await xGet(caller, pathOf(caller, armedAt, next));
    if (called.kind === 'lost' || called.status !== 200 || typeof at(called.json, 'meta') !== 'object')
      return { kind: 'unreadable', last: called };
    for (const post of listAt(called.json, 'data')) {
      const id = textAt(post, 'id');
      const likeness = id === null ? 'none' : likenessOf(post, sought);
      if (id !== null && likeness === 'same files') return { kind: 'read', ids: [id], isSure: true, last: called };
      if (id !== null && likeness === 'same words') ids.push(id);
    }
    next = textAt(called.json, 'meta', 'next_token');
    if (ids.length > 1) return { kind: 'read', ids, isSure: false, last: called };
    if (page === MAX_PAGES) return { kind: 'too many', last: called };
    if (next === null) return { kind: 'read', ids, isSure: false, last: called };
  }
}

interface TimelineItem {
  readonly id: string;
  readonly publishedAt: number | null;
}

export type WholeTimeline =
  | {
      /** `too many`: X does not list posts as old as the sought one any more. */
      readonly kind: 'read' | 'too many';
      readonly items: readonly TimelineItem[];
      /** Posts without words that show as many files, of a sought one that has no words either. */
      readonly mayBe: number;
      readonly last: CallResult;
    }
  | { readonly kind: 'unreadable'; readonly last: CallResult };

/** All of the account's own posts since shortly before that instant that may be the sought one. */
export async function findAllOnTimeline(caller: XCaller, sought: SoughtPost, since: number): Promise<WholeTimeline> {
  const items: TimelineItem[] = [];
  let [mayBe, next]: [number, string | null] = [0, null];
  for (let page = 1; ; page++) {
    const called = await xGet(caller, pathOf(caller, since, next));
    if (called.kind === 'lost' || called.status !== 200 || typeof at(called.json, 'meta') !== 'object')
      return { kind: 'unreadable', last: called };
    for (const post of listAt(called.json, 'data')) {
      const id = textAt(post, 'id');
      const likeness = id === null ? 'none' : likenessOf(post, sought);
      const madeAt = Date.parse(textAt(post, 'created_at') ?? '');
      const item = { id: id ?? '', publishedAt: Number.isNaN(madeAt) ? null : madeAt };
      if (likeness === 'same files') return { kind: 'read', items: [item], mayBe: 0, last: called };
      if (likeness === 'same words') items.push(item);
      else if (comparable(sought.text) === '' && showsAsMany(post, sought)) mayBe++;
    }
    next = textAt(called.json, 'meta', 'next_token');
    if (page === MAX_PAGES) return { kind: 'too many', items, mayBe, last: called };
    if (next === null) return { kind: 'read', items, mayBe, last: called };
  }
}

function showsAsMany(post: unknown, sought: SoughtPost): boolean {
  const shown = listAt(post, 'attachments', 'media_keys');
  return isPlacedAs(post, sought) && shown.length === sought.mediaKeys.length && saysOf(post) === '';
}

/** A reply to the same post where one is sought, and no reply where none is. X may leave out what it belongs to. */
function isPlacedAs(post: unknown, { inReplyTo }: SoughtPost): boolean {
  const [id, conversation] = [textAt(post, 'id'), textAt(post, 'conversation_id')];
  if (inReplyTo === null) return conversation === null || conversation === id;
  return conversation === inReplyTo && id !== inReplyTo;
}

function pathOf({ publication }: XCaller, since: number, page: string | null): string {
  const query = new URLSearchParams({
    max_results: String(PAGE),
    exclude: 'retweets',
    start_time: new Date(since - NETWORK_CLOCK_SKEW_MS).toISOString(),
    'post.fields': FIELDS,
    ...(page === null ? {} : { pagination_token: page }),
  });
  return `/2/users/${encodeURIComponent(publication.accountId)}/tweets?${query}`;
}

function likenessOf(post: unknown, sought: SoughtPost): 'same files' | 'same words' | 'none' {
  const { text, mediaKeys, inReplyTo } = sought;
  const shown = listAt(post, 'attachments', 'media_keys');
  if (shown.length !== mediaKeys.length || !isPlacedAs(post, sought)) return 'none';
  if (mediaKeys.length > 0 && mediaKeys.every((key) => key !== null && shown.includes(key))) return 'same files';
  const wanted = comparable(text);
  const says = saysOf(post);
  // X may put the name of the account in front of a reply to it.
  const isSame = says === wanted || (inReplyTo !== null && says.replace(MENTIONS_AT_START, '') === wanted);
  return wanted !== '' && isSame ? 'same words' : 'none';
}

/**
 * What a post says, as its writer wrote it: short links as what they stand for, the link to its own media left out.
 * Long posts carry theirs apart.
 */
function saysOf(post: unknown): string {
  const note = at(post, 'note_post');
  const source = textAt(note, 'text') === null ? post : note;
  let text = unescaped(textAt(source, 'text') ?? '');
  for (const link of listAt(source, 'entities', 'urls')) {
    const short = textAt(link, 'url');
    const full = textAt(link, 'expanded_url');
    if (short !== null && full !== null) text = text.replace(short, () => (MEDIA_LINK.test(full) ? '' : full));
  }
  // The link to a post's own files may be one that it does not explain.
  return comparable(
    listAt(post, 'attachments', 'media_keys').length > 0 ? text.trimEnd().replace(SHORT_LINK_AT_END, '') : text,
  );
}

/** X gives a link that has none a scheme. */
function comparable(text: string): string {
  return withSchemes(comparableText(text));
}

const ESCAPES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** In one pass, so that a written `&amp;lt;` stays what it was. */
function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|amp);/g, (escape) => ESCAPES[escape] ?? escape);
}
