import type { Account } from '../accounts.ts';
import { avatarPath } from '../avatar.ts';
import { json, type SandboxAnswer } from '../exchange.ts';
import { filePath } from '../files/serve-file.ts';
import { answerFields, graphTime, selectFields, type Fields } from '../graph/fields.ts';
import { fieldsOf } from '../graph/parameters.ts';
import type { LiveItem, Items } from '../items.ts';
import type { Limits } from '../limits.ts';
import { idFloor } from '../remote-ids.ts';
import type { Timing } from '../timing.ts';
import type { Uses } from '../uses.ts';
import { statusOf } from '../graph/container-status.ts';
import type { Container, Containers } from './containers.ts';
import { parameterError } from './graph-errors.ts';
import { repliesOf, type PublishingQuota, type ThreadsLimit } from './quota.ts';
import { repliesOn, replyOf } from './replies.ts';

const DEFAULT_LIMIT = 25;
const MAX_RESULTS = 100;
const QUOTA_SECONDS = 86_400;
/** How long a published container still reads as finished, before the timing factor. */
const PUBLISHED_AFTER_MS = 3_000;

/** The letters of a permalink encode the id, so a page is found by its address alone. */
export const shortcodeOf = (mediaId: string): string => BigInt(mediaId).toString(36);

export function mediaIdOf(shortcode: string): string {
  if (!/^[0-9a-z]{1,14}$/.test(shortcode)) return '';
  return [...shortcode].reduce((id, letter) => id * 36n + BigInt(parseInt(letter, 36)), 0n).toString();
}

export const permalinkPath = (username: string, mediaId: string): string =>
  `/sim/threads/@${username}/post/${shortcodeOf(mediaId)}`;

const noField =
  (kind: string) =>
  (field: string): SandboxAnswer =>
    parameterError(`(#100) Tried accessing nonexisting field (${field}) on node type (${kind})`);

/** GET /me */
export function readProfile(parameters: URLSearchParams, account: Account, baseUrl: string): SandboxAnswer {
  const all = {
    id: account.accountId,
    username: account.username,
    name: account.name,
    threads_profile_picture_url: baseUrl + avatarPath(account),
    threads_biography: '',
    is_verified: false,
  };
  return answerFields(fieldsOf(parameters), all, noField('ThreadsUser'));
}

/** GET /{container}. The field is `status`; Instagram's `status_code` is no field here. */
export function readContainer(
  parameters: URLSearchParams,
  container: Container,
  { now, timing }: { readonly now: number; readonly timing: Timing },
): SandboxAnswer {
  const shownAt = (container.publishedAt ?? -Infinity) + timing.scaled('threads', PUBLISHED_AFTER_MS);
  const status = now < shownAt ? 'FINISHED' : statusOf(container, now);
  const all = { id: container.id, status, error_message: status === 'ERROR' ? container.failure : undefined };
  return answerFields(fieldsOf(parameters), all, noField('ThreadsMediaContainer'));
}

interface QuotaOptions {
  readonly quota: PublishingQuota;
  readonly uses: Uses;
  readonly limits: Limits<ThreadsLimit>;
}

export interface Reading {
  readonly account: Account;
  readonly baseUrl: string;
  readonly withPermalink: boolean;
  readonly containers: Containers;
  readonly items: Items;
}

const MEDIA_TYPES = { TEXT: 'TEXT_POST', IMAGE: 'IMAGE', VIDEO: 'VIDEO', CAROUSEL: 'CAROUSEL_ALBUM' } as const;

function mediaFields(item: LiveItem, reading: Reading): Fields {
  const { account, baseUrl, withPermalink, containers } = reading;
  const container = item.media.length === 0 ? null : containers.ofMedia(item.remoteId);
  const reply = replyOf(item.remoteId, account, reading);
  const [shown] = item.media;
  const children = container?.kind === 'CAROUSEL' ? { data: container.children.map((id) => ({ id })) } : undefined;
  return {
    id: item.remoteId,
    permalink: withPermalink ? baseUrl + item.path : undefined,
    timestamp: graphTime(item.publishedAt),
    shortcode: shortcodeOf(item.remoteId),
    text: item.text,
    media_type: MEDIA_TYPES[container?.kind ?? 'TEXT'],
    media_product_type: 'THREADS',
    children,
    media_url: shown === undefined || container?.kind === 'CAROUSEL' ? undefined : baseUrl + filePath(shown.sha256),
    thumbnail_url: undefined,
    alt_text: container?.altText ?? undefined,
    link_attachment_url: item.link?.url,
    topic_tag: item.options?.topicTag,
    username: account.username,
    owner: { id: account.accountId },
    is_quote_post: false,
    has_replies: (item.comments ?? []).length > 0,
    is_reply: reply !== null,
    root_post: reply === null ? undefined : { id: reply.rootId },
    replied_to: reply === null ? undefined : { id: reply.repliedTo },
  };
}

