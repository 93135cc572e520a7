import type {
  ArmedCall,
  Failure,
  FirstComment,
  NetworkComments,
  NetworkEndpoints,
  PublishAnswer,
  ReconcileAnswer,
} from '../contract/adapter.ts';
import { neverKnown, published } from '../contract/answers.ts';
import type { SearchAnswer, Sought } from '../contract/adapter.ts';
import { comparable } from '../contract/comparable-text.ts';
import { NOT_THERE_YET, REJECTED } from '../contract/verdicts.ts';
import { askAgainMs, mayGiveUp, type AdapterOptions } from '../contract/waits.ts';
import { graphProblemOf } from '../graph/answer.ts';
import {
  answeredText,
  graphFailure,
  graphGet,
  graphPostForm,
  graphSummary,
  unpublished,
  unread,
} from '../graph/calls.ts';
import { searchGraphList } from '../graph/search.ts';
import { CLOCK_SKEW_MS, instantOf } from '../graph/time.ts';
import { listAt, textAt, type HttpAnswer } from '../http/call.ts';
import { cameByFacebook, objectUrl, placeOf, type PlacedWork } from './calls.ts';
import { failureOf } from './errors.ts';
import { FACEBOOK_COMMENT_SCOPE, INSTAGRAM_COMMENT_SCOPE } from './scopes.ts';

const LIST_FIELDS = 'id,text,timestamp,username';
/** The most that Instagram lists at once, newest first. */
const LISTED = '50';
/** By then a comment is in the list. */
const LISTED_AFTER_MS = 60_000;

type CommentWork = PlacedWork<FirstComment>;

/** The first comment of the account on its own post: a picture, a reel or a carousel. One call makes it. */
export function createInstagramComments(endpoints: NetworkEndpoints, options: AdapterOptions): NetworkComments {
  const at = placeOf(endpoints, options);
  return {
    network: 'instagram',
    isUse: false,
    publishTimeoutMs: at.publishTimeoutMs,
    prepare: async () => ({
      kind: 'ready',
      handle: null,
      summary: { status: 0, detail: 'a comment on Instagram needs no preparation' },
    }),
    publish: (publication) => publish({ at, publication }),
    reconcile: (publication, armed) => reconcile({ at, publication }, armed),
    search: (publication, sought) => search({ at, publication }, sought),
  };
}

function urlOf(work: CommentWork): string {
  return `${objectUrl(work, work.publication.itemId)}/comments`;
}

async function publish(work: CommentWork): Promise<PublishAnswer> {
  const { at, publication } = work;
  const secrets = [publication.accessToken];
  const called = await graphPostForm(publication, urlOf(work), { message: publication.text }, at.publishTimeoutMs);
  const comment = answeredText(called, 'id');
  // Instagram gives comments no address of their own.
  if (comment !== null) return published(comment, null, graphSummary(called, `commented as ${comment}`, secrets));
  const judge = judgeFor(work);
  if (called.kind === 'answered' && isNotThere(called)) return graphFailure(called, judge, secrets);
  return unpublished(called, judge, secrets);
}

/**
 * Looks for the comment among the newest, by author, words and time. The list proves presence, never absence: a comment
 * may be held back for a check.
 */
async function reconcile(work: CommentWork, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { publication } = work;
  const { accessToken, now } = publication;
  const url = `${urlOf(work)}?${new URLSearchParams({ fields: LIST_FIELDS, limit: LISTED })}`;
  const called = await graphGet(publication, url);
  if (called.kind === 'lost' || called.status !== 200)
    return unread(called, judgeFor(work), [accessToken], { ...armed, now });
  const found = listAt(called.json, 'data').find((each) => isOurs(each, publication, armed.armedAt));
  const comment = textAt(found, 'id');
  if (comment !== null)
    return published(comment, null, graphSummary(called, `found in the list as ${comment}`, [accessToken]));
  const summary = graphSummary(called, 'not in the list of comments', [accessToken]);
  return mayGiveUp(armed, now) ? neverKnown(summary) : { kind: 'unknown', delayMs: askAgainMs(armed.asked), summary };
}

/** By the comments on the post. */
function search(work: CommentWork, sought: Sought): Promise<SearchAnswer> {
  const { publication, at } = work;
  return searchGraphList(
    publication,
    {
      url: `${urlOf(work)}?${new URLSearchParams({ fields: LIST_FIELDS, limit: LISTED })}`,
      timeField: 'timestamp',
      text: publication.text,
      textOf: (comment) => textAt(comment, 'text'),
      isOwn: (comment) => textAt(comment, 'username') === publication.username,
      // Instagram gives comments no address of their own.
      permalinkOf: () => null,
      listedAfterMs: LISTED_AFTER_MS * at.waitFactor,
      judge: judgeFor(work),
    },
    sought,
  );
}

function isOurs(comment: unknown, { text, username }: FirstComment, armedAt: number): boolean {
  const madeAt = instantOf(textAt(comment, 'timestamp'));
  return (
    textAt(comment, 'username') === username &&
    madeAt !== null &&
    madeAt >= armedAt - CLOCK_SKEW_MS &&
    comparable(textAt(comment, 'text') ?? '') === comparable(text)
  );
}

/**
 * A permission that is missing for comments alone does not make the Channel one that needs a reconnect: it still
 * publishes.
 */
function judgeFor({ publication }: CommentWork): (answer: HttpAnswer) => Failure {
  return (answer) => {
    const failure = failureOf(answer, 'read');
    if (isNotThere(answer)) return { ...failure, ...NOT_THERE_YET };
    if (failure.retry !== 'afterReconnect') return failure;
    const scope = cameByFacebook(publication) ? FACEBOOK_COMMENT_SCOPE : INSTAGRAM_COMMENT_SCOPE;
    const what = `Instagram does not let Crier comment for this account (${failure.detail}).`;
    const help = `If the app has the permission ${scope}, reconnect the Channel and allow it.`;
    return { ...REJECTED, detail: `${what} ${help}` };
  };
}

function isNotThere(answer: HttpAnswer): boolean {
  const { code, subcode } = graphProblemOf(answer);
  return answer.status >= 400 && answer.status < 500 && code === 100 && subcode === 33;
}
