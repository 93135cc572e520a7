import type {
  ArmedCall,
  CallSummary,
  Failure,
  FirstComment,
  NetworkComments,
  NetworkEndpoints,
  PublishAnswer,
  ReconcileAnswer,
} from '../contract/adapter.ts';
import { neverKnown, published, unreadAnswer } from '../contract/answers.ts';
import type { SearchAnswer, Sought } from '../contract/adapter.ts';
import { comparable } from '../contract/comparable-text.ts';
import { searched } from '../contract/search.ts';
import { askingOf, askAgainMs, mayGiveUp, NETWORK_CLOCK_SKEW_MS, type AdapterOptions } from '../contract/waits.ts';
import { at, isClientError, listAt, summaryOf, textAt, type CallResult, type HttpAnswer } from '../http/call.ts';
import { placeOf, watchAddress, youtubeFailure, youtubeGet, youtubePost, type YouTubePlace } from './calls.ts';
import { failureOf, reasonOf } from './errors.ts';

/** When to look for a comment, after arming: a list may show it late. After the last look none follows. */
const LOOKS_MS = [10_000, 60_000, 180_000] as const;
const PAGE = '100';
const MAX_PAGES = 10;
/** What YouTube says where the person who connected the channel gave no permission to comment. */
const NO_PERMISSION: ReadonlySet<string | null> = new Set(['insufficientPermissions', 'forbidden']);

interface CommentWork {
  readonly at: YouTubePlace;
  readonly publication: FirstComment;
}

