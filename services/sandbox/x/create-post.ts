import { createHash } from 'node:crypto';
import { normalForm } from '#domain/post/normal-form.ts';
import type { Account, Accounts } from '../accounts.ts';
import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { ItemOptions, Items } from '../items.ts';
import type { RemoteIds } from '../remote-ids.ts';
import { shelf, type SandboxStore } from '../store/store.ts';
import { exceededMinutes, shownTogether } from './media-rules.ts';
import { keyOf, mediumOf, type Medium } from './medium.ts';
import { invalidMedia, readPostBody, type XPostBody } from './post-body.ts';
import { duplicateContent, forbidden, invalid, notPermitted } from './problems.ts';
import { answeredItem, createReplies } from './replies.ts';
import { shownText } from './text-shown.ts';
import { hasForbiddenCharacter, weightedLength } from './weighted-length.ts';

const LIMIT = 280;
const SUBSCRIBER_LIMIT = 25_000;
/** A longer text is too long by any count, and is not counted. */
const MAX_COUNTED = 200_000;
/**
 * X documents neither its window nor its comparison; a day, and the text with normalised spaces and form, is the
 * cautious reading. The same words below another post are no duplicate.
 */
const DUPLICATE_WINDOW_MS = 24 * 3_600_000;

/** Keys of the media that posts show. */
export const SHOWN_MEDIA = 'x.shown-media';
export interface ShownMedia {
  readonly keys: readonly string[];
}

const CASHTAG = /(?<![^\s])\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|[\s!-/:-@[-`{-~])/gi;
/** Names below `.invalid` never resolve (RFC 6761): a text with one gets this answer. */
const BROKEN_ADDRESS = /https?:\/\/[^\s/]+\.invalid(?![\w-])/i;

/** X's words for our names of the choices; the other choices have no name here. */
const REPLY_SETTINGS: Readonly<Record<string, NonNullable<ItemOptions['replySettings']>>> = {
  following: 'following',
  mentionedUsers: 'mentioned',
};

export interface CreatePostCall {
  readonly store: SandboxStore;
  readonly items: Items;
  readonly accounts: Accounts;
  readonly remoteIds: RemoteIds;
  readonly account: Account;
  readonly now: number;
}

function refusal({ text, mediaIds }: XPostBody, account: Account): SandboxAnswer | null {
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

function optionsOf({ replySettings, madeWithAi }: XPostBody): ItemOptions {
  const settings = REPLY_SETTINGS[replySettings ?? ''];
  return { ...(settings === undefined ? {} : { replySettings: settings }), ...(madeWithAi ? { madeWithAi } : {}) };
}

/** The media that the post names, or why it may not show them. */
function mediaOf({ mediaIds }: XPostBody, call: CreatePostCall): readonly Medium[] | SandboxAnswer {
  if (mediaIds.length === 0) return [];
  const media = shownTogether(
    mediaIds.map((id) => mediumOf(id, call)),
    call.now,
  );
  if (media === null) return invalidMedia(mediaIds);
  const minutes = exceededMinutes(media, call.account);
  return minutes === null
    ? media
    : forbidden(`This user is not allowed to post a video longer than ${minutes} minutes`);
}

/** Whether the account said the same within the window; remembers that it says it now. */
function isRepeated({ text, mediaIds, inReplyTo }: XPostBody, { account, store, now }: CreatePostCall): boolean {
  const normalised = normalForm(text).trim().replace(/\s+/g, ' ');
  // Posts without words are no duplicates: X compares words, and a number of pictures does not identify a post.
  if (normalised === '') return false;
  const recent = shelf<{ readonly at: number }>(store, 'x.texts');
  const said = `${mediaIds.length} ${inReplyTo ?? ''} ${normalised}`;
  const fingerprint = `${account.accountId}/${createHash('sha256').update(said).digest('base64url')}`;
  const before = recent.get(fingerprint);
  if (before !== null && now - before.at < DUPLICATE_WINDOW_MS) return true;
  recent.put(fingerprint, { at: now });
  return false;
}

/** POST /2/tweets, for an account that may call it. */
export function createPost(request: Incoming, call: CreatePostCall): SandboxAnswer {
  const { store, items, accounts, remoteIds, account, now } = call;
  const body = readPostBody(request);
  if ('status' in body) return body;
  const { text, inReplyTo } = body;
  const refused = refusal(body, account);
  if (refused !== null) return refused;
  const media = mediaOf(body, call);
  if ('status' in media) return media;
  const answered = inReplyTo === null ? null : answeredItem(inReplyTo, account, items, accounts.list('x'));
  if (answered !== null && 'status' in answered) return answered;
  if (isRepeated(body, call)) return duplicateContent();
  const id = remoteIds.next();
  const path = `/sim/x/${account.username}/status/${id}`;
  if (media.length > 0) shelf<ShownMedia>(store, SHOWN_MEDIA).put(id, { keys: media.map(keyOf) });
  if (answered !== null) {
    const reply = { remoteId: id, text, publishedAt: now };
    createReplies(store).add({
      ...reply,
      accountId: account.accountId,
      inReplyTo: inReplyTo!,
      conversationId: answered.remoteId,
    });
    items.comment(answered, { ...reply, path });
  } else {
    items.add({
      ...{ network: 'x', accountId: account.accountId, remoteId: id, placement: 'feed', text, publishedAt: now, path },
      media: media.map(({ file }) => ({
        sha256: file!.sha256,
        bytes: file!.bytes,
        contentType: file!.contentType,
      })),
      altTexts: media.map(({ altText }) => altText),
      options: optionsOf(body),
    });
  }
  return json(201, { data: { id, text: shownText(text, id, media.length > 0).text, edit_history_tweet_ids: [id] } });
}
