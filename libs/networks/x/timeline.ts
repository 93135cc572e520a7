import { normalForm } from '#domain/post/normal-form.ts';
import type { ArmedCall, Publication } from '../contract/adapter.ts';
import { NETWORK_CLOCK_SKEW_MS } from '../contract/waits.ts';
import { at, listAt, textAt, type CallResult } from '../http/call.ts';
import { xGet } from './calls.ts';
import { parseHandle } from './handle.ts';
import { withSchemes } from './links.ts';
import { weightedLength } from './weighted-length.ts';

/** What `text` holds whole; of a longer post it is the beginning only. */
const SHORT_LENGTH = 280;
const PAGE = 100;
const MAX_PAGES = 10;
const SHORT_LINK_AT_END = /(?:^|\s)https:\/\/t\.co\/\w+$/;
const MEDIA_LINK = /\/(?:photo|video)\/\d+$/;

export type TimelineMatch =
  | { readonly kind: 'read'; readonly ids: readonly string[]; readonly last: CallResult }
  | { readonly kind: 'unreadable'; readonly last: CallResult };

/**
 * The account's own posts since shortly before `armedAt` that say what the publication says and show as many files. One
 * that shows the very files that were uploaded for it is the only one; where there are no words to go by, nothing else
 * counts.
 */
export async function findOnTimeline(
  api: string,
  publication: Publication,
  { armedAt, handle }: Pick<ArmedCall, 'armedAt' | 'handle'>,
): Promise<TimelineMatch> {
  const wanted = comparable(publication.text);
  // The files themselves may be gone by now; the handle says what was uploaded of them.
  const keys = parseHandle(handle)?.files.map(({ key }) => key) ?? publication.media.map(() => null);
  const isLong = weightedLength(publication.text) > SHORT_LENGTH;
  const ids: string[] = [];
  let next: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({
      max_results: String(PAGE),
      exclude: 'replies,retweets',
      start_time: new Date(armedAt - NETWORK_CLOCK_SKEW_MS).toISOString(),
      'tweet.fields': `created_at,text,entities,attachments${isLong ? ',note_tweet' : ''}`,
      ...(next === null ? {} : { pagination_token: next }),
    });
    const called = await xGet(
      { api, publication },
      `/2/users/${encodeURIComponent(publication.accountId)}/tweets?${query}`,
    );
    if (called.kind === 'lost' || called.status !== 200 || typeof at(called.json, 'meta') !== 'object')
      return { kind: 'unreadable', last: called };
    for (const post of listAt(called.json, 'data')) {
      const id = textAt(post, 'id');
      const shown = listAt(post, 'attachments', 'media_keys');
      if (id === null || shown.length !== keys.length) continue;
      if (keys.length > 0 && keys.every((key) => key !== null && shown.includes(key)))
        return { kind: 'read', ids: [id], last: called };
      if (wanted !== '' && saysOf(post) === wanted) ids.push(id);
    }
    next = textAt(called.json, 'meta', 'next_token');
    if (next === null || ids.length > 1) return { kind: 'read', ids, last: called };
  }
  // More than these pages in minutes: what was not looked at may hold another one, so one hit proves nothing.
  return {
    kind: 'read',
    ids: [],
    last: { kind: 'lost', sent: true, message: `more than ${MAX_PAGES * PAGE} posts to look through` },
  };
}

/**
 * What a post says, as its writer wrote it: short links as what they stand for, the link to its own media left out.
 * Long posts carry theirs apart.
 */
function saysOf(post: unknown): string {
  const note = at(post, 'note_tweet');
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

/** X trims, normalises, and gives a link that has none a scheme. */
function comparable(text: string): string {
  return withSchemes(normalForm(text).trim());
}

const ESCAPES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };

/** In one pass, so that a written `&amp;lt;` stays what it was. */
function unescaped(text: string): string {
  return text.replace(/&(?:lt|gt|amp);/g, (escape) => ESCAPES[escape] ?? escape);
}
