import type { ArmedCall, PrepareAnswer, PublishAnswer, ReconcileAnswer } from '../contract/adapter.ts';
import { foundAs, neverKnown, onlyOthers } from '../contract/answers.ts';
import { CALL_TIMEOUT_MS } from '../contract/waits.ts';
import { summaryOf, type CallResult } from '../http/call.ts';
import { dataText, tiktokFailure, tiktokPost, type TikTokWork } from './calls.ts';
import { askLeave } from './creator.ts';
import { codeOf } from './errors.ts';
import { write, type PhotosHandle } from './handle.ts';
import { findInList, isTellable } from './list.ts';
import { photosInfo } from './post-info.ts';
import { judgeStatus, unread } from './status-answer.ts';
import { readStatus } from './status.ts';
import { lookAgainMs } from './waiting.ts';

/**
 * Photos are fetched by TikTok and have no name before: one call publishes, and there is nothing to prepare but leave
 * to do so.
 */
export async function preparePhotos(work: TikTokWork): Promise<PrepareAnswer> {
  const asked = await askLeave(work);
  if (asked.kind === 'failed') return asked;
  const { creator, level } = asked;
  const handle = write({
    kind: 'photos',
    publishId: null,
    isCommentOff: creator.isCommentOff,
    creator: creator.username,
    privacy: level,
    since: work.publication.now,
  });
  return { kind: 'ready', handle, summary: { status: 200, detail: `${creator.username} may publish to ${level}` } };
}

export async function publishPhotos(work: TikTokWork, handle: PhotosHandle): Promise<PublishAnswer> {
  const { publication, at: place } = work;
  const secrets = [publication.accessToken];
  const called = await tiktokPost(
    work,
    '/v2/post/publish/content/init/',
    fieldsOf(work, handle),
    place.publishTimeoutMs,
  );
  const publishId = dataText(called, 'publish_id');
  if (publishId !== null) {
    const named = write({ ...handle, publishId });
    return {
      kind: 'accepted',
      delayMs: lookAgainMs(work, 0),
      handle: named,
      summary: summaryOf(called, `publication ${publishId} is on its way`, secrets),
    };
  }
  const refused = tiktokFailure(called, secrets);
  if (called.kind === 'lost') return called.sent ? { kind: 'unknown', summary: refused.summary } : refused;
  // Only a refusal in TikTok's own words, for a reason of ours, proves that nothing was begun. HTTP 401 needs no words:
  // it says that the request was not carried out for want of a token that holds.
  const code = codeOf(called);
  const isSaid = (code !== null && code !== 'ok') || called.status === 401;
  const isProof = isSaid && called.status < 500 && refused.failure.reason !== 'platform_problem';
  return isProof ? refused : { kind: 'unknown', summary: refused.summary };
}

function fieldsOf({ publication }: TikTokWork, handle: PhotosHandle): object {
  return {
    media_type: 'PHOTO',
    post_mode: 'DIRECT_POST',
    post_info: photosInfo(publication, handle),
    source_info: {
      source: 'PULL_FROM_URL',
      photo_images: publication.media.map(({ url }) => url),
      photo_cover_index: 0,
    },
  };
}

export async function reconcilePhotos(
  work: TikTokWork,
  handle: PhotosHandle,
  armed: ArmedCall,
): Promise<ReconcileAnswer> {
  const { publishId } = handle;
  if (publishId === null) return reconcileByList(work, armed);
  const { status, called } = await readStatus(work, publishId);
  return status === null
    ? unread(work, called, armed)
    : judgeStatus(work, { ...handle, publishId, place: 'photo' }, { status, called }, armed);
}

/** The answer that named them was lost. By then the account's list has them, if it ever has photos. */
const LIST_MS = 5 * 60_000;

/** One match in the list is it. */
async function reconcileByList(work: TikTokWork, armed: ArmedCall): Promise<ReconcileAnswer> {
  const leftMs = armed.armedAt + LIST_MS * work.at.waitFactor - work.publication.now;
  if (leftMs > 0)
    return {
      kind: 'unknown',
      delayMs: leftMs,
      summary: { status: 0, detail: 'too early to look for it in the list of the account' },
    };
  if (!isTellable(work))
    return neverKnown({
      status: 0,
      detail: 'the answer was lost, and without a text nothing tells it from other posts',
    });
  const { posts, called } = await findInList(work, armed.armedAt, CALL_TIMEOUT_MS);
  if (posts === null) return withoutList(work, called, armed);
  const [post, ...others] = posts;
  if (post === undefined)
    return neverKnown(summaryOf(called, 'the list of the account does not show it, which proves nothing'));
  if (others.length > 0) return neverKnown(summaryOf(called, 'several posts of the account say this'));
  const summary = summaryOf(called, `found in the list as ${post.id}`);
  return foundAs({ id: post.id, permalink: post.shareUrl }, summary, onlyOthers(summary));
}

/** An account need not have let us see its list. */
function withoutList(work: TikTokWork, called: CallResult, armed: ArmedCall): ReconcileAnswer {
  const answer = unread(work, called, armed);
  const isClosed = called.kind === 'answered' && tiktokFailure(called, []).failure.retry === 'afterReconnect';
  return isClosed ? neverKnown(answer.summary) : answer;
}
