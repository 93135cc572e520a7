import { z } from 'zod';
import { SentId, SentInstant, sentText } from './scalars.ts';

const MAX_TEXT_CHARACTERS = 100_000;
const MAX_CHANNELS = 100;
const MAX_BULK_POSTS = 100;
const MAX_PAGE_POSTS = 500;
export const DEFAULT_PAGE_POSTS = 100;

const PRIVACIES = ['public', 'friends', 'followers', 'only_me', 'unlisted', 'private'] as const;
const REPLY_SETTINGS = ['everyone', 'following', 'mentioned'] as const;
const REPLY_CONTROLS = ['everyone', 'followed', 'mentioned'] as const;

const MAX_MEDIA = 100;
const MAX_TITLE_CHARACTERS = 1_000;
const MAX_ALT_TEXT_CHARACTERS = 10_000;
/** Twelve hours: the longest video that a Network takes. */
const MAX_COVER_SECONDS = 43_200;
const MAX_URL_CHARACTERS = 4_096;

const SentAddress = sentText(MAX_URL_CHARACTERS).refine(
  (url) => url.startsWith('https://') && URL.canParse(url),
  'must be an https address',
);

/** A name of something at a Network: not empty, on one line. */
const sentName = (maxCharacters: number) =>
  sentText(maxCharacters).refine(
    (text) => text.trim() !== '' && !/[\r\n]/.test(text),
    'must be one line, and not empty',
  );

const sentList = <T extends z.ZodType>(of: T, min: number, max: number) =>
  z
    .array(of, 'must be an array')
    .min(min, `must have at least ${min} item${min === 1 ? '' : 's'}`)
    .max(max, `must have at most ${max} items`);

const place = (of: string) =>
  z.number('must be a number').min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1').meta({ description: of });

const SentUserTag = z.strictObject(
  { username: sentName(30), x: place('From the left, 0 to 1'), y: place('From the top, 0 to 1') },
  'must be an object',
);

/** For the document: exactly one of these fields is there, which a refinement checks. */
const oneOfFields =
  (...names: readonly string[]) =>
  ({ jsonSchema }: { readonly jsonSchema: object }): void =>
    void Object.assign(jsonSchema, { oneOf: names.map((name) => ({ required: [name] })) });

const SentMedia = z
  .strictObject(
    {
      assetId: SentId.exactOptional().meta({ description: 'A completed upload that is in no Post yet' }),
      url: SentAddress.meta({ format: 'uri', description: 'A public https address of the file' }).exactOptional(),
      altText: sentText(MAX_ALT_TEXT_CHARACTERS).exactOptional(),
    },
    'must be an object',
  )
  .refine((item) => (item.assetId === undefined) !== (item.url === undefined), 'must have either assetId or url')
  .meta({
    id: 'MediaReference',
    description: 'One of `assetId` and `url`',
    override: oneOfFields('assetId', 'url'),
  });

const isOneSource = ({ assetId, url, atSeconds }: { assetId?: string; url?: string; atSeconds?: number }): boolean =>
  [assetId, url, atSeconds].filter((each) => each !== undefined).length === 1;

const SentCover = z
  .strictObject(
    {
      assetId: SentId.exactOptional().meta({ description: 'A completed upload of a picture that is in no Post yet' }),
      url: SentAddress.exactOptional().meta({ format: 'uri', description: 'A public https address of a picture' }),
      atSeconds: z
        .number('must be a number of seconds')
        .min(0, 'must not be negative')
        .max(MAX_COVER_SECONDS, `must be at most ${MAX_COVER_SECONDS}`)
        .exactOptional()
        .meta({ description: 'The picture of the video at this instant, in seconds from its start' }),
    },
    'must be an object',
  )
  .refine(isOneSource, 'must have one of assetId, url and atSeconds')
  .meta({
    id: 'Cover',
    description: 'One of `assetId`, `url` and `atSeconds`',
    override: oneOfFields('assetId', 'url', 'atSeconds'),
  });

