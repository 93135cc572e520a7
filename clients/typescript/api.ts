// Written by write-api.ts from the OpenAPI document. Change that, and run `npm run docs`.

/** A word that a later release may add. */
type OtherWord = string & {};

export interface CreatePostRequest {
  /** May be left out where the Channels allow it, as in a Story */
  readonly text?: string;
  readonly channelIds: readonly string[];
  /** Left out: published at once, which needs posts:publish */
  readonly scheduledAt?: string;
  /** In display order */
  readonly media?: readonly MediaReference[];
  /** By Channel id */
  readonly channelOptions?: Readonly<Record<string, ChannelOptions>>;
}

/** One of `assetId` and `url` */
export interface MediaReference {
  /** A completed upload that is in no Post yet */
  readonly assetId?: string;
  /** A public https address of the file */
  readonly url?: string;
  readonly altText?: string;
}

export interface ChannelOptions {
  /** feed when left out; feed_and_story makes two Variants */
  readonly placement?: 'feed' | 'story' | 'feed_and_story';
  /** In place of the Post's text, on this Channel; an empty text counts as given */
  readonly text?: string;
  /** What a video shows before it is played */
  readonly cover?: Cover;
  /** youtube: the video's title, the first sentence of the Post when left out. tiktok: the title of pictures */
  readonly title?: string;
  readonly youtube?: {
    /** The video's title; the first sentence of the Post when left out */
    readonly title?: string;
  };
  /** Sent once as a comment or reply when the Variant is live. On x it costs one more credit */
  readonly firstComment?: string;
  /** facebook: a card of the first address in the text; true when left out */
  readonly link?: boolean;
  /** instagram: usernames of accounts that are invited as authors */
  readonly collaborators?: readonly string[];
  /** instagram: a reel is shown in the feed too; true when left out */
  readonly shareToFeed?: boolean;
  /** instagram: accounts marked in the picture */
  readonly userTags?: readonly {
    readonly username: string;
    /** From the left, 0 to 1 */
    readonly x: number;
    /** From the top, 0 to 1 */
    readonly y: number;
  }[];
  /**
   * Who sees it. tiktok: public, friends, followers or only_me, and it must be chosen here or in the defaults of
   * the Channel. youtube: public (when left out), unlisted or private
   */
  readonly privacy?: 'public' | 'friends' | 'followers' | 'only_me' | 'unlisted' | 'private';
  /** tiktok: false when left out */
  readonly allowComments?: boolean;
  /** tiktok: false when left out */
  readonly allowDuet?: boolean;
  /** tiktok: false when left out */
  readonly allowStitch?: boolean;
  /** tiktok: it advertises the brand of another */
  readonly brandedContent?: boolean;
  /** tiktok: it advertises the brand of its author */
  readonly ownBrand?: boolean;
  /** tiktok: it was made by AI */
  readonly aiGenerated?: boolean;
  /** tiktok: TikTok adds music to pictures; false when left out */
  readonly autoMusic?: boolean;
  /** youtube: the video is made for children; false when left out here and in the defaults */
  readonly madeForKids?: boolean;
  /** youtube */
  readonly tags?: readonly string[];
  /** youtube: the number of a category, such as 22 for "People & Blogs"; the options of a Channel list all */
  readonly categoryId?: string;
  /** youtube: playlists that the video is added to */
  readonly playlistIds?: readonly string[];
  /** youtube: it shows what looks real and is not */
  readonly syntheticMedia?: boolean;
  /** youtube: true when left out */
  readonly notifySubscribers?: boolean;
  /** x: who may reply */
  readonly replySettings?: 'everyone' | 'following' | 'mentioned';
  /** x: it was made with AI */
  readonly madeWithAi?: boolean;
  /** threads: a topic, without # */
  readonly topicTag?: string;
  /** threads: who may reply */
  readonly replyControl?: 'everyone' | 'followed' | 'mentioned';
}

/** One of `assetId`, `url` and `atSeconds` */
export interface Cover {
  /** A completed upload of a picture that is in no Post yet */
  readonly assetId?: string;
  /** A public https address of a picture */
  readonly url?: string;
  /** The picture of the video at this instant, in seconds from its start */
  readonly atSeconds?: number;
}

