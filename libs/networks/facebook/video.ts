import { sinceArmedMs } from '../contract/waits.ts';
import type { ArmedCall, Failure, PrepareAnswer, PublishAnswer, ReconcileAnswer } from '../contract/adapter.ts';
import { waiting, published } from '../contract/answers.ts';
import { at, listAt, textAt, type CallResult } from '../http/call.ts';
import { answeredText, graphGet, graphPostJson, graphSummary, succeeded } from '../graph/calls.ts';
import { REJECTED } from '../contract/verdicts.ts';
import { sinceOf } from '../graph/time.ts';
import { isMissing, isOneOf, SESSION_GONE } from './errors.ts';
import { offsetOf, write, type VideoHandle } from './handle.ts';
import {
  linkOf,
  notPublished,
  notPublishedAgain,
  notRead,
  objectUrl,
  pageUrl,
  refused,
  sessionUrl,
  type PageWork,
} from './calls.ts';
import type { PageKind } from './page-kind.ts';
import { withCover } from './cover.ts';
import { transfer } from './transfer.ts';
import { FEED_FIELDS, isOverdue, lookAgainMs, readVideo, stillProcessing, type VideoState } from './video-state.ts';

/** By then Facebook shows that finishing a session was requested. */
const FINISH_MS = 2 * 60_000;

const REPEATED = { reason: 'platform_problem', retry: 'later', delayMs: 0 } as const;

const UNFINISHED: Failure = {
  ...REPEATED,
  detail: 'Facebook works on the video without showing it',
  mayBeLive: true,
};

const DRAFT: Failure = {
  ...REJECTED,
  detail:
    'Facebook keeps the video as a draft. Publish it in the content library of the Page, or make it 9:16 and 3 to 90 seconds long and try again: Facebook then takes it as a reel.',
};

/**
 * A feed video: a session is begun, its bytes are transferred, and finishing it shows the video. A session finishes
 * once.
 */
export const feedVideo: PageKind<VideoHandle> = { prepare, publish, reconcile };

async function prepare(work: PageWork, handle: VideoHandle | null): Promise<PrepareAnswer> {
  const { publication } = work;
  const [file] = publication.media;
  if (file === undefined) throw new Error('a feed video without a video');
  if (handle !== null) return withCover(work, await transfer(work, handle, file));
  const called = await graphPostJson(publication, sessionUrl(work), {
    upload_phase: 'start',
    file_size: String(file.bytes),
  });
  const [session, video] = [answeredText(called, 'upload_session_id'), answeredText(called, 'video_id')];
  if (session === null || video === null) return refused(work, called);
  const json = (called as Extract<CallResult, { kind: 'answered' }>).json;
  const from = offsetOf(at(json, 'start_offset')) ?? 0;
  const begun: VideoHandle = {
    kind: 'video',
    video,
    session,
    from,
    to: offsetOf(at(json, 'end_offset')) ?? from,
    repeated: false,
    since: publication.now,
  };
  return waiting(write(begun), graphSummary(called, `video ${video} begun`, [publication.accessToken]));
}

async function publish(work: PageWork, handle: VideoHandle): Promise<PublishAnswer> {
  const { publication } = work;
  const called = await (handle.draft === true ? publishDraft(work, handle) : finish(work, handle));
  if (succeeded(called)) {
    return {
      kind: 'accepted',
      delayMs: lookAgainMs(work, 0),
      summary: graphSummary(called, `video ${handle.video} is on its way`, [publication.accessToken]),
    };
  }
  // A draft is none that may go live by the call that made it.
  const isRepeat = handle.repeated && handle.draft !== true;
  const answer = isRepeat ? notPublishedAgain(work, called) : notPublished(work, called);
  if (handle.draft === true && answer.kind === 'failed' && answer.failure.retry === 'never')
    return { ...answer, failure: DRAFT };
  if (called.kind === 'lost' || !isOneOf(called, SESSION_GONE)) return answer;
  // A session is gone when it expired, and after it has finished: only an untouched video proves the former.
  const { state } = await readVideo(work, handle.video, FEED_FIELDS);
  return state === null || hasBegun(state) ? answer : refused(work, called, { handle: null });
}