const flag = (description: string) => z.boolean('must be true or false').exactOptional().meta({ description });

/** What a Channel may keep as its default: all of what only some Networks offer, but the title and the cover. */
const DEFAULTABLE = {
  firstComment: sentText(MAX_TEXT_CHARACTERS)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .exactOptional()
    .meta({ description: 'Sent once as a comment or reply when the Variant is live. On x it costs one more credit' }),
  link: flag('facebook: a card of the first address in the text; true when left out'),
  collaborators: sentList(sentName(30), 1, 3)
    .exactOptional()
    .meta({ description: 'instagram: usernames of accounts that are invited as authors' }),
  shareToFeed: flag('instagram: a reel is shown in the feed too; true when left out'),
  userTags: sentList(SentUserTag, 1, 20)
    .exactOptional()
    .meta({ description: 'instagram: accounts marked in the picture' }),
  privacy: z
    .enum(PRIVACIES, `must be one of ${PRIVACIES.join(', ')}`)
    .exactOptional()
    .meta({
      description:
        'Who sees it. tiktok: public, friends, followers or only_me, and it must be chosen here or in the defaults of the Channel. youtube: public (when left out), unlisted or private',
    }),
  allowComments: flag('tiktok: false when left out'),
  allowDuet: flag('tiktok: false when left out'),
  allowStitch: flag('tiktok: false when left out'),
  brandedContent: flag('tiktok: it advertises the brand of another'),
  ownBrand: flag('tiktok: it advertises the brand of its author'),
  aiGenerated: flag('tiktok: it was made by AI'),
  autoMusic: flag('tiktok: TikTok adds music to pictures; false when left out'),
  madeForKids: flag('youtube: the video is made for children; false when left out here and in the defaults'),
  tags: sentList(sentName(500), 0, 500).exactOptional().meta({ description: 'youtube' }),
  categoryId: z
    .string()
    .regex(/^\d{1,9}$/, 'must be the number of a category, as a string')
    .exactOptional()
    .meta({
      description:
        'youtube: the number of a category, such as 22 for "People & Blogs"; the options of a Channel list all',
    }),
  playlistIds: sentList(sentName(100), 0, 10)
    .exactOptional()
    .meta({ description: 'youtube: playlists that the video is added to' }),
  syntheticMedia: flag('youtube: it shows what looks real and is not'),
  notifySubscribers: flag('youtube: true when left out'),
  replySettings: z
    .enum(REPLY_SETTINGS, `must be one of ${REPLY_SETTINGS.join(', ')}`)
    .exactOptional()
    .meta({ description: 'x: who may reply' }),
  madeWithAi: flag('x: it was made with AI'),
  topicTag: sentName(50).exactOptional().meta({ description: 'threads: a topic, without #' }),
  replyControl: z
    .enum(REPLY_CONTROLS, `must be one of ${REPLY_CONTROLS.join(', ')}`)
    .exactOptional()
    .meta({ description: 'threads: who may reply' }),
} as const;

/** The defaults of a Channel, as an operator or the app sets them. */
export const ChannelDefaults = z
  .strictObject(DEFAULTABLE, 'must be an object')
  .meta({ id: 'ChannelDefaults', description: 'Options that hold for every Post to the Channel that leaves them out' });

const SentChannelOptions = z
  .strictObject(
    {
      placement: z
        .enum(['feed', 'story', 'feed_and_story'], 'must be feed, story or feed_and_story')
        .exactOptional()
        .meta({ description: 'feed when left out; feed_and_story makes two Variants' }),
      text: sentText(MAX_TEXT_CHARACTERS)
        .exactOptional()
        .meta({ description: "In place of the Post's text, on this Channel; an empty text counts as given" }),
      cover: SentCover.exactOptional().meta({ description: 'What a video shows before it is played' }),
      title: sentText(MAX_TITLE_CHARACTERS).exactOptional().meta({
        description:
          "youtube: the video's title, the first sentence of the Post when left out. tiktok: the title of pictures",
      }),
      youtube: z
        .strictObject(
          {
            title: sentText(MAX_TITLE_CHARACTERS)
              .exactOptional()
              .meta({ description: "The video's title; the first sentence of the Post when left out" }),
          },
          'must be an object',
        )
        .exactOptional(),
      ...DEFAULTABLE,
    },
    'must be an object',
  )
  .refine(({ title, youtube }) => title === undefined || youtube?.title === undefined || title === youtube.title, {
    path: ['title'],
    message: 'must be the same as youtube.title, where both are given',
  })
  .meta({ id: 'ChannelOptions' });

