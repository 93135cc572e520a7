import { sinceArmedMs } from '../contract/waits.ts';
import type { ArmedCall, PrepareAnswer, PublishAnswer, ReconcileAnswer } from '../contract/adapter.ts';
import { published } from '../contract/answers.ts';
import { graphPostJson, graphSummary, succeeded } from '../graph/calls.ts';
import { isOneOf, SESSION_GONE } from './errors.ts';
import type { ReelHandle } from './handle.ts';
import { linkOf, notPublished, notRead, pageUrl, refused, type PageWork } from './calls.ts';
import type { PageKind } from './page-kind.ts';
import { withCover } from './cover.ts';
import { begin, upload } from './rupload.ts';
import { lookAgainMs, readVideo, REEL_FIELDS, stillProcessing } from './video-state.ts';

/** By then Facebook shows that a reel was requested to go live. */
const FINISH_MS = 2 * 60_000;

/** A reel: uploaded as a draft, then published. It is one object, so publishing it twice makes no second reel. */
export const reel: PageKind<ReelHandle> = { prepare, publish, reconcile };

async function prepare(work: PageWork, handle: ReelHandle | null): Promise<PrepareAnswer> {
  const [file] = work.publication.media;
  if (file === undefined) throw new Error('a reel without a video');
  if (handle === null) return begin(work, 'video_reels', 'reel');
  return withCover(work, await upload(work, handle, file));
}

async function publish(work: PageWork, { video }: ReelHandle): Promise<PublishAnswer> {
  const { at: place, publication } = work;
  const fields = { upload_phase: 'finish', video_id: video, video_state: 'PUBLISHED', description: publication.text };
  const titled = publication.title === null ? fields : { ...fields, title: publication.title };
  const called = await graphPostJson(publication, pageUrl(work, 'video_reels'), titled, place.publishTimeoutMs);
  if (succeeded(called)) {
    return {
      kind: 'accepted',
      delayMs: lookAgainMs(work, 0),
      summary: graphSummary(called, `reel ${video} is on its way`, [publication.accessToken]),
    };
  }
  const answer = notPublished(work, called);
  if (called.kind === 'lost' || !isOneOf(called, SESSION_GONE)) return answer;
  // An upload is gone when it expired, and after it went live: only a reel whose publishing has not begun proves the
  // former.
  const { state } = await readVideo(work, video, REEL_FIELDS);
  return state === null || (state.failure === null && state.publishing !== 'not begun')
    ? answer
    : refused(work, called, { handle: null });
}

async function reconcile(work: PageWork, { video }: ReelHandle, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { at: place, publication } = work;
  const { state, called } = await readVideo(work, video, REEL_FIELDS);
  if (state === null) return notRead(work, called, armed);
  const summary = graphSummary(
    called,
    `reel ${video}: ${state.failure?.detail ?? `publishing is ${state.publishing}`}`,
    [publication.accessToken],
  );
  if (state.failure !== null) return { kind: 'failed', failure: state.failure, handle: null, summary };
  switch (state.publishing) {
    case 'done':
      return published(state.postId ?? video, linkOf(place.site, state.link) ?? `${place.site}/reel/${video}`, summary);
    case 'under way':
      return stillProcessing(work, armed, summary);
    case 'not begun':
      if (sinceArmedMs(armed, publication.now) > FINISH_MS * place.waitFactor && armed.asked > 0)
        return { kind: 'absent', summary };
      return { kind: 'unknown', delayMs: lookAgainMs(work, armed.asked), summary };
  }
}
