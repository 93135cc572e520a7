import { comparable } from '../contract/comparable-text.ts';
import { NETWORK_CLOCK_SKEW_MS } from '../contract/waits.ts';
import { listAt, textAt, type CallResult } from '../http/call.ts';
import { answeredText, graphGet } from '../graph/calls.ts';
import { instantOf } from '../graph/time.ts';
import type { ThreadsWork } from './calls.ts';
import type { ThreadsHandle, ThreadsKind } from './handle.ts';

/** `PUBLISHED` and `FINISHED` (= ready to publish) are the words of the Network; EXPIRED comes after 24 hours. */
export type ContainerStatus = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';

const STATUSES: ReadonlySet<string> = new Set(['IN_PROGRESS', 'FINISHED', 'PUBLISHED', 'ERROR', 'EXPIRED']);

/** `status` null: the container could not be read. */
export interface Container {
  readonly status: ContainerStatus | null;
  readonly errorMessage: string | null;
  readonly called: CallResult;
}

export async function readContainer({ at, publication }: ThreadsWork, container: string): Promise<Container> {
  const called = await graphGet(
    publication,
    `${at.api}/v1.0/${encodeURIComponent(container)}?fields=id,status,error_message`,
  );
  const status = answeredText(called, 'status');
  const known = status !== null && STATUSES.has(status) ? (status as ContainerStatus) : null;
  return { status: known, errorMessage: known === null ? null : answeredText(called, 'error_message'), called };
}

export interface OwnPost {
  readonly id: string;
  readonly permalink: string | null;
  /**
   * Its words, or the very parts of a carousel, say that it is the one; where there are none, nothing speaks against
   * it.
   */
  readonly isIdentified: boolean;
}

export interface OwnPosts {
  /** null: the list could not be read. */
  readonly posts: readonly OwnPost[] | null;
  /** The list has no further pages, which are not read. */
  readonly isWhole: boolean;
  readonly called: CallResult;
}

/** The most that a page of the list has: after an outage many of the account's newer posts may stand before it. */
const MAX_POSTS = 100;

/** What the list of posts calls what was made. */
const LISTED_AS: Readonly<Record<ThreadsKind, string>> = {
  TEXT: 'TEXT_POST',
  IMAGE: 'IMAGE',
  VIDEO: 'VIDEO',
  CAROUSEL: 'CAROUSEL_ALBUM',
};

/**
 * The account's posts, or its replies where it is one, since shortly before `armedAt` that are what the handle was made
 * for: of its kind, saying what the publication says, or a carousel of the very containers.
 */
export async function findOwnPosts(
  { at: { api }, publication, replyTo }: ThreadsWork,
  armedAt: number,
  { kind, children }: Pick<ThreadsHandle, 'kind' | 'children'>,
): Promise<OwnPosts> {
  const called = await graphGet(publication, `${api}/v1.0/${listOf(replyTo, armedAt)}`);
  if (called.kind === 'lost' || called.status !== 200) return { posts: null, isWhole: false, called };
  const isWhole = textAt(called.json, 'paging', 'next') === null;
  const wanted = comparable(publication.text);
  const posts: OwnPost[] = [];
  for (const post of listAt(called.json, 'data')) {
    const id = textAt(post, 'id');
    // Anybody may have replied; the list of posts has the account's own alone.
    if (replyTo !== undefined && textAt(post, 'username') !== publication.username) continue;
    if (id === null || textAt(post, 'media_type') !== LISTED_AS[kind]) continue;
    // `since` is a whole day at some Graph edges: judge by the post's own time.
    const at = instantOf(textAt(post, 'timestamp'));
    if (at !== null && at < armedAt - NETWORK_CLOCK_SKEW_MS) continue;
    const permalink = textAt(post, 'permalink');
    const shown = listAt(post, 'children', 'data').map((child) => textAt(child, 'id'));
    if (children.length > 0 && children.join() === shown.join())
      return { posts: [{ id, permalink, isIdentified: true }], isWhole, called };
    const isAsLong = shown.length === 0 || shown.length === children.length;
    if (comparable(textAt(post, 'text') ?? '') === wanted && isAsLong)
      posts.push({ id, permalink, isIdentified: wanted !== '' });
  }
  return { posts, isWhole, called };
}

function listOf(replyTo: string | undefined, armedAt: number): string {
  const fields = 'id,text,timestamp,permalink,media_type,children';
  // Replies come newest first, and their list takes no instant.
  if (replyTo !== undefined)
    return `${encodeURIComponent(replyTo)}/replies?${new URLSearchParams({ fields: `${fields},username` })}`;
  const since = String(Math.floor((armedAt - NETWORK_CLOCK_SKEW_MS) / 1000));
  return `me/threads?${new URLSearchParams({ fields, since, limit: String(MAX_POSTS) })}`;
}
