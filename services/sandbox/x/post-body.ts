import { isRecord, type SandboxAnswer, type Incoming } from '../exchange.ts';
import { invalid, undefinedProperty } from './problems.ts';

/** The body of POST /2/tweets: `CreatePostsRequest` of X's OpenAPI document, which allows no other properties. */
export interface XPostBody {
  readonly text: string;
  readonly mediaIds: readonly string[];
  /** The post that it answers; null: none. */
  readonly inReplyTo: string | null;
  /** null: everyone may reply. */
  readonly replySettings: string | null;
  readonly madeWithAi: boolean;
}

const REPLY_SETTINGS = ['following', 'mentionedUsers', 'subscribers', 'verified'];
const FLAGS = ['made_with_ai', 'paid_partnership', 'nullcast', 'for_super_followers_only', 'share_with_followers'];
/** Taken, and without effect here. */
const WITHOUT_EFFECT = [
  ...['card_uri', 'community_id', 'direct_message_deep_link', 'edit_options', 'geo', 'poll', 'quote_tweet_id'],
];
const FIELDS = ['text', 'media', 'reply', 'reply_settings', ...FLAGS, ...WITHOUT_EFFECT];
const MEDIA_FIELDS = [
  ...['media_ids', 'tagged_user_ids', 'title', 'description', 'embeddable', 'preview_media_id', 'call_to_actions'],
];
const REPLY_FIELDS = ['in_reply_to_tweet_id', 'exclude_reply_user_ids', 'auto_populate_reply_metadata'];
const POST_ID = /^[0-9]{1,19}$/;

type Fields = Readonly<Record<string, unknown>>;

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, 100);

export function invalidMedia(ids: readonly unknown[]): SandboxAnswer {
  return invalid('Your media IDs are invalid.', {
    'media.media_ids': ids.slice(0, 4).map((id) => String(id).slice(0, 30)),
  });
}

/** The name of the first property that the schema lacks, with the path to it; null: none. */
function unknownProperty(body: Fields): string | null {
  const { media, reply } = body;
  const beside = (fields: unknown, allowed: readonly string[], prefix: string) =>
    isRecord(fields)
      ? Object.keys(fields)
          .filter((name) => !allowed.includes(name))
          .map((name) => prefix + name)
      : [];
  return (
    [
      ...beside(body, FIELDS, ''),
      ...beside(media, MEDIA_FIELDS, 'media.'),
      ...beside(reply, REPLY_FIELDS, 'reply.'),
    ][0] ?? null
  );
}

function judgeChoices(body: Fields): SandboxAnswer | null {
  const { reply, reply_settings: settings } = body;
  if (settings !== undefined && !REPLY_SETTINGS.includes(settings as string))
    return invalid(`$.reply_settings: does not have a value in the enumeration [${REPLY_SETTINGS.join(', ')}]`, {
      reply_settings: [shown(settings)],
    });
  const flag = FLAGS.find((name) => body[name] !== undefined && typeof body[name] !== 'boolean');
  if (flag !== undefined) return invalid(`$.${flag}: boolean expected`, { [flag]: [shown(body[flag])] });
  if (reply === undefined) return null;
  const answered = isRecord(reply) ? reply['in_reply_to_tweet_id'] : undefined;
  return typeof answered === 'string' && POST_ID.test(answered)
    ? null
    : invalid(`$.reply.in_reply_to_tweet_id: does not match the regex pattern ${POST_ID.source}`, {
        'reply.in_reply_to_tweet_id': [shown(answered)],
      });
}

/** The body, or X's refusal of it. */
export function readPostBody(request: Incoming): XPostBody | SandboxAnswer {
  const body = request.json();
  if (!isRecord(body)) return invalid('The request body must be a JSON object.');
  const unknown = unknownProperty(body);
  if (unknown !== null) return undefinedProperty(unknown);
  const { text, media, reply } = body;
  if (text !== undefined && typeof text !== 'string')
    return invalid('$.text: string expected', { text: [shown(text)] });
  const refused = judgeChoices(body);
  if (refused !== null) return refused;
  const named = isRecord(media) && Array.isArray(media['media_ids']) ? media['media_ids'] : [];
  if (media !== undefined && (named.length === 0 || named.some((id) => typeof id !== 'string')))
    return invalidMedia(named);
  if ((text === undefined || text === '') && media === undefined)
    return invalid('One of text or media must be present.', { text: [''] });
  return {
    text: text ?? '',
    mediaIds: named as string[],
    inReplyTo: isRecord(reply) ? (reply['in_reply_to_tweet_id'] as string) : null,
    replySettings: (body['reply_settings'] as string | undefined) ?? null,
    madeWithAi: body['made_with_ai'] === true,
  };
}
