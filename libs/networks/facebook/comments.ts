import type {
  ArmedCall,
  FirstComment,
  NetworkComments,
  NetworkEndpoints,
  PrepareAnswer,
  PublishAnswer,
  ReconcileAnswer,
} from '../contract/adapter.ts';
import { neverKnown, published, UNREADABLE_HANDLE } from '../contract/answers.ts';
import type { SearchAnswer, Sought } from '../contract/adapter.ts';
import { comparable } from '../contract/comparable-text.ts';
import { askAgainMs, LOOKUP_TIMEOUT_MS, mayGiveUp, type AdapterOptions } from '../contract/waits.ts';
import { answeredText, graphGet, graphPostJson, graphSummary } from '../graph/calls.ts';
import { searchGraphList } from '../graph/search.ts';
import { CLOCK_SKEW_MS, instantOf } from '../graph/time.ts';
import { at, jsonIn, listAt, textAt } from '../http/call.ts';
import { linkOf, notPublished, notRead, objectUrl, placeOf, refused, type PageAccess } from './calls.ts';
import { commentFailureOf, isMissing } from './errors.ts';

const LIST_FIELDS = 'id,message,created_time,from,permalink_url';
/** The most that Facebook lists at once; ours is among the newest. */
const LISTED = '100';
/** By then a comment is in the list. */
const LISTED_AFTER_MS = 60_000;

interface CommentWork extends PageAccess {
  readonly publication: FirstComment;
}

/** The first comment, by the Page, on what it published: posts, videos and reels; Stories have none. */
export function createFacebookComments(endpoints: NetworkEndpoints, options: AdapterOptions): NetworkComments {
  const place = placeOf(endpoints, options);
  const workOn = (publication: FirstComment): CommentWork => ({ at: place, publication });
  return {
    network: 'facebook',
    isUse: false,
    publishTimeoutMs: place.publishTimeoutMs,
    prepare: (comment, handle) => prepare(workOn(comment), objectIn(handle)),
    publish: async (comment, handle) => {
      const object = objectIn(handle);
      if (object === null) throw new Error('facebook comments on what it found before, and there is no handle of it');
      return publish(workOn(comment), object);
    },
    reconcile: async (comment, armed) => {
      const object = objectIn(armed.handle);
      return object === null ? UNREADABLE_HANDLE : reconcile(workOn(comment), object, armed);
    },
    search: async (comment, sought) => {
      const known = objectIn(sought.handle);
      const prepared = known === null ? await prepare(workOn(comment), null) : null;
      const object = known ?? (prepared?.kind === 'ready' ? objectIn(prepared.handle) : null);
      if (object === null) return neverKnown(prepared!.summary);
      return search(workOn(comment), object, sought);
    },
  };
}

/**
 * Finds the id that takes comments. A post's own does, `<page>_<post>`, and so does a video's. A video may also have
 * named its post by the second half of the post's id, which nothing can be found by.
 */
async function prepare(work: CommentWork, known: string | null): Promise<PrepareAnswer> {
  const { itemId, accountId, accessToken } = work.publication;
  if (known !== null) return ready(known, { status: 0, detail: '' });
  if (itemId.includes('_')) return ready(itemId, { status: 0, detail: '' });
  for (const object of [itemId, `${accountId}_${itemId}`]) {
    const called = await graphGet(work.publication, `${objectUrl(work, object)}?fields=id`);
    if (answeredText(called, 'id') !== null)
      return ready(object, graphSummary(called, `${object} takes the comment`, [accessToken]));
    if (called.kind === 'lost' || !isMissing(called) || object !== itemId)
      return refused(work, called, { judge: commentFailureOf });
  }
  throw new Error('either id of a post is asked for and answered');
}

function ready(object: string, summary: PrepareAnswer['summary']): PrepareAnswer {
  return { kind: 'ready', handle: JSON.stringify({ object }), summary };
}

/** null: not one of ours. */
function objectIn(handle: string | null): string | null {
  return textAt(jsonIn(handle), 'object');
}

async function publish(work: CommentWork, object: string): Promise<PublishAnswer> {
  const { publication, at: place } = work;
  const url = `${objectUrl(work, object)}/comments`;
  const called = await graphPostJson(publication, url, { message: publication.text }, place.publishTimeoutMs);
  const comment = answeredText(called, 'id');
  if (comment === null) return notPublished(work, called, commentFailureOf);
  // Not asked for in the same call: an answer that can't have it would be an error, although the comment is there.
  const looked = await graphGet(publication, `${objectUrl(work, comment)}?fields=permalink_url`, LOOKUP_TIMEOUT_MS);
  const permalink = linkOf(place.site, answeredText(looked, 'permalink_url'));
  return published(comment, permalink, graphSummary(called, `commented as ${comment}`, [publication.accessToken]));
}

/**
 * Looks for a comment of the Page with this text among the newest. The list proves presence, never absence: one that
 * is not found may still be held back for a check.
 */
async function reconcile(work: CommentWork, object: string, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { publication } = work;
  const query = new URLSearchParams({
    fields: LIST_FIELDS,
    filter: 'toplevel',
    order: 'reverse_chronological',
    limit: LISTED,
  });
  const called = await graphGet(publication, `${objectUrl(work, object)}/comments?${query}`);
  if (called.kind === 'lost' || called.status !== 200) return notRead(work, called, armed);
  const found = listAt(called.json, 'data').find((each) => isOurs(each, publication, armed.armedAt));
  const comment = textAt(found, 'id');
  const secrets = [publication.accessToken];
  if (comment !== null) {
    const summary = graphSummary(called, `found in the list as ${comment}`, secrets);
    return published(comment, linkOf(work.at.site, textAt(found, 'permalink_url')), summary);
  }
  const summary = graphSummary(called, 'not in the list of comments', secrets);
  if (mayGiveUp(armed, publication.now)) return neverKnown(summary);
  return { kind: 'unknown', delayMs: askAgainMs(armed.asked), summary };
}

/** By the comments on what the Page published. */
function search(work: CommentWork, object: string, sought: Sought): Promise<SearchAnswer> {
  const { publication, at: place } = work;
  const query = { fields: LIST_FIELDS, filter: 'toplevel', order: 'reverse_chronological', limit: LISTED };
  return searchGraphList(
    publication,
    {
      url: `${objectUrl(work, object)}/comments?${new URLSearchParams(query)}`,
      timeField: 'created_time',
      text: publication.text,
      textOf: (comment) => textAt(comment, 'message'),
      isOwn: (comment) => textAt(comment, 'from', 'id') === publication.accountId,
      permalinkOf: (comment) => linkOf(place.site, textAt(comment, 'permalink_url')),
      listedAfterMs: LISTED_AFTER_MS * place.waitFactor,
      judge: commentFailureOf,
    },
    sought,
  );
}

function isOurs(comment: unknown, { text, accountId }: FirstComment, armedAt: number): boolean {
  const madeAt = instantOf(textAt(comment, 'created_time'));
  const message = at(comment, 'message');
  return (
    textAt(comment, 'from', 'id') === accountId &&
    madeAt !== null &&
    madeAt >= armedAt - CLOCK_SKEW_MS &&
    typeof message === 'string' &&
    comparable(message) === comparable(text)
  );
}