/** A first comment on YouTube is a comment of the channel below its own video. Nothing names it before it is made. */
export function createYouTubeComments(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkComments {
  const place = placeOf(endpoints, options);
  return {
    network: 'youtube',
    publishTimeoutMs: place.publishTimeoutMs,
    isUse: false,
    prepare: async () => ({ kind: 'ready', handle: null, summary: { status: 0, detail: 'nothing to prepare' } }),
    publish: (comment) => publish({ at: place, publication: comment }),
    reconcile: (comment, armed) => reconcile({ at: place, publication: comment }, armed),
    search: (comment, sought) => search({ at: place, publication: comment }, sought),
  };
}

async function publish(work: CommentWork): Promise<PublishAnswer> {
  const { accountId, itemId, text, now, accessToken } = work.publication;
  const comment = {
    snippet: { channelId: accountId, videoId: itemId, topLevelComment: { snippet: { textOriginal: text } } },
  };
  const called = await youtubePost(work, '/commentThreads', comment, work.at.publishTimeoutMs);
  const id = called.kind === 'answered' && called.status === 200 ? commentId(called.json) : null;
  if (id !== null) return published(id, addressOf(work, id), summaryOf(called, `published as ${id}`));
  const refused = youtubeFailure(called, now, [accessToken], commentFailureOf);
  const isRefusal = called.kind === 'lost' ? !called.sent : isClientError(called);
  return isRefusal ? refused : { kind: 'unknown', summary: refused.summary };
}

/** A channel without the permission to comment still publishes, so it does not become one that needs a reconnect. */
function commentFailureOf(answer: HttpAnswer, now: number): Failure {
  if (!NO_PERMISSION.has(reasonOf(answer))) return failureOf(answer, now);
  const detail =
    'Crier was not allowed to comment for this channel, so the comment was not sent. Connect the Channel again, and ' +
    'allow Crier to manage videos and comments where Google asks.';
  return { reason: 'rejected_by_platform', retry: 'never', detail };
}

/** By the newest comments below the video. They prove that the comment is there, never that it is not. */
async function reconcile(work: CommentWork, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { now, accessToken } = work.publication;
  const sinceMs = now - armed.armedAt;
  const [first] = LOOKS_MS;
  if (sinceMs < first)
    return {
      kind: 'unknown',
      delayMs: first - sinceMs,
      summary: { status: 0, detail: 'too early to look for the comment' },
    };
  const listed = await listOurs(work, armed.armedAt);
  if (listed.kind === 'unread')
    return unreadAnswer(
      youtubeFailure(listed.called, now, [accessToken]),
      mayGiveUp(armed, now) ? null : askAgainMs(armed.asked),
    );
  const { ids, summary } = listed;
  const [id, ...others] = ids;
  if (others.length > 0) return neverKnown({ ...summary, detail: 'several comments say this' });
  if (id !== undefined) return published(id, addressOf(work, id), { ...summary, detail: `found as comment ${id}` });
  const look = LOOKS_MS.find((each) => each > sinceMs);
  return { kind: 'unknown', delayMs: look === undefined ? null : look - sinceMs, summary };
}

type ListedComments =
  | {
      readonly kind: 'listed';
      readonly ids: readonly string[];
      readonly isWhole: boolean;
      readonly summary: CallSummary;
    }
  | { readonly kind: 'unread'; readonly called: CallResult };

/** The channel's own comments below the video since shortly before that instant that say the same. */
async function listOurs(work: CommentWork, since: number): Promise<ListedComments> {
  const ids: string[] = [];
  let next: string | null = '';
  let summary: CallSummary = { status: 0, detail: '' };
  for (let page = 0; next !== null && page < MAX_PAGES; page++) {
    const called = await youtubeGet(work, '/commentThreads', {
      part: 'snippet',
      videoId: work.publication.itemId,
      order: 'time',
      textFormat: 'plainText',
      maxResults: PAGE,
      ...(next === '' ? {} : { pageToken: next }),
    });
    if (called.kind === 'lost' || called.status !== 200 || !Array.isArray(at(called.json, 'items')))
      return { kind: 'unread', called };
    const threads = listAt(called.json, 'items');
    ids.push(...threads.filter((thread) => isOurs(work, thread, since)).flatMap((it) => commentId(it) ?? []));
    summary = summaryOf(called, 'not among the comments; it may still be there');
    next = threads.every((thread) => isSince(thread, since)) ? textAt(called.json, 'nextPageToken') : null;
  }
  return { kind: 'listed', ids, isWhole: next === null, summary };
}

/** By the comments below the video. */
async function search(work: CommentWork, sought: Sought): Promise<SearchAnswer> {
  const { now, accessToken } = work.publication;
  const { since, asked } = sought;
  const listed = await listOurs(work, since);
  if (listed.kind === 'unread')
    return unreadAnswer(
      youtubeFailure(listed.called, now, [accessToken]),
      mayGiveUp(askingOf(sought), now) ? null : askAgainMs(asked),
    );
  const { ids, isWhole, summary } = listed;
  return searched(
    ids.map((id) => ({ remoteId: id, permalink: addressOf(work, id), publishedAt: null })),
    { isProof: isWhole, listedAfterMs: LOOKS_MS.at(-1)! * work.at.waitFactor, summary },
  );
}

function isOurs({ publication }: CommentWork, thread: unknown, armedAt: number): boolean {
  const comment = at(thread, 'snippet', 'topLevelComment', 'snippet');
  const text = textAt(comment, 'textOriginal') ?? textAt(comment, 'textDisplay') ?? '';
  return (
    textAt(comment, 'authorChannelId', 'value') === publication.accountId &&
    isSince(thread, armedAt) &&
    comparable(text) === comparable(publication.text)
  );
}

function isSince(thread: unknown, instant: number): boolean {
  const writtenAt = textAt(thread, 'snippet', 'topLevelComment', 'snippet', 'publishedAt') ?? '';
  return Date.parse(writtenAt) >= instant - NETWORK_CLOCK_SKEW_MS;
}

function commentId(thread: unknown): string | null {
  return textAt(thread, 'snippet', 'topLevelComment', 'id') ?? textAt(thread, 'id');
}

function addressOf({ at: place, publication }: CommentWork, id: string): string {
  return `${watchAddress(place, publication.itemId)}&lc=${encodeURIComponent(id)}`;
}
