import type { Account } from '../accounts.ts';
import { json, type SandboxAnswer } from '../exchange.ts';
import type { LiveItem, Items } from '../items.ts';
import { invalid, type Invalid } from './problems.ts';
import { idFloor } from '../remote-ids.ts';
import type { Replies } from './replies.ts';
import { shownText } from './text-shown.ts';

/**
 * X renamed its tweets to posts: each name of the parameter has its own names of fields, and neither knows the other's.
 * A name that the dialect lacks is dropped without a word.
 */
interface Dialect {
  readonly history: string;
  readonly note: string;
  readonly references: string;
}
const OLDER: Dialect = {
  history: 'edit_history_tweet_ids',
  note: 'note_tweet',
  references: 'referenced_tweets',
};
const CURRENT: Dialect = { history: 'edit_history_post_ids', note: 'note_post', references: 'referenced_posts' };

/** A longer text is cut in `text`, and whole in the note. */
const CUT_LENGTH = 280;
const EXCLUDABLE = ['replies', 'retweets'];
const MIN_RESULTS = 5;
const MAX_RESULTS = 100;
const DEFAULT_RESULTS = 10;
/** How many of the newest posts X lists where replies are left out. */
const MOST_WITHOUT_REPLIES = 800;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const DIGITS = /^[0-9]{1,19}$/;

interface TimelineQuery {
  readonly limit: number;
  readonly dialect: Dialect;
  readonly fields: readonly string[];
  readonly withReplies: boolean;
  readonly startTime: number;
  readonly endTime: number;
  readonly sinceId: string;
  readonly untilId: string | null;
}

const list = (value: string | null) =>
  value === null
    ? []
    : value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
const sortable = (id: string) => id.padStart(19, '0');

/** Tokens are base32hex, and no ids: a client can only send back what it got. */
const tokenOf = (id: string): string => BigInt(id).toString(32);

/** The id after which the page begins; null: X gave out no such token. */
function idOfToken(token: string): string | null {
  if (!/^[0-9a-v]{1,13}$/.test(token)) return null;
  const id = [...token].reduce((sum, digit) => sum * 32n + BigInt(Number.parseInt(digit, 32)), 0n).toString();
  return id.length > 19 ? null : sortable(id);
}

function faultsIn(query: URLSearchParams): readonly Invalid[] {
  const wrong: Invalid[] = [];
  const refuse = (name: string, why: string) =>
    wrong.push({
      message: `The \`${name}\` query parameter value [${query.get(name)?.slice(0, 100)}] ${why}`,
      parameters: { [name]: [query.get(name) ?? ''] },
    });
  const count = query.get('max_results');
  if (count !== null && (!/^\d{1,4}$/.test(count) || Number(count) < MIN_RESULTS || Number(count) > MAX_RESULTS)) {
    refuse('max_results', `is not between ${MIN_RESULTS} and ${MAX_RESULTS}`);
  }
  for (const name of ['start_time', 'end_time']) {
    const value = query.get(name);
    if (value !== null && (!INSTANT.test(value) || Number.isNaN(Date.parse(value))))
      refuse(name, 'is not a valid RFC 3339 date-time ending in Z');
  }
  for (const name of ['since_id', 'until_id']) {
    if (query.has(name) && !DIGITS.test(query.get(name)!)) refuse(name, 'is not a valid Tweet id');
  }
  const token = query.get('pagination_token');
  if (token !== null && idOfToken(token) === null) refuse('pagination_token', 'is not valid');
  if (list(query.get('exclude')).some((name) => !EXCLUDABLE.includes(name)))
    refuse('exclude', `is not one of [${EXCLUDABLE.join(',')}]`);
  return wrong;
}

function readAsked(query: URLSearchParams): TimelineQuery {
  const token = query.get('pagination_token');
  const bounds = [token === null ? null : idOfToken(token), query.get('until_id')];
  const until = bounds.flatMap((id) => (id === null ? [] : [sortable(id)])).sort()[0];
  const isCurrent = query.has('post.fields');
  return {
    limit: Number(query.get('max_results') ?? DEFAULT_RESULTS),
    dialect: isCurrent ? CURRENT : OLDER,
    fields: list(query.get(isCurrent ? 'post.fields' : 'tweet.fields')),
    withReplies: !list(query.get('exclude')).includes('replies'),
    startTime: query.has('start_time') ? Date.parse(query.get('start_time')!) : -Infinity,
    endTime: query.has('end_time') ? Date.parse(query.get('end_time')!) : Infinity,
    sinceId: sortable(query.get('since_id') ?? '0'),
    untilId: until ?? null,
  };
}

/** A post or a reply, as the list shows both. */
interface Listed extends Pick<LiveItem, 'remoteId' | 'accountId' | 'text' | 'publishedAt'> {
  /** The post that it answers; null: none. */
  readonly inReplyTo: string | null;
  readonly conversationId: string;
  readonly replySettings: string;
}

/** A long text ends after its first words, with the address of the whole. */
function cutText(text: string, id: string): string {
  const characters = [...text];
  if (characters.length <= CUT_LENGTH) return text;
  const short = `https://t.co/${(BigInt(id) * 100n + 99n).toString(36).slice(-10)}`;
  return `${characters.slice(0, CUT_LENGTH - short.length - 2).join('')}… ${short}`;
}