/**
 * Counted before any field is checked: the refusal of one unknown field is so expensive that 100,000 of them in a body
 * would block the event loop for a second.
 */
function ofFewFields(value: unknown, context: z.RefinementCtx): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length <= MAX_CHANNELS) return value;
  context.addIssue({ code: 'custom', message: `must name at most ${MAX_CHANNELS} Channels` });
  return z.NEVER;
}

interface NamedChannels {
  readonly channelIds: readonly string[];
  readonly channelOptions: Readonly<Record<string, unknown>>;
}

function areOptionsOfItsChannels({ channelIds, channelOptions }: NamedChannels): boolean {
  return Object.keys(channelOptions).every((id) => channelIds.includes(id));
}

const FOREIGN_OPTIONS = { path: ['channelOptions'], message: 'must be keyed by ids that channelIds names' };

/** The body of POST /api/posts and /api/posts/validate. Instants become milliseconds since the epoch. */
export const CreatePostRequest = z
  .strictObject(
    {
      text: sentText(MAX_TEXT_CHARACTERS)
        .default('')
        .meta({ description: 'May be left out where the Channels allow it, as in a Story' }),
      channelIds: z
        .array(SentId, 'must be an array of Channel ids')
        .min(1, 'must name at least one Channel')
        .max(MAX_CHANNELS, `must name at most ${MAX_CHANNELS} Channels`)
        .refine((ids) => new Set(ids).size === ids.length, 'must not name a Channel twice')
        .meta({ uniqueItems: true }),
      scheduledAt: SentInstant.exactOptional().meta({
        description: 'Left out: published at once, which needs posts:publish',
      }),
      media: z
        .array(SentMedia, 'must be an array')
        .max(MAX_MEDIA, `must have at most ${MAX_MEDIA} items`)
        .default([])
        .meta({ description: 'In display order' }),
      channelOptions: z
        .preprocess(
          ofFewFields,
          z.record(SentId, SentChannelOptions, 'must be an object keyed by Channel id').default({}),
        )
        .meta({ description: 'By Channel id' }),
    },
    'must be an object',
  )
  .refine(areOptionsOfItsChannels, FOREIGN_OPTIONS)
  .meta({ id: 'CreatePostRequest' });

export type CreatePostInput = z.output<typeof CreatePostRequest>;

/** The arguments of the tool schedule_post: the body of POST /api/posts with its instant. */
export const SchedulePostArguments = z
  .strictObject(
    {
      ...CreatePostRequest.shape,
      scheduledAt: SentInstant.meta({ description: 'When to publish it: a date-time with a zone' }),
    },
    'must be an object',
  )
  .refine(areOptionsOfItsChannels, FOREIGN_OPTIONS);

const { scheduledAt: _scheduledAt, ...AT_ONCE } = CreatePostRequest.shape;

/** The arguments of the tool publish_now: the body of POST /api/posts without an instant. */
export const PublishNowArguments = z
  .strictObject(AT_ONCE, 'must be an object')
  .refine(areOptionsOfItsChannels, FOREIGN_OPTIONS);

export const IdempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/, 'must be 1 to 255 printable ASCII characters')
  .meta({
    description: 'Chosen by you: a repeat within 24 hours returns the first Post',
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, { minLength: 1, maxLength: 255 });
    },
  });

