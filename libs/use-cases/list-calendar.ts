import { isPostId } from '#domain/post/ids.ts';
import { isoOf, type MediaUrl } from '#domain/post/render.ts';
import { goodAddresses, type Post, type Via } from '#domain/post/post.ts';
import type { Network, Placement } from '#domain/network.ts';
import type { FailureReason, VariantStatus } from '#domain/post/post.ts';
import type { ApiCall } from './caller.ts';
import type { PostReader } from './dependencies.ts';
import { done, settled, type UseCaseResult } from './outcome.ts';

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

export interface ListCalendarOptions {
  readonly posts: Pick<PostReader, 'list'>;
  readonly mediaUrl: MediaUrl;
}

const PAGE_POSTS = 1_000;
const MAX_CARDS = 20_000;
const WORDS_CHARACTERS = 120;

/** The Posts that were written, or have a Variant scheduled, in [from, to), by their time. Instants in milliseconds. */
export function listCalendar(
  call: ApiCall,
  range: CalendarRange,
  { posts, mediaUrl }: ListCalendarOptions,
): Promise<UseCaseResult<CardPage>> {
  return settled<CardPage>('read', async () => {
    const cards: CardBody[] = [];
    const isCut = await eachPost(call, range, posts, (post) => cards.push(cardOf(post, mediaUrl)));
    return done({ cards: cards.sort(byTime), isCut });
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
  { posts }: Pick<ListCalendarOptions, 'posts'>,
): Promise<UseCaseResult<readonly FailedPost[]>> {
  return settled<readonly FailedPost[]>('read', async () => {
    const failures: FailedPost[] = [];
    await eachPost(call, range, posts, ({ id, scheduledAt, createdAt, variants }) => {
      const failed = variants.filter(({ status }) => status === 'failed').length;
      if (failed > 0) failures.push({ id, at: isoOf(scheduledAt ?? createdAt), variants: failed });
    });
    return done(failures);
  });
}

/** Whether there are more than it looks at. */
async function eachPost(
  call: ApiCall,
  { from, to }: CalendarRange,
  posts: ListCalendarOptions['posts'],
  use: (post: Post) => void,
): Promise<boolean> {
  let seen = 0;
  for (let before: string | null = null; from < to;) {
    call.signal.throwIfAborted();
    const page = await posts.list(call.workspaceId, { from, to, limit: PAGE_POSTS, before });
    page.posts.forEach(use);
    seen += page.posts.length;
    before = page.posts.at(-1)?.id ?? null;
    if (!page.more || before === null) return false;
    if (seen >= MAX_CARDS) return true;
  }
  return false;
}

export interface ReadCardsOptions {
  readonly posts: Pick<PostReader, 'read'>;
  readonly mediaUrl: MediaUrl;
}

/** The cards of those of these Posts that there are, for a calendar that heard that they changed; in no order. */
export function readCards(
  call: ApiCall,
  postIds: readonly string[],
  { posts, mediaUrl }: ReadCardsOptions,
): Promise<UseCaseResult<readonly CardBody[]>> {
  return settled<readonly CardBody[]>('read', async () => {
    const ids = [...new Set(postIds)].filter(isPostId);
    const found = await Promise.all(ids.map((id) => posts.read(call.workspaceId, id)));
    return done(found.filter((post) => post !== null).map((post) => cardOf(post, mediaUrl)));
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
