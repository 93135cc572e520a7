import { dayOf, dayStart } from '../calendar.ts';
import type { AcceptedType } from '../media/file-facts.ts';
import type { Network, Placement } from '../network.ts';
import type { VariantMetrics } from '../variant/metrics.ts';
import type { WorkspaceState } from '../workspace/state.ts';
import {
  goodAddresses,
  type FailureReason,
  type FirstCommentState,
  type Post,
  type PostFile,
  type Variant,
  type VariantStatus,
  type Via,
} from './post.ts';

/** A Variant as REST and webhooks show it: every field always there. Times are ISO 8601, UTC, with milliseconds. */
export interface VariantBody {
  readonly id: string;
  readonly channelId: string;
  readonly channelName: string;
  readonly network: Network;
  readonly placement: Placement;
  readonly status: VariantStatus;
  readonly scheduledAt: string | null;
  readonly failureReason: FailureReason | null;
  readonly failureDetail: string | null;
  readonly permalink: string | null;
  readonly mediaReady: boolean;
  readonly channelDisconnected: boolean;
  readonly cancelledByDisconnect: { readonly by: string | null } | null;
  readonly metrics: VariantMetrics | null;
  /** null: the Post's. */
  readonly text: string | null;
  readonly firstComment: FirstCommentBody | null;
}

export interface FirstCommentBody {
  readonly status: 'waiting' | 'published' | 'failed';
  readonly permalink: string | null;
  readonly detail: string | null;
}

export interface MediaBody {
  readonly id: string;
  readonly kind: 'image' | 'video';
  readonly altText: string | null;
  readonly url: string | null;
}

export interface PostBody {
  readonly id: string;
  readonly text: string;
  readonly createdAt: string;
  readonly at: string;
  readonly via: Via | null;
  readonly media: readonly MediaBody[];
  readonly variants: readonly VariantBody[];
}

export type Channels = WorkspaceState['channels'];

/** The public address of a stored file. `addressVersion`: of the Post that has it; left out: 0. */
export type MediaUrl = (stored: {
  readonly blob: string;
  readonly contentType: AcceptedType;
  readonly addressVersion?: number;
}) => string;

/** Before the time, of the day that was written last: most instants of a page are of few days. */
let lastDate = { day: NaN, words: '' };
/** The Variants of a Post mostly share their instant. */
let lastInstant = { at: NaN, words: '' };

/** As `Date.toISOString`, which takes seven times as long, and a page of a list writes hundreds. */
export function isoOf(instant: number): string {
  const at = Math.trunc(instant);
  if (at !== lastInstant.at) lastInstant = { at, words: wordsOf(at) };
  return lastInstant.words;
}

function wordsOf(at: number): string {
  const day = dayOf(at);
  if (day !== lastDate.day) {
    const iso = new Date(at).toISOString();
    lastDate = { day, words: iso.slice(0, iso.indexOf('T') + 1) };
  }
  const ms = at - dayStart(day);
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const time = `${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}:${digits(seconds % 60, 2)}`;
  return `${lastDate.words}${time}.${digits(ms - seconds * 1000, 3)}Z`;
}

function digits(value: number, count: 2 | 3): string {
  return String(value).padStart(count, '0');
}

export function isoOrNull(instant: number | null): string | null {
  return instant === null ? null : isoOf(instant);
}

/** `channels` as they are now: a Channel that a reader cannot see yet has no name and counts as connected. */
export function renderVariant(
  variant: Variant,
  { channelOptions }: Pick<Post, 'channelOptions'>,
  channels: Channels,
  metrics: VariantMetrics | null = null,
): VariantBody {
  const channel = channels[variant.channelId];
  return {
    id: variant.id,
    channelId: variant.channelId,
    channelName: channel?.name ?? '',
    network: variant.network,
    placement: variant.placement,
    status: variant.status,
    scheduledAt: isoOrNull(variant.scheduledAt),
    failureReason: variant.failureReason,
    failureDetail: variant.failureDetail,
    permalink: variant.permalink,
    mediaReady: variant.mediaReady,
    channelDisconnected: channel?.state === 'not_connected',
    cancelledByDisconnect: variant.cancelledByDisconnect,
    metrics: variant.status === 'published' ? metrics : null,
    text: variant.placement === 'story' ? null : (channelOptions[variant.channelId]?.text ?? null),
    firstComment: variant.firstComment === undefined ? null : renderFirstComment(variant.firstComment),
  };
}

function renderFirstComment({ status, permalink, detail }: FirstCommentState): FirstCommentBody {
  return { status: status === 'unconfirmed' ? 'failed' : status, permalink, detail };
}

/** The earliest instant that one of the Post's Variants was scheduled for; when it was written, if none was. */
function instantOfPost(post: Post): number {
  const scheduled = post.variants.flatMap(({ scheduledAt }) => (scheduledAt === null ? [] : [scheduledAt]));
  return scheduled.length === 0 ? post.createdAt : Math.min(...scheduled);
}

function renderFile(
  { assetId, kind, altText, stored }: PostFile,
  addressVersion: number | null,
  mediaUrl: MediaUrl,
): MediaBody {
  const url = stored === null || addressVersion === null ? null : mediaUrl({ ...stored, addressVersion });
  return { id: assetId, kind, altText, url };
}

/** `metrics`: by Variant; webhooks never carry any. */
export function renderPost(
  post: Post,
  channels: Channels,
  mediaUrl: MediaUrl,
  metrics: ReadonlyMap<string, VariantMetrics> = new Map(),
): PostBody {
  const addressVersion = goodAddresses(post);
  return {
    id: post.id,
    text: post.text,
    createdAt: isoOf(post.createdAt),
    at: isoOf(instantOfPost(post)),
    via: post.via && { kind: post.via.kind, name: post.via.name, by: post.via.by },
    media: post.media.map((file) => renderFile(file, addressVersion, mediaUrl)),
    variants: post.variants.map((variant) => renderVariant(variant, post, channels, metrics.get(variant.id))),
  };
}