/** One Post of POST /api/posts/bulk: the body of POST /api/posts, with what is a header there. */
export const BulkPost = z
  .strictObject(
    {
      ...CreatePostRequest.shape,
      idempotencyKey: IdempotencyKey.exactOptional().meta({
        description: 'As the header Idempotency-Key of POST /api/posts, for this Post',
      }),
    },
    'must be an object',
  )
  .refine(areOptionsOfItsChannels, FOREIGN_OPTIONS)
  .meta({ id: 'BulkPost' });

export type BulkPostInput = z.output<typeof BulkPost>;

/** The envelope of POST /api/posts/bulk. Its Posts are checked one by one, by the use case. */
export const BulkEnvelope = z.strictObject(
  {
    posts: z
      .array(z.unknown(), 'must be an array of Posts')
      .min(1, 'must have at least one Post')
      .max(MAX_BULK_POSTS, `must have at most ${MAX_BULK_POSTS} Posts`),
  },
  'must be an object',
);

/** The same, as the OpenAPI document describes it. */
export const BulkRequest = z
  .strictObject({ posts: z.array(BulkPost).min(1).max(MAX_BULK_POSTS) })
  .meta({ id: 'BulkRequest', description: 'A Post that is malformed is answered in its place and holds no other up' });

/** For operations that take nothing: no body, or an empty object. */
export const NoBody = z.strictObject({}, 'must be an empty object');

export const NoQuery = z.strictObject({});

export const BulkQuery = z.strictObject({
  dryRun: z
    .enum(['true', 'false'], 'must be true or false')
    .exactOptional()
    .meta({ description: 'true: judge only, create nothing' }),
});

export const ListPostsQuery = z.strictObject({
  from: SentInstant.exactOptional().meta({
    description: 'Only Posts written, or with a Variant scheduled, at or after this instant',
  }),
  to: SentInstant.exactOptional().meta({
    description: 'Only Posts written, or with a Variant scheduled, before this instant',
  }),
  limit: z
    .string()
    .regex(/^0*[1-9]\d{0,2}$/, `must be a whole number from 1 to ${MAX_PAGE_POSTS}`)
    .transform(Number)
    .refine((limit) => limit <= MAX_PAGE_POSTS, `must be a whole number from 1 to ${MAX_PAGE_POSTS}`)
    .exactOptional()
    .meta({
      description: 'Posts a page',
      override: ({ jsonSchema }) => {
        delete jsonSchema.pattern;
        Object.assign(jsonSchema, {
          type: 'integer',
          minimum: 1,
          maximum: MAX_PAGE_POSTS,
          default: DEFAULT_PAGE_POSTS,
        });
      },
    }),
  cursor: z
    .string()
    .exactOptional()
    .meta({ description: 'The `nextCursor` of the page before, with the same from and to' }),
});

const MAX_TOOL_PAGE_POSTS = 100;
const TOOL_PAGE_POSTS = 20;
const TOOL_LIMIT = `must be a whole number from 1 to ${MAX_TOOL_PAGE_POSTS}`;

/** The arguments of the tool list_posts: a model reads every character of a page, so pages are short. */
export const ListPostsArguments = z.strictObject(
  {
    from: ListPostsQuery.shape.from,
    to: ListPostsQuery.shape.to,
    limit: z
      .int(TOOL_LIMIT)
      .min(1, TOOL_LIMIT)
      .max(MAX_TOOL_PAGE_POSTS, TOOL_LIMIT)
      .default(TOOL_PAGE_POSTS)
      .meta({ description: 'Posts a page' }),
    cursor: ListPostsQuery.shape.cursor,
  },
  'must be an object',
);

export const PostArguments = z.strictObject(
  { postId: SentId.meta({ description: 'The `id` of a Post' }) },
  'must be an object',
);

/** For tools that take nothing. */
export const NoArguments = z.strictObject({}, 'must be an empty object');

export const PathId = z.strictObject({ id: SentId });
