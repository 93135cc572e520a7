import type { Account } from '../accounts.ts';
import { json, type SandboxAnswer } from '../exchange.ts';
import type { LiveItem, Items } from '../items.ts';
import { idFloor } from '../remote-ids.ts';
import { invalid, type Invalid } from './problems.ts';
import { shownText } from './text-shown.ts';

const FIELDS = [
  'id',
  'text',
  'edit_history_tweet_ids',
  'created_at',
  'entities',
  'attachments',
  'author_id',
  'lang',
  'public_metrics',
  'note_tweet',
];
const EXCLUDABLE = ['replies', 'retweets'];
const MIN_RESULTS = 5;
const MAX_RESULTS = 100;
const DEFAULT_RESULTS = 10;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z$/;
const DIGITS = /^[0-9]{1,19}$/;

interface TimelineQuery {
  readonly limit: number;
  readonly fields: readonly string[];
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
  for (const name of ['since_id', 'until_id', 'pagination_token']) {
    if (query.has(name) && !DIGITS.test(query.get(name)!)) refuse(name, 'is not a valid Tweet id');
  }
  if (list(query.get('exclude')).some((name) => !EXCLUDABLE.includes(name)))
    refuse('exclude', `is not one of [${EXCLUDABLE.join(',')}]`);
  if (list(query.get('tweet.fields')).some((name) => !FIELDS.includes(name)))
    refuse('tweet.fields', `is not one of [${FIELDS.join(',')}]`);
  return wrong;
}

function readAsked(query: URLSearchParams): TimelineQuery {
  const until = query.get('pagination_token') ?? query.get('until_id');
  return {
    limit: Number(query.get('max_results') ?? DEFAULT_RESULTS),
    fields: list(query.get('tweet.fields')),
    startTime: query.has('start_time') ? Date.parse(query.get('start_time')!) : -Infinity,
    endTime: query.has('end_time') ? Date.parse(query.get('end_time')!) : Infinity,
    sinceId: sortable(query.get('since_id') ?? '0'),
    untilId: until === null ? null : sortable(until),
  };
}

function shown(item: LiveItem, fields: readonly string[], mediaKeys: readonly string[]): object {
  const { text, urls } = shownText(item.text, item.remoteId, item.media.length > 0);
  return {
    id: item.remoteId,
    text,
    edit_history_tweet_ids: [item.remoteId],
    ...(fields.includes('created_at') ? { created_at: new Date(item.publishedAt).toISOString() } : {}),
    ...(fields.includes('author_id') ? { author_id: item.accountId } : {}),
    ...(fields.includes('lang') ? { lang: 'und' } : {}),
    ...(fields.includes('entities') && urls.length > 0 ? { entities: { urls } } : {}),
    ...(fields.includes('attachments') && mediaKeys.length > 0 ? { attachments: { media_keys: mediaKeys } } : {}),
    ...(fields.includes('public_metrics')
      ? { public_metrics: { retweet_count: 0, reply_count: 0, like_count: 0, quote_count: 0 } }
      : {}),
  };
}

export interface Timeline {
  readonly items: Items;
  readonly mediaKeysOf: (postId: string) => readonly string[];
  readonly listedUntil: number;
}

/** GET /2/users/{id}/tweets: newest first, those published before `listedUntil`. `author` null: the id is unknown. */
export function timeline(
  query: URLSearchParams,
  userId: string,
  author: Account | null,
  { items, mediaKeysOf, listedUntil }: Timeline,
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
  const floor = idFloor(asked.startTime);
  const bounds = {
    above: asked.sinceId > floor ? asked.sinceId : floor,
    ...(asked.untilId === null ? {} : { below: asked.untilId }),
    descending: true,
  };
  const matching = items
    .ofAccount('x', author.accountId, bounds)
    .filter(
      ({ publishedAt }) => publishedAt <= listedUntil && publishedAt >= asked.startTime && publishedAt < asked.endTime,
    );
  const found = matching.slice(0, asked.limit);
  if (found.length === 0) return json(200, { meta: { result_count: 0 } });
  const oldest = found.at(-1)!.remoteId;
  const meta = {
    result_count: found.length,
    newest_id: found[0]!.remoteId,
    oldest_id: oldest,
    ...(matching.length > found.length ? { next_token: oldest } : {}),
  };
  return json(200, { data: found.map((item) => shown(item, asked.fields, mediaKeysOf(item.remoteId))), meta });
}
