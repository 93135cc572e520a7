import { z } from 'zod';
import { FAILURE_REASONS, VARIANT_STATUSES } from './variant-words.ts';
import { Id, Instant, Uri, Whole } from './scalars.ts';

// Answers are loose: fields may be added at any time, and clients must take ones they don't know.

export const Network = z.enum(['facebook', 'instagram', 'tiktok', 'youtube', 'x', 'threads']).meta({ id: 'Network' });

export const Channel = z
  .looseObject({
    id: Id,
    network: Network,
    name: z.string(),
    avatarUrl: Uri.nullable(),
    state: z.enum(['connected', 'needs_reconnect', 'not_connected']),
    canPostNow: z
      .boolean()
      .meta({ description: 'Its Connection is healthy. Plan limits are judged when a Post is created' }),
  })
  .meta({ id: 'Channel' });

const Named = z.looseObject({ id: z.string(), title: z.string() });

export const ChannelOptionsAnswer = z
  .looseObject({
    network: Network,
    defaults: z
      .looseObject({})
      .meta({ description: 'As in `channelOptions` of a Post: what holds where a Post says nothing' }),
    choices: z
      .looseObject({
        nickname: z.string().exactOptional(),
        privacy: z.array(z.string()).exactOptional(),
        longestVideoSeconds: z.number().exactOptional(),
        allowComments: z.boolean().exactOptional(),
        allowDuet: z.boolean().exactOptional(),
        allowStitch: z.boolean().exactOptional(),
        playlists: z.array(Named).exactOptional(),
        categories: z.array(Named).exactOptional(),
      })
      .meta({
        description:
          'Of the account at this moment. tiktok: nickname, privacy, longestVideoSeconds, and whether comments, duets and stitches can be allowed. youtube: playlists and categories. Other Networks: empty',
      }),
  })
  .meta({ id: 'ChannelOptionsAnswer' });

export const MediaItem = z
  .looseObject({
    id: Id,
    kind: z.enum(['image', 'video']),
    altText: z.string().nullable(),
    url: Uri.nullable().meta({
      description: 'null until its upload lands, and once the whole Post is cancelled or its files are removed',
    }),
  })
  .meta({ id: 'MediaItem' });

const COUNTS = {
  views: z.number(),
  likes: z.number(),
  comments: z.number(),
  shares: z.number(),
  minutesWatched: z.number(),
  averageViewDuration: z.number(),
  averageViewPercentage: z.number(),
  subscribersGained: z.number(),
};

export const Metrics = z
  .looseObject({ ...COUNTS, days: z.array(z.looseObject({ day: z.string().meta({ format: 'date' }), ...COUNTS })) })
  .meta({ id: 'Metrics' });

export const Variant = z
  .looseObject({
    id: Id,
    channelId: Id,
    channelName: z.string(),
    network: Network,
    placement: z.enum(['feed', 'story']),
    status: z.enum(VARIANT_STATUSES),
    scheduledAt: Instant.nullable(),
    failureReason: z.enum(FAILURE_REASONS).nullable(),
    failureDetail: z.string().nullable().meta({ description: 'What the Network said' }),
    permalink: Uri.nullable(),
    mediaReady: z.boolean(),
    channelDisconnected: z.boolean(),
    cancelledByDisconnect: z.looseObject({ by: z.string().nullable() }).nullable().meta({
      description:
        'A Disconnect cancelled it and `by` says whose, never by an e-mail address that is no name; `by` null: a Downgrade',
    }),
    metrics: Metrics.nullable().meta({ description: 'Of a published youtube Variant only; always null in a webhook' }),
    text: z.string().nullable().meta({ description: "The text of this Channel alone; null: the Post's" }),
    firstComment: z
      .looseObject({
        status: z.enum(['waiting', 'published', 'failed']),
        permalink: Uri.nullable(),
        detail: z.string().nullable().meta({ description: 'Why it failed' }),
      })
      .nullable()
      .meta({ description: 'What became of the first comment; null: there is none' }),
  })
  .meta({ id: 'Variant' });