/** A Post that is malformed is answered in its place and holds no other up */
export interface BulkRequest {
  readonly posts: readonly BulkPost[];
}

export interface BulkPost {
  /** May be left out where the Channels allow it, as in a Story */
  readonly text?: string;
  readonly channelIds: readonly string[];
  /** Left out: published at once, which needs posts:publish */
  readonly scheduledAt?: string;
  /** In display order */
  readonly media?: readonly MediaReference[];
  /** By Channel id */
  readonly channelOptions?: Readonly<Record<string, ChannelOptions>>;
  /** As the header Idempotency-Key of POST /api/posts, for this Post */
  readonly idempotencyKey?: string;
}

export interface CreateMediaUploadRequest {
  /** As the file is called; for people */
  readonly filename: string;
  /** image/jpeg, image/png, image/webp, video/mp4 or video/quicktime; sent again as Content-Type with the file */
  readonly contentType: string;
  /** The length of the file, at most 2 GB (2,147,483,648) */
  readonly bytes: number;
}

export interface RegisterEndpointRequest {
  /**
   * https on the standard port, reachable from the internet, without a redirect. One address may be registered
   * several times
   */
  readonly url: string;
  readonly events: readonly ('variant.published' | 'variant.failed')[];
}

export interface WebhookEvent {
  /** The same on every redelivery */
  readonly id: string;
  readonly type: 'variant.published' | 'variant.failed' | OtherWord;
  /** UTC, with milliseconds */
  readonly createdAt: string;
  readonly data: {
    readonly variant: Variant;
    readonly post: Post;
  };
}

export interface Variant {
  readonly id: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly network: Network;
  readonly placement: 'feed' | 'story' | OtherWord;
  readonly status: 'draft' | 'scheduled' | 'publishing' | 'published' | 'failed' | 'cancelled' | OtherWord;
  readonly scheduledAt: string | null;
  readonly failureReason:
    | 'needs_reconnect'
    | 'rejected_by_platform'
    | 'media_problem'
    | 'rate_limited'
    | 'missed_window'
    | 'platform_problem'
    | 'unconfirmed'
    | OtherWord
    | null;
  /** What the Network said */
  readonly failureDetail: string | null;
  readonly permalink: string | null;
  readonly mediaReady: boolean;
  readonly channelDisconnected: boolean;
  /**
   * A Disconnect cancelled it and `by` says whose, never by an e-mail address that is no name; `by` null: a
   * Downgrade
   */
  readonly cancelledByDisconnect: {
    readonly by: string | null;
  } | null;
  /** Of a published youtube Variant only; always null in a webhook */
  readonly metrics: Metrics | null;
  /** The text of this Channel alone; null: the Post's */
  readonly text: string | null;
  /** What became of the first comment; null: there is none */
  readonly firstComment: {
    readonly status: 'waiting' | 'published' | 'failed' | OtherWord;
    readonly permalink: string | null;
    /** Why it failed */
    readonly detail: string | null;
  } | null;
}

export type Network = 'facebook' | 'instagram' | 'tiktok' | 'youtube' | 'x' | 'threads' | OtherWord;

export interface Metrics {
  readonly views: number;
  readonly likes: number;
  readonly comments: number;
  readonly shares: number;
  readonly minutesWatched: number;
  readonly averageViewDuration: number;
  readonly averageViewPercentage: number;
  readonly subscribersGained: number;
  readonly days: readonly {
    readonly day: string;
    readonly views: number;
    readonly likes: number;
    readonly comments: number;
    readonly shares: number;
    readonly minutesWatched: number;
    readonly averageViewDuration: number;
    readonly averageViewPercentage: number;
    readonly subscribersGained: number;
  }[];
}

export interface Post {
  readonly id: string;
  readonly text: string;
  /** UTC, with milliseconds */
  readonly createdAt: string;
  /** The earliest scheduled time, or when it was written */
  readonly at: string;
  readonly via: {
    readonly kind: 'key' | 'app' | OtherWord;
    readonly name: string;
    /** The Member behind it, by name; `a Member` where they gave none */
    readonly by: string | null;
  } | null;
  /** In carousel order */
  readonly media: readonly MediaItem[];
  readonly variants: readonly Variant[];
}

