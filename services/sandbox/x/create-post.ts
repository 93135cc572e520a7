import { createHash } from 'node:crypto';
import { normalForm } from '#domain/post/normal-form.ts';
import type { Account } from '../accounts.ts';
import { isRecord, json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Items } from '../items.ts';
import type { RemoteIds } from '../remote-ids.ts';
import { shelf, type SandboxStore } from '../store/store.ts';
import { shownTogether, tooLong } from './media-rules.ts';
import { keyOf, mediumOf } from './medium.ts';
import { duplicateContent, forbidden, invalid, notPermitted } from './problems.ts';
import { shownText } from './text-shown.ts';
import { hasForbiddenCharacter, weightedLength } from './weighted-length.ts';

const LIMIT = 280;
const SUBSCRIBER_LIMIT = 25_000;
/** A longer text is too long by any count, and is not counted. */
const MAX_COUNTED = 200_000;
/**
 * X documents neither its window nor its comparison; a day, and the text with normalised spaces and form, is the
 * cautious reading.
 */
const DUPLICATE_WINDOW_MS = 24 * 3_600_000;

/** Keys of the media that posts show. */
export const SHOWN_MEDIA = 'x.shown-media';
export interface ShownMedia {
  readonly keys: readonly string[];
}

const FIELDS = ['text', 'media', 'reply_settings', 'made_with_ai', 'paid_partnership'];
const CASHTAG = /(?<![^\s])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|[\s!-/:-@[-`{-~])/gi;
/** Names below `.invalid` never resolve (RFC 6761): a text with one gets this answer. */
const BROKEN_ADDRESS = /https?:\/\/[^\s/]+\.invalid(?![\w-])/i;

export interface CreatePostCall {
  readonly store: SandboxStore;
  readonly items: Items;
  readonly remoteIds: RemoteIds;
  readonly account: Account;
  readonly now: number;
}

interface Body {
  readonly text: string;
  readonly mediaIds: readonly string[];
}

function readBody(request: Incoming): Body | SandboxAnswer {
  const body = request.json();
  if (!isRecord(body)) return invalid('The request body must be a JSON object.');
  const unknown = Object.keys(body).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) {
    const field = unknown.slice(0, 100);
    return invalid(`$.${field}: is not defined in the schema and the schema does not allow additional properties`, {
      [field]: [field],
    });
  }
  const { text, media } = body;
  if (text !== undefined && typeof text !== 'string')
    return invalid('$.text: string expected', { text: [JSON.stringify(text).slice(0, 100)] });
  const named = isRecord(media) && Array.isArray(media['media_ids']) ? media['media_ids'] : [];
  if (media !== undefined && (named.length === 0 || named.some((id) => typeof id !== 'string')))
    return invalidMedia(named);
  if ((text === undefined || text === '') && media === undefined)
    return invalid('One of text or media must be present.', { text: [''] });
  return { text: text ?? '', mediaIds: named as string[] };
}

function invalidMedia(ids: readonly unknown[]): SandboxAnswer {
  return invalid('Your media IDs are invalid.', {
    'media.media_ids': ids.slice(0, 4).map((id) => String(id).slice(0, 30)),
  });
}

function refusal({ text, mediaIds }: Body, account: Account): SandboxAnswer | null {
  if (text === '' && mediaIds.length > 0) return null;
  if (hasForbiddenCharacter(text) || text.trim() === '')
    return invalid('The text has a character that is not allowed.', { text: [text.slice(0, 100)] });
  const limit = account.kind === 'None' ? LIMIT : SUBSCRIBER_LIMIT;
  if (text.length > MAX_COUNTED || weightedLength(text) > limit) return notPermitted();
  if (BROKEN_ADDRESS.test(text)) return invalid('The Tweet contains an invalid URL.', { text: [text.slice(0, 100)] });
  if ((text.match(CASHTAG)?.length ?? 0) > 1)
    return forbidden('You are not permitted to create a Tweet with more than a maximum of one cashtag.');
  return null;
}

/** POST /2/tweets, for an account that may call it. */
export function createPost(
  request: Incoming,
  { store, items, remoteIds, account, now }: CreatePostCall,
): SandboxAnswer {
  const body = readBody(request);
  if ('status' in body) return body;
  const { text, mediaIds } = body;
  const refused = refusal(body, account);
  if (refused !== null) return refused;
  const media =
    mediaIds.length === 0
      ? []
      : shownTogether(
          mediaIds.map((id) => mediumOf(id, { store, account, now })),
          now,
        );
  if (media === null) return invalidMedia(mediaIds);
  if (tooLong(media, account)) return forbidden('This user is not allowed to post a video longer than 2 minutes');
  const recent = shelf<{ readonly at: number }>(store, 'x.texts');
  const normalised = normalForm(text).trim().replace(/\s+/g, ' ');
  const fingerprint = `${account.accountId}/${createHash('sha256').update(`${media.length} ${normalised}`).digest('base64url')}`;
  const before = recent.get(fingerprint);
  // Posts without words are no duplicates: X compares words, and a number of pictures does not identify a post.
  if (normalised !== '' && before !== null && now - before.at < DUPLICATE_WINDOW_MS) return duplicateContent();
  const id = remoteIds.next();
  recent.put(fingerprint, { at: now });
  const path = `/sim/x/${account.username}/status/${id}`;
  const shown = media.map(({ file }) => ({ sha256: file!.sha256, bytes: file!.bytes, contentType: file!.contentType }));
  const altTexts = media.map(({ altText }) => altText);
  items.add({
    network: 'x',
    accountId: account.accountId,
    remoteId: id,
    placement: 'feed',
    text,
    media: shown,
    altTexts,
    publishedAt: now,
    path,
  });
  if (media.length > 0) shelf<ShownMedia>(store, SHOWN_MEDIA).put(id, { keys: media.map(keyOf) });
  return json(201, { data: { id, text: shownText(text, id, media.length > 0).text, edit_history_tweet_ids: [id] } });
}
