import type { ArmedCall, PrepareAnswer, PublishAnswer, ReconcileAnswer } from '../contract/adapter.ts';
import { neverKnown, published } from '../contract/answers.ts';
import { textAt, listAt, type CallResult } from '../http/call.ts';
import { answeredText, graphGet, graphPostJson, graphSummary, succeeded } from '../graph/calls.ts';
import { sinceOf } from '../graph/time.ts';
import { lookAgainAfterMs, LOOKUP_TIMEOUT_MS } from '../contract/waits.ts';
import { write, type PhotoStoryHandle, type ReelHandle } from './handle.ts';
import { linkOf, notPublished, notPublishedAgain, notRead, pageUrl, type PageWork } from './calls.ts';
import type { PageKind } from './page-kind.ts';
import { uploadPhoto } from './photo.ts';
import { begin, upload } from './rupload.ts';
import { lookAgainMs, readVideo, stillProcessing } from './video-state.ts';

/** A Story that was sent is in the Page's list by then. */
const LISTED_MS = 3 * 60_000;
/** Looks at the list of a Story that the video itself says is live. */
const LIST_LOOKS = 4;

/** A photo Story is made of an unpublished photo. Whether making it twice shows two Stories is not known. */
export const photoStory: PageKind<PhotoStoryHandle> = {
  prepare: async (work, handle): Promise<PrepareAnswer> => {
    if (handle !== null) return { kind: 'ready', handle: write(handle), summary: { status: 0, detail: '' } };
    const [photo] = work.publication.media;
    if (photo === undefined) throw new Error('a photo Story without a photo');
    const uploaded = await uploadPhoto(work, photo);
    if (uploaded.kind === 'failed') return uploaded;
    return {
      kind: 'ready',
      handle: write({ kind: 'photoStory', photo: uploaded.id, repeated: false, since: work.publication.now }),
      summary: uploaded.summary,
    };
  },
  publish: async (work, { photo, repeated }): Promise<PublishAnswer> => {
    const { at: place, publication } = work;
    const called = await graphPostJson(
      publication,
      pageUrl(work, 'photo_stories'),
      { photo_id: photo },
      place.publishTimeoutMs,
    );
    if (!succeeded(called)) return notSent(work, called, repeated);
    const { story } = await findStory(work, photo, publication.now, LOOKUP_TIMEOUT_MS);
    const remoteId = answeredText(called, 'post_id') ?? story?.id ?? photo;
    return published(
      remoteId,
      story?.permalink ?? null,
      graphSummary(called, `published as ${remoteId}`, [publication.accessToken]),
    );
  },
  reconcile: async (work, handle, armed): Promise<ReconcileAnswer> => {
    const { story, called } = await findStory(work, handle.photo, armed.armedAt);
    return story === null ? unlisted(work, handle, armed, called) : listed(work, story, called);
  },
};

/** A video Story: uploaded as a reel is, then published. */
export const videoStory: PageKind<ReelHandle> = {
  prepare: async (work, handle): Promise<PrepareAnswer> => {
    const [file] = work.publication.media;
    if (file === undefined) throw new Error('a video Story without a video');
    return handle === null ? begin(work, 'video_stories', 'videoStory') : upload(work, handle, file);
  },
  publish: async (work, { video, repeated }): Promise<PublishAnswer> => {
    const { at: place, publication } = work;
    const called = await graphPostJson(
      publication,
      pageUrl(work, 'video_stories'),
      { upload_phase: 'finish', video_id: video },
      place.publishTimeoutMs,
    );
    if (!succeeded(called)) return notSent(work, called, repeated);
    return {
      kind: 'accepted',
      delayMs: lookAgainMs(work, 0),
      summary: graphSummary(called, `Story ${video} is on its way`, [publication.accessToken]),
    };
  },
  reconcile: reconcileVideo,
};

function notSent(work: PageWork, called: CallResult, isRepeat: boolean): PublishAnswer {
  return isRepeat ? notPublishedAgain(work, called) : notPublished(work, called);
}

/** The list knows a Story that is live; the video knows why there is none yet. */
async function reconcileVideo(work: PageWork, handle: ReelHandle, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { story, called } = await findStory(work, handle.video, armed.armedAt);
  if (story !== null) return listed(work, story, called);
  const { state, called: read } = await readVideo(work, handle.video, 'status');
  if (state === null) return notRead(work, read, armed);
  const summary = graphSummary(
    read,
    `Story ${handle.video}: ${state.failure?.detail ?? `publishing is ${state.publishing}`}`,
    [work.publication.accessToken],
  );
  if (state.failure !== null) return { kind: 'failed', failure: state.failure, handle: null, summary };
  const isAtWork = state.publishing === 'under way' || (state.isProcessing && state.publishing !== 'done');
  if (isAtWork) return stillProcessing(work, armed, summary);
  if (state.publishing === 'not begun') return unlisted(work, handle, armed, called);
  if (armed.asked < LIST_LOOKS) return { kind: 'processing', delayMs: lookAgainMs(work, armed.asked), summary };
  return published(handle.video, null, summary);
}

interface Story {
  readonly id: string;
  readonly permalink: string | null;
}

/** The Page's Story that shows this photo or video; null when the list has none, or can't be read. */
async function findStory(
  work: PageWork,
  media: string,
  armedAt: number,
  timeoutMs?: number,
): Promise<{ readonly story: Story | null; readonly called: CallResult }> {
  const query = new URLSearchParams({
    fields: 'post_id,status,creation_time,media_type,media_id,url',
    since: sinceOf(armedAt),
    limit: '100',
  });
  const called = await graphGet(work.publication, `${pageUrl(work, 'stories')}?${query}`, timeoutMs);
  const stories = called.kind === 'answered' && called.status === 200 ? listAt(called.json, 'data') : [];
  const found = stories.find((each) => textAt(each, 'media_id') === media);
  const story =
    found === undefined
      ? null
      : { id: textAt(found, 'post_id') ?? media, permalink: linkOf(work.at.site, textAt(found, 'url')) };
  return { story, called };
}

function listed({ publication }: PageWork, { id, permalink }: Story, called: CallResult): ReconcileAnswer {
  return published(id, permalink, graphSummary(called, `found in the list as ${id}`, [publication.accessToken]));
}

/** Sent once more when it had time to show up and didn't. After that, not being in the list is no proof any longer. */
function unlisted(
  work: PageWork,
  handle: PhotoStoryHandle | ReelHandle,
  armed: ArmedCall,
  called: CallResult,
): ReconcileAnswer {
  const { at: place, publication } = work;
  if (called.kind === 'lost' || called.status !== 200) return notRead(work, called, armed);
  const detail = 'not in the list of Stories';
  const summary = graphSummary(called, detail, [publication.accessToken]);
  const quietMs = LISTED_MS * place.waitFactor + place.publishTimeoutMs;
  const soFarMs = publication.now - armed.armedAt;
  if (soFarMs <= quietMs || armed.asked === 0)
    return { kind: 'unknown', delayMs: lookAgainAfterMs(lookAgainMs(work, armed.asked), soFarMs), summary };
  if (handle.repeated) return neverKnown(summary);
  return {
    kind: 'failed',
    failure: { reason: 'platform_problem', retry: 'later', delayMs: 0, detail, mayBeLive: true },
    handle: write({ ...handle, repeated: true }),
    summary,
  };
}