export interface MediaItem {
  readonly id: string;
  readonly kind: 'image' | 'video' | OtherWord;
  readonly altText: string | null;
  /** null until its upload lands, and once the whole Post is cancelled or its files are removed */
  readonly url: string | null;
}

export interface Channel {
  readonly id: string;
  readonly network: Network;
  readonly name: string;
  readonly avatarUrl: string | null;
  readonly state: 'connected' | 'needs_reconnect' | 'not_connected' | OtherWord;
  /** Its Connection is healthy. Plan limits are judged when a Post is created */
  readonly canPostNow: boolean;
}

export interface ErrorAnswer {
  readonly error: {
    readonly code: string;
    /** Worded to be shown to a user */
    readonly message: string;
    readonly blockers?: readonly Blocker[];
    readonly upgrade?: Upgrade;
    /** A page about the code: what it means and what to do */
    readonly docUrl?: string;
  };
}

export interface Blocker {
  readonly channelId?: string;
  /** `incomplete`: something is missing; `problem`: something is wrong */
  readonly code: string;
  readonly message: string;
  /**
   * Where it is put right in the body that was sent, its steps joined by dots: `text`, `scheduledAt`,
   * `channelIds.0`, `media.0.altText`, `channelOptions.{channelId}.privacy`. Absent: in no one place
   */
  readonly path?: string;
}

/** The Plan that lifts the limit */
export interface Upgrade {
  readonly plan: string;
  readonly limit: string;
  readonly label: string;
}

export interface ChannelOptionsAnswer {
  readonly network: Network;
  /** As in `channelOptions` of a Post: what holds where a Post says nothing */
  readonly defaults: Readonly<Record<string, unknown>>;
  /**
   * Of the account at this moment. tiktok: nickname, privacy, longestVideoSeconds, and whether comments, duets
   * and stitches can be allowed. youtube: playlists and categories. Other Networks: empty
   */
  readonly choices: {
    readonly nickname?: string;
    readonly privacy?: readonly string[];
    readonly longestVideoSeconds?: number;
    readonly allowComments?: boolean;
    readonly allowDuet?: boolean;
    readonly allowStitch?: boolean;
    readonly playlists?: readonly {
      readonly id: string;
      readonly title: string;
    }[];
    readonly categories?: readonly {
      readonly id: string;
      readonly title: string;
    }[];
  };
}

export interface Verdict {
  readonly ok: boolean;
  readonly blockers: readonly Blocker[];
  readonly upgrade: Upgrade | null;
}

/** What POST /api/posts would have answered: its status, and `post` or `error`. After a dry run `post` is null */
export interface BulkItem {
  readonly status: number;
  readonly post?: Post | null;
  /** true: this is the first Post again, and nothing was created */
  readonly replayed?: boolean;
  readonly error?: {
    readonly code: string;
    /** Worded to be shown to a user */
    readonly message: string;
    readonly blockers?: readonly Blocker[];
    readonly upgrade?: Upgrade;
    /** A page about the code: what it means and what to do */
    readonly docUrl?: string;
  };
}

/** One step of one attempt at publishing a Variant */
export interface Attempt {
  readonly attempt: number;
  /** UTC, with milliseconds */
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly step: string;
  readonly outcome: string;
  readonly detail: string | null;
  readonly remoteId: string | null;
}

export interface MediaUpload {
  readonly assetId: string;
  /**
   * PUT the bytes here, with the Content-Type that was reserved and without Authorization: 204 when all of them
   * are stored
   */
  readonly uploadUrl: string;
  /** The file must have come, and be completed, by then */
  readonly expiresAt: string;
}

export interface CompletedUpload {
  readonly assetId: string;
  readonly kind: 'image' | 'video' | OtherWord;
  /** What the bytes are, whatever was announced */
  readonly contentType: string;
  readonly bytes: number;
}

export interface Usage {
  readonly plan: string;
  readonly period: {
    /** UTC, with milliseconds */
    readonly from: string;
    /** UTC, with milliseconds */
    readonly to: string;
  };
  readonly limits: {
    readonly channels: number;
    readonly postsPerMonth: number;
    readonly storageBytes: number;
    /** null: no limit */
    readonly members: number | null;
  };
  readonly used: {
    readonly channels: number;
    readonly postsPerMonth: number;
    readonly storageBytes: number;
    readonly members: number;
  };
  readonly xCredits: {
    readonly available: number;
    readonly reserved: number;
  };
}

