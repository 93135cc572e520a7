import { normalForm } from '#domain/post/normal-form.ts';
import type { ArmedCall, PrepareAnswer, PublishAnswer, ReconcileAnswer } from '../contract/adapter.ts';
import { neverKnown, published } from '../contract/answers.ts';
import { NETWORK_CLOCK_SKEW_MS } from '../contract/waits.ts';
import { at, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { dataOf, dataText, tiktokFailure, tiktokPost, type TikTokWork } from './calls.ts';
import { askCreator } from './creator.ts';
import { codeOf } from './errors.ts';
import { write, type PhotosHandle } from './handle.ts';
import { photoTitle } from './media.ts';
import { judgeStatus, unread } from './status-answer.ts';
import { readStatus } from './status.ts';
import { lookAgainMs } from './waiting.ts';

/**
 * Photos are fetched by TikTok and have no name before: one call publishes, and there is nothing to prepare but leave
 * to do so.
 */
export async function preparePhotos(work: TikTokWork): Promise<PrepareAnswer> {
  const asked = await askCreator(work);
  if (asked.kind === 'failed') return asked;
  const { username, privacy, isCommentOff } = asked.creator;
  const handle = write({
    kind: 'photos',
    publishId: null,
    isCommentOff,
    creator: username,
    privacy,
    since: work.publication.now,
  });
  return { kind: 'ready', handle, summary: { status: 200, detail: `${username} may publish to ${privacy}` } };
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
  // Only a refusal in TikTok's own words, for a reason of ours, proves that nothing was begun.
  const code = codeOf(called);
  const isProof =
    code !== null && code !== 'ok' && called.status < 500 && refused.failure.reason !== 'platform_problem';
  return isProof ? refused : { kind: 'unknown', summary: refused.summary };
}

function fieldsOf({ publication }: TikTokWork, { privacy, isCommentOff }: PhotosHandle): object {
  const [title, description] = [photoTitle(publication), publication.text];
  return {
    media_type: 'PHOTO',
    post_mode: 'DIRECT_POST',
    post_info: {
      ...(title === '' ? {} : { title }),
      ...(description === '' ? {} : { description }),
      privacy_level: privacy,
      disable_comment: isCommentOff,
      // TikTok's own default for photos, which it shows as a film.
      auto_add_music: true,
      brand_content_toggle: false,
      brand_organic_toggle: false,
    },
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
  if (publishId === null) return findInList(work, armed);
  const { status, called } = await readStatus(work, publishId);
  return status === null
    ? unread(work, called, armed)
    : judgeStatus(work, { ...handle, publishId, place: 'photo' }, status, called, armed);
}

/** The answer that named them was lost. By then the account's list has them, if it ever has photos. */
const LIST_MS = 5 * 60_000;
const MAX_LISTED = 20;
const LISTED_FIELDS = 'id,create_time,share_url,title,video_description,duration';

/** The list proves presence, never absence; and only a text tells a post from others. */
async function findInList(work: TikTokWork, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { publication, at: place } = work;
  const leftMs = armed.armedAt + LIST_MS * place.waitFactor - publication.now;
  if (leftMs > 0)
    return {
      kind: 'unknown',
      delayMs: leftMs,
      summary: { status: 0, detail: 'too early to look for it in the list of the account' },
    };
  const wanted = comparable(publication.text);
  if (wanted === '')
    return neverKnown({
      status: 0,
      detail: 'the answer was lost, and without a text nothing tells it from other posts',
    });
  const called = await tiktokPost(work, `/v2/video/list/?fields=${LISTED_FIELDS}`, { max_count: MAX_LISTED });
  const data = dataOf(called);
  if (data === null) return withoutList(work, called, armed);
  const found = listAt(data, 'videos').filter(
    (post) => comparable(textAt(post, 'video_description') ?? '') === wanted && wasMadeSince(post, armed.armedAt),
  );
  const [post, ...others] = found;
  const remoteId = textAt(post, 'id');
  if (remoteId === null || others.length > 0) {
    const detail =
      remoteId === null
        ? 'the list of the account does not show it, which proves nothing'
        : 'several posts of the account say this';
    return neverKnown(summaryOf(called, detail));
  }
  return published(remoteId, textAt(post, 'share_url'), summaryOf(called, `found in the list as ${remoteId}`));
}

/** An account need not have let us see its list. */
function withoutList(work: TikTokWork, called: CallResult, armed: ArmedCall): ReconcileAnswer {
  const answer = unread(work, called, armed);
  const isClosed = called.kind === 'answered' && tiktokFailure(called, []).failure.retry === 'afterReconnect';
  return isClosed ? neverKnown(answer.summary) : answer;
}

/** Seconds since the epoch. */
function wasMadeSince(post: unknown, instant: number): boolean {
  const madeAt = at(post, 'create_time');
  return typeof madeAt === 'number' && madeAt * 1000 >= instant - NETWORK_CLOCK_SKEW_MS;
}

function comparable(text: string): string {
  return normalForm(text).trim();
}