/** What of a post is there only when it is asked for, under the names of the dialect. */
function onDemand(post: Listed, mediaKeys: readonly string[], dialect: Dialect): Readonly<Record<string, unknown>> {
  const { text, urls } = shownText(post.text, post.remoteId, mediaKeys.length > 0);
  const isCut = [...text].length > CUT_LENGTH;
  const kept = isCut ? urls.filter(({ end, url }) => cutText(text, post.remoteId).slice(0, end).endsWith(url)) : urls;
  return {
    created_at: new Date(post.publishedAt).toISOString(),
    author_id: post.accountId,
    lang: 'und',
    reply_settings: post.replySettings,
    conversation_id: post.conversationId,
    public_metrics: { retweet_count: 0, reply_count: 0, like_count: 0, quote_count: 0 },
    ...(kept.length > 0 ? { entities: { urls: kept } } : {}),
    ...(isCut ? { [dialect.note]: { text, ...(urls.length > 0 ? { entities: { urls } } : {}) } } : {}),
    ...(mediaKeys.length > 0 ? { attachments: { media_keys: mediaKeys } } : {}),
    ...(post.inReplyTo === null
      ? {}
      : {
          in_reply_to_user_id: post.accountId,
          [dialect.references]: [{ type: 'replied_to', id: post.inReplyTo }],
        }),
  };
}

function shown(post: Listed, mediaKeys: readonly string[], { dialect, fields }: TimelineQuery): object {
  const { text } = shownText(post.text, post.remoteId, mediaKeys.length > 0);
  const extra = onDemand(post, mediaKeys, dialect);
  return {
    id: post.remoteId,
    text: cutText(text, post.remoteId),
    [dialect.history]: [post.remoteId],
    ...Object.fromEntries(fields.filter((name) => Object.hasOwn(extra, name)).map((name) => [name, extra[name]])),
  };
}

const REPLY_SETTINGS: Readonly<Record<string, string>> = { following: 'following', mentioned: 'mentionedUsers' };

/** What the account published last, newest first, whether the list shows it already or not. */
function newest(
  accountId: string,
  { sinceId, startTime, withReplies }: TimelineQuery,
  { items, replies, mostListed }: Timeline,
): readonly Listed[] {
  const floor = idFloor(startTime);
  const above = sinceId > floor ? sinceId : floor;
  const posts = items.ofAccount('x', accountId, { above, descending: true, limit: mostListed }).map((item) => ({
    ...item,
    inReplyTo: null,
    conversationId: item.remoteId,
    replySettings: REPLY_SETTINGS[item.options?.replySettings ?? ''] ?? 'everyone',
  }));
  const answers = replies
    .newest(accountId, above, mostListed)
    .map((reply) => ({ ...reply, replySettings: 'everyone' }));
  const most = withReplies ? mostListed : Math.min(mostListed, MOST_WITHOUT_REPLIES);
  return [...posts, ...answers]
    .sort((one, other) => (one.remoteId < other.remoteId ? 1 : -1))
    .slice(0, most)
    .filter(({ inReplyTo }) => withReplies || inReplyTo === null);
}

export interface Timeline {
  readonly items: Items;
  readonly replies: Replies;
  readonly mediaKeysOf: (postId: string) => readonly string[];
  readonly listedUntil: number;
  /** How many of the newest posts can be listed at all. */
  readonly mostListed: number;
}

/**
 * GET /2/users/{id}/tweets: newest first, those published before `listedUntil`, of the
 * `mostListed` newest. `author` null: the id is unknown.
 */
export function timeline(
  query: URLSearchParams,
  userId: string,
  author: Account | null,
  shelves: Timeline,
): SandboxAnswer {
  if (!DIGITS.test(userId))
    return invalid(`The \`id\` query parameter value [${userId.slice(0, 100)}] is not valid`, {
      id: [userId.slice(0, 100)],
    });
  const wrong = faultsIn(query);
  if (wrong[0] !== undefined) return invalid(wrong[0].message, wrong[0].parameters);
  if (author === null) {
    const detail = `Could not find user with id: [${userId}].`;
    const type = 'https://api.twitter.com/2/problems/resource-not-found';
    return json(200, {
      errors: [
        {
          value: userId,
          detail,
          title: 'Not Found Error',
          resource_type: 'user',
          parameter: 'id',
          resource_id: userId,
          type,
        },
      ],
    });
  }
  const asked = readAsked(query);
  const matching = newest(author.accountId, asked, shelves).filter(
    ({ remoteId, publishedAt }) =>
      (asked.untilId === null || remoteId < asked.untilId) &&
      publishedAt <= shelves.listedUntil &&
      publishedAt >= asked.startTime &&
      publishedAt < asked.endTime,
  );
  const found = matching.slice(0, asked.limit);
  if (found.length === 0) return json(200, { meta: { result_count: 0 } });
  const oldest = found.at(-1)!.remoteId;
  const meta = {
    result_count: found.length,
    newest_id: found[0]!.remoteId,
    oldest_id: oldest,
    ...(matching.length > found.length ? { next_token: tokenOf(oldest) } : {}),
  };
  return json(200, { data: found.map((post) => shown(post, shelves.mediaKeysOf(post.remoteId), asked)), meta });
}