function finish(work: PageWork, { session }: VideoHandle): Promise<CallResult> {
  const { at: place, publication } = work;
  const fields = {
    upload_phase: 'finish',
    upload_session_id: session,
    description: publication.text,
    published: true,
  };
  const titled = publication.title === null ? fields : { ...fields, title: publication.title };
  return graphPostJson(publication, sessionUrl(work), titled, place.publishTimeoutMs);
}

/** The same video, so telling it twice shows one. */
function publishDraft(work: PageWork, { video }: VideoHandle): Promise<CallResult> {
  const { at: place, publication } = work;
  return graphPostJson(publication, objectUrl(work, video), { published: true }, place.publishTimeoutMs);
}

function hasBegun({ isPublished, postId, isProcessing, publishing, failure }: VideoState): boolean {
  return failure === null && (isPublished === true || postId !== null || isProcessing || publishing !== 'not begun');
}

async function reconcile(work: PageWork, handle: VideoHandle, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { at: place, publication } = work;
  const { video } = handle;
  const { state, called } = await readVideo(work, video, FEED_FIELDS);
  if (state === null) {
    const listed =
      called.kind === 'answered' && isMissing(called) ? await findInPosts(work, video, armed.armedAt) : null;
    return listed ?? notRead(work, called, armed);
  }
  const isLive = !state.isDraft && (state.isPublished === true || state.postId !== null);
  const summary = graphSummary(
    called,
    `video ${video} is ${state.failure?.detail ?? (isLive ? 'published' : 'not published')}`,
    [publication.accessToken],
  );
  if (state.failure !== null) return { kind: 'failed', failure: state.failure, handle: null, summary };
  if (isLive && (!state.isProcessing || isOverdue(work, armed.armedAt))) {
    return published(state.postId ?? video, linkOf(place.site, state.link), summary);
  }
  const isOver = !isLive && sinceArmedMs(armed, publication.now) > FINISH_MS * place.waitFactor && armed.asked > 0;
  if (isOver && !state.isProcessing && !state.isDraft) return { kind: 'absent', summary };
  if (isOver && !state.isProcessing)
    return handle.draft === true
      ? { kind: 'failed', failure: DRAFT, summary }
      : {
          kind: 'failed',
          failure: { ...REPEATED, detail: DRAFT.detail },
          handle: write({ ...handle, draft: true }),
          summary,
        };
  // At work, but not published: most likely the request to finish was lost. Requesting it once more does no harm;
  // requesting it for ever would never end.
  if (isOver && !handle.repeated)
    return { kind: 'failed', failure: UNFINISHED, handle: write({ ...handle, repeated: true }), summary };
  if (isLive || state.isProcessing) return stillProcessing(work, armed, summary);
  return { kind: 'unknown', delayMs: lookAgainMs(work, armed.asked), summary };
}

const TARGETS = 'id,permalink_url,created_time,attachments{target{id},subattachments{target{id}}}';

/**
 * A video that can't be read by itself may still be what one of the Page's posts shows. The list proves presence, never
 * absence.
 */
async function findInPosts(work: PageWork, video: string, armedAt: number): Promise<ReconcileAnswer | null> {
  const query = new URLSearchParams({ fields: TARGETS, since: sinceOf(armedAt), limit: '100' });
  const called = await graphGet(work.publication, `${pageUrl(work, 'published_posts')}?${query}`);
  const posts = called.kind === 'answered' && called.status === 200 ? listAt(called.json, 'data') : [];
  const post = posts.find((each) => targetsOf(each).includes(video));
  const remoteId = textAt(post, 'id');
  if (remoteId === null) return null;
  const summary = graphSummary(called, `video ${video} is in post ${remoteId}`, [work.publication.accessToken]);
  return published(remoteId, linkOf(work.at.site, textAt(post, 'permalink_url')), summary);
}

function targetsOf(post: unknown): readonly (string | null)[] {
  const attachments = listAt(post, 'attachments', 'data');
  return [...attachments, ...attachments.flatMap((each) => listAt(each, 'subattachments', 'data'))].map((each) =>
    textAt(each, 'target', 'id'),
  );
}