/** GET /{media} */
export function readMedia(parameters: URLSearchParams, item: LiveItem, reading: Reading): SandboxAnswer {
  return answerFields(fieldsOf(parameters), mediaFields(item, reading), noField('ThreadsMedia'));
}

/** Seconds since the epoch, or a date. NaN: neither. */
function instantOf(value: string): number {
  return /^\d{1,12}$/.test(value) ? Number(value) * 1000 : Date.parse(value);
}

export interface Listing extends Reading {
  readonly listedUntil: number;
  /** Below the version. */
  readonly path: string;
  /** What is listed, newest first, within the range. */
  readonly media: (range: { readonly above: string; readonly below?: string }) => readonly LiveItem[];
}

/** The posts of an account. */
export const postsOf =
  ({ account, items }: Reading): Listing['media'] =>
  (range) =>
    items.ofAccount('threads', account.accountId, { descending: true, ...range });

/** The replies of an account on `posts`. */
export const repliesListed =
  (posts: readonly LiveItem[], reading: Reading): Listing['media'] =>
  ({ above, below = '~' }) =>
    repliesOn(posts, reading.account, reading)
      .map(({ item }) => item)
      .filter(({ remoteId }) => remoteId > above && remoteId < below);

/** GET /{user}/threads, /{user}/replies and /{media}/replies: newest first. */
export function listMedia(parameters: URLSearchParams, listing: Listing): SandboxAnswer {
  const { path, media, listedUntil, baseUrl } = listing;
  const limit = parameters.get('limit') ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1)
    return parameterError('(#100) Param limit must be a positive integer.');
  const since = parameters.has('since') ? instantOf(parameters.get('since')!) : -Infinity;
  const until = parameters.has('until') ? instantOf(parameters.get('until')!) : Infinity;
  if (Number.isNaN(since) || Number.isNaN(until))
    return parameterError('(#100) Params since and until must be unix timestamps or dates.');
  const after = parameters.get('after');
  if (after !== null && !/^\d{19}$/.test(after)) return parameterError('(#100) Param after is not a cursor.');
  const matching = media({ above: idFloor(since), ...(after === null ? {} : { below: after }) }).filter(
    ({ publishedAt }) => publishedAt <= listedUntil && publishedAt >= since && publishedAt <= until,
  );
  const found = matching.slice(0, Math.min(Number(limit), MAX_RESULTS));
  const call = fieldsOf(parameters);
  const selected = found.map((item) => selectFields(call, mediaFields(item, listing), noField('ThreadsMedia')));
  const wrong = selected.find((one) => 'refused' in one);
  if (wrong !== undefined) return wrong.refused;
  const data = selected.map((one) => ('fields' in one ? one.fields : null));
  if (found.length === 0) return json(200, { data: [] });
  const last = found.at(-1)!.remoteId;
  const next = `${baseUrl}/sim/threads/v1.0/${path}?fields=${encodeURIComponent(call.join(','))}&limit=${limit}&after=${last}`;
  const more = matching.length > found.length ? { next } : {};
  return json(200, { data, paging: { cursors: { before: found[0]!.remoteId, after: last }, ...more } });
}

/** GET /{user}/threads_publishing_limit */
export function readQuota(
  parameters: URLSearchParams,
  { accountId }: Account,
  { quota, uses, limits }: QuotaOptions,
  now: number,
): SandboxAnswer {
  const all = {
    quota_usage: quota.used(accountId, now),
    config: { quota_total: quota.total(), quota_duration: QUOTA_SECONDS },
    reply_quota_usage: uses.count(repliesOf(accountId), now),
    reply_config: { quota_total: limits.get('repliesPerDay'), quota_duration: QUOTA_SECONDS },
  };
  const selected = selectFields(fieldsOf(parameters), { id: undefined, ...all }, noField('ThreadsPublishingLimit'));
  if ('refused' in selected) return selected.refused;
  return json(200, {
    data: [Object.keys(selected.fields).length === 0 ? { quota_usage: all.quota_usage } : selected.fields],
  });
}