export interface NewEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly ('variant.published' | 'variant.failed' | OtherWord)[];
  /**
   * `stopped`: the Member whose key registered it left the Workspace, or `disabledAt` says since when; nothing
   * is sent any more
   */
  readonly state: 'active' | 'stopped' | OtherWord;
  /** UTC, with milliseconds */
  readonly createdAt: string;
  /** Since when nothing is sent because every attempt had failed for five days; a test event enables it */
  readonly disabledAt: string | null;
  /** Why, for a person; null where `disabledAt` is */
  readonly disabledReason: string | null;
  /** Begins whsec_ and is shown this once. The whole text, prefix and all, is the key of the signatures */
  readonly secret: string;
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly ('variant.published' | 'variant.failed' | OtherWord)[];
  /**
   * `stopped`: the Member whose key registered it left the Workspace, or `disabledAt` says since when; nothing
   * is sent any more
   */
  readonly state: 'active' | 'stopped' | OtherWord;
  /** UTC, with milliseconds */
  readonly createdAt: string;
  /** Since when nothing is sent because every attempt had failed for five days; a test event enables it */
  readonly disabledAt: string | null;
  /** Why, for a person; null where `disabledAt` is */
  readonly disabledReason: string | null;
  /** The latest 20, newest first */
  readonly deliveries: readonly Delivery[];
}

/** One event on its way to one endpoint; kept for 30 days after it succeeded or was given up */
export interface Delivery {
  readonly id: string;
  /** As `id` in the body that is sent, the same on every attempt */
  readonly eventId: string;
  readonly type: 'variant.published' | 'variant.failed' | OtherWord;
  readonly state: 'pending' | 'succeeded' | 'failed' | OtherWord;
  readonly attempts: number;
  /** When the event was made */
  readonly createdAt: string;
  readonly lastAttemptAt: string | null;
  /** null unless pending. It may come later, while the endpoint is slow to answer others */
  readonly nextAttemptAt: string | null;
  /** What the endpoint last answered; null when it did not */
  readonly responseStatus: number | null;
  /** What last went wrong; null once it succeeded */
  readonly error: string | null;
}

/** Method and path of each operation. */
export const OPERATIONS = {
  'list-channels': { method: 'GET', path: '/api/channels' },
  'get-channel-options': { method: 'GET', path: '/api/channels/{id}/options' },
  'list-posts': { method: 'GET', path: '/api/posts' },
  'create-post': { method: 'POST', path: '/api/posts' },
  'validate-post': { method: 'POST', path: '/api/posts/validate' },
  'create-posts-in-bulk': { method: 'POST', path: '/api/posts/bulk' },
  'get-post': { method: 'GET', path: '/api/posts/{id}' },
  'cancel-post': { method: 'POST', path: '/api/posts/{id}/cancel' },
  'void-file-addresses': { method: 'POST', path: '/api/posts/{id}/void-file-addresses' },
  'retry-variant': { method: 'POST', path: '/api/variants/{id}/retry' },
  'list-attempts': { method: 'GET', path: '/api/variants/{id}/attempts' },
  'create-media-upload': { method: 'POST', path: '/api/media' },
  'complete-media-upload': { method: 'POST', path: '/api/media/{id}/complete' },
  'remove-media-upload': { method: 'DELETE', path: '/api/media/{id}' },
  'get-usage': { method: 'GET', path: '/api/usage' },
  'register-endpoint': { method: 'POST', path: '/api/webhooks' },
  'list-endpoints': { method: 'GET', path: '/api/webhooks' },
  'delete-endpoint': { method: 'DELETE', path: '/api/webhooks/{id}' },
  'send-test-event': { method: 'POST', path: '/api/webhooks/{id}/test' },
  'rotate-endpoint-secret': { method: 'POST', path: '/api/webhooks/{id}/rotate-secret' },
  'replay-delivery': { method: 'POST', path: '/api/webhooks/{id}/deliveries/{deliveryId}/replay' },
} as const;
