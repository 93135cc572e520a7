import { z } from 'zod';
import { SentId, SentInstant, sentText } from './scalars.ts';

const MAX_TEXT_CHARACTERS = 100_000;
const MAX_CHANNELS = 100;
const MAX_BULK_POSTS = 100;
const MAX_PAGE_POSTS = 500;
export const DEFAULT_PAGE_POSTS = 100;

const MAX_MEDIA = 100;
const MAX_TITLE_CHARACTERS = 1_000;
const MAX_ALT_TEXT_CHARACTERS = 10_000;
const MAX_URL_CHARACTERS = 4_096;

const SentMedia = z
  .strictObject(
    {
      assetId: SentId.exactOptional().meta({ description: 'A completed upload that is in no Post yet' }),
      url: sentText(MAX_URL_CHARACTERS)
        .refine((url) => url.startsWith('https://') && URL.canParse(url), 'must be an https address')
        .meta({ format: 'uri', description: 'A public https address of the file' })
        .exactOptional(),
      altText: sentText(MAX_ALT_TEXT_CHARACTERS).exactOptional(),
    },
    'must be an object',
  )
  .refine((item) => (item.assetId === undefined) !== (item.url === undefined), 'must have either assetId or url')
  .meta({ id: 'MediaReference', description: 'One of `assetId` and `url`' });

const SentChannelOptions = z
  .strictObject(
    {
      placement: z
        .enum(['feed', 'story', 'feed_and_story'], 'must be feed, story or feed_and_story')
        .exactOptional()
        .meta({ description: 'feed when left out; feed_and_story makes two Variants' }),
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
    },
    'must be an object',
  )
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
  .refine(({ channelIds, channelOptions }) => Object.keys(channelOptions).every((id) => channelIds.includes(id)), {
    path: ['channelOptions'],
    message: 'must be keyed by ids that channelIds names',
  })
  .meta({ id: 'CreatePostRequest' });

export type CreatePostInput = z.output<typeof CreatePostRequest>;

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
  .strictObject({ posts: z.array(CreatePostRequest).min(1).max(MAX_BULK_POSTS) })
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

export const PathId = z.strictObject({ id: SentId });

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
