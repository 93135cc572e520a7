import { parallelMap } from '#concurrency/parallel-map.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import { isPostId } from '#domain/post/ids.ts';
import { isoOf, type MediaUrl } from '#domain/post/render.ts';
import { goodAddresses, type Post, type Via } from '#domain/post/post.ts';
import type { Network, Placement } from '#domain/network.ts';
import type { FailureReason, VariantStatus } from '#domain/post/post.ts';
import type { ApiCall } from './caller.ts';
import type { PostReader } from './dependencies.ts';
import { eachPost, type EachPostOptions } from './each-post.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';
import { sortInPieces } from './sort-in-pieces.ts';

/** A Post as a calendar shows it. Times are ISO 8601, UTC. */
export interface CardBody {
  readonly id: string;
  /** The earliest instant that a Variant is scheduled for; when it was written, if none is. */
  readonly at: string;
  /** The beginning of its text. */
  readonly words: string;
  readonly via: Via | null;
  /** A picture of it; null: it has none, or its file has not come yet. */
  readonly thumbnail: string | null;
  readonly files: number;
  readonly variants: readonly CardVariantBody[];
}

export interface CardVariantBody {
  readonly id: string;
  readonly channelId: string;
  readonly network: Network;
  readonly placement: Placement;
  readonly status: VariantStatus;
  readonly failureReason: FailureReason | null;
}

export interface CardPage {
  readonly cards: readonly CardBody[];
  /** There are more Posts than one answer holds: ask for a shorter time. */
  readonly isCut: boolean;
}

export interface ListCalendarOptions extends EachPostOptions {
  readonly mediaUrl: MediaUrl;
}

/** An agency has some thousands of Posts a week, to a dozen Channels; more is more than one answer should hold. */
const MOST = { most: 20_000, mostVariants: 60_000 } as const;
const WORDS_CHARACTERS = 120;

/** The Posts that were written, or have a Variant scheduled, in [from, to), by their time. Instants in milliseconds. */
export function listCalendar(
  call: ApiCall,
  range: CalendarRange,
  { mediaUrl, ...options }: ListCalendarOptions,
): Promise<UseCaseResult<CardPage>> {
  return settled<CardPage>('read', async () => {
    const cards: CardBody[] = [];
    const isCut = await eachPost(call, { ...range, ...MOST }, options, (post) => cards.push(cardOf(post, mediaUrl)));
    const sorted = await sortInPieces(cards, byTime, options.slices.begin(call.workspaceId));
    return done({ cards: sorted, isCut });
  });
}

export interface CalendarRange {
  readonly from: number;
  readonly to: number;
}

/** A Post of which Variants failed. */
export interface FailedPost {
  readonly id: string;
  /** As of its card. */
  readonly at: string;
  readonly variants: number;
}

/** Those of the Posts of a range of which a Variant failed, in no order. */
export function listFailures(
  call: ApiCall,
  range: CalendarRange,
  options: EachPostOptions,
): Promise<UseCaseResult<readonly FailedPost[]>> {
  return settled<readonly FailedPost[]>('read', async () => {
    const failures: FailedPost[] = [];
    await eachPost(call, { ...range, ...MOST }, options, ({ id, scheduledAt, createdAt, variants }) => {
      const failed = variants.filter(({ status }) => status === 'failed').length;
      if (failed > 0) failures.push({ id, at: isoOf(scheduledAt ?? createdAt), variants: failed });
    });
    return done(failures);
  });
}

export interface ReadCardsOptions {
  readonly posts: Pick<PostReader, 'read'>;
  readonly slices: TimeSlices;
  readonly mediaUrl: MediaUrl;
}

/** Of the Posts that cards are asked of. */
const READ_AT_ONCE = 8;

/** The cards of those of these Posts that there are, for a calendar that heard that they changed; in no order. */
export function readCards(
  call: ApiCall,
  postIds: readonly string[],
  { posts, slices, mediaUrl }: ReadCardsOptions,
): Promise<UseCaseResult<readonly CardBody[]>> {
  return settled<readonly CardBody[]>('read', async () => {
    const cards: CardBody[] = [];
    const pause = slices.begin(call.workspaceId);
    await parallelMap(READ_AT_ONCE, new Set(postIds.filter(isPostId)), async (id) => {
      await pause();
      const post = await posts.read(call.workspaceId, id);
      if (post !== null) cards.push(cardOf(post, mediaUrl));
    });
    return done(cards);
  });
}

function byTime(one: CardBody, other: CardBody): number {
  return one.at < other.at ? -1 : one.at > other.at ? 1 : one.id < other.id ? -1 : 1;
}

/** A week has thousands of texts: only one with a character of two halves near its beginning is taken apart. */
function beginningOf(text: string): string {
  const first = text.slice(0, WORDS_CHARACTERS);
  if (first === text || !/[\ud800-\udfff]/.test(first)) return first;
  return [...text.slice(0, 2 * WORDS_CHARACTERS)].slice(0, WORDS_CHARACTERS).join('');
}

function cardOf(post: Post, mediaUrl: MediaUrl): CardBody {
  const { id, text, scheduledAt, createdAt, via, media, variants } = post;
  const addressVersion = goodAddresses(post);
  const picture = media.find(({ kind, stored }) => kind === 'image' && stored !== null)?.stored ?? null;
  return {
    id,
    at: isoOf(scheduledAt ?? createdAt),
    words: beginningOf(text),
    via: via && { kind: via.kind, name: via.name, by: via.by },
    thumbnail: picture === null || addressVersion === null ? null : mediaUrl({ ...picture, addressVersion }),
    files: media.length,
    variants: variants.map(({ id: variantId, channelId, network, placement, status, failureReason }) => ({
      id: variantId,
      channelId,
      network,
      placement,
      status,
      failureReason,
    })),
  };
}