export const Post = z
  .looseObject({
    id: Id,
    text: z.string(),
    createdAt: Instant,
    at: Instant.meta({ description: 'The earliest scheduled time, or when it was written' }),
    via: z
      .looseObject({
        kind: z.enum(['key', 'app']),
        name: z.string(),
        by: z
          .string()
          .nullable()
          .meta({ description: 'The Member behind it, by name; `a Member` where they gave none' }),
      })
      .nullable(),
    media: z.array(MediaItem).meta({ description: 'In carousel order' }),
    variants: z.array(Variant),
  })
  .meta({ id: 'Post' });

/** A Post of a list that a model reads: the figures are left out, which get_post has. */
export const ListedPost = Post.extend({ variants: z.array(Variant.omit({ metrics: true })) }).meta({
  id: 'ListedPost',
});

export const Blocker = z
  .looseObject({
    channelId: Id.optional(),
    code: z.string().meta({ description: '`incomplete`: something is missing; `problem`: something is wrong' }),
    message: z.string(),
    path: z.string().optional().meta({
      description:
        'Where it is put right in the body that was sent, its steps joined by dots: `text`, `scheduledAt`, `channelIds.0`, `media.0.altText`, `channelOptions.{channelId}.privacy`. Absent: in no one place',
    }),
  })
  .meta({ id: 'Blocker' });

export const Upgrade = z
  .looseObject({ plan: z.string(), limit: z.string(), label: z.string() })
  .meta({ id: 'Upgrade', description: 'The Plan that lifts the limit' });

export const Problem = z.looseObject({
  code: z.string(),
  message: z.string().meta({ description: 'Worded to be shown to a user' }),
  blockers: z.array(Blocker).optional(),
  upgrade: Upgrade.optional(),
  docUrl: Uri.optional().meta({ description: 'A page about the code: what it means and what to do' }),
});

export const ErrorAnswer = z.looseObject({ error: Problem }).meta({ id: 'Error' });

export const Verdict = z
  .looseObject({ ok: z.boolean(), blockers: z.array(Blocker), upgrade: Upgrade.nullable() })
  .meta({ id: 'Verdict' });

export const BulkItem = z
  .looseObject({
    status: Whole,
    post: Post.nullable().optional(),
    replayed: z
      .boolean()
      .optional()
      .meta({ description: 'true: this is the first Post again, and nothing was created' }),
    error: Problem.optional(),
  })
  .meta({
    id: 'BulkItem',
    description:
      'What POST /api/posts would have answered: its status, and `post` or `error`. After a dry run `post` is null',
  });

export const Attempt = z
  .looseObject({
    attempt: Whole,
    startedAt: Instant,
    finishedAt: Instant.nullable(),
    step: z.string(),
    outcome: z.string(),
    detail: z.string().nullable(),
    remoteId: z.string().nullable(),
  })
  .meta({ id: 'Attempt', description: 'One step of one attempt at publishing a Variant' });

const AMOUNTS = { channels: Whole, postsPerMonth: Whole, storageBytes: Whole };

export const Usage = z
  .looseObject({
    plan: z.string(),
    period: z.looseObject({ from: Instant, to: Instant }),
    limits: z.looseObject({ ...AMOUNTS, members: Whole.nullable().meta({ description: 'null: no limit' }) }),
    used: z.looseObject({ ...AMOUNTS, members: Whole }),
    xCredits: z.looseObject({ available: Whole, reserved: Whole }),
  })
  .meta({ id: 'Usage' });

export const WebhookEvent = z
  .looseObject({
    id: Id.meta({ description: 'The same on every redelivery' }),
    type: z.enum(['variant.published', 'variant.failed']),
    createdAt: Instant,
    data: z.looseObject({ variant: Variant, post: Post }),
  })
  .meta({ id: 'WebhookEvent' });
