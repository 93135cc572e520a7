import type { PrepareAnswer } from '../contract/adapter.ts';
import { waiting, unfit } from '../contract/answers.ts';
import type { CallResult } from '../http/call.ts';
import { takeNextStep } from '../graph/carousel.ts';
import { answeredText, graphPostForm } from '../graph/calls.ts';
import { refused, summarize, type ThreadsWork } from './calls.ts';
import { graphProblemOf } from '../graph/answer.ts';
import { TROUBLE } from '../graph/errors.ts';
import { NOT_THERE_YET } from '../contract/verdicts.ts';
import { lookAgainAfterMs, TROUBLE_DELAY_MS } from '../contract/waits.ts';
import { readContainer } from './container.ts';
import { containerFailureOf, MEDIA_NOT_FOUND } from './errors.ts';
import { fresh, isStale, write, type ThreadsHandle } from './handle.ts';
import { childFields, containerFields, kindOf, problemOf } from './media.ts';

/** Between two looks at a container: a text is ready within moments, a video is not. */
const POLL_MS = 2_000;
const VIDEO_POLL_MS = 10_000;
const PROCESSING_MS = 30 * 60_000;
/** An expired container that is younger than this was not left lying. */
const EXPIRES_MS = 3_600_000;

/**
 * The containers of a carousel's files, then the one to publish, each made once and looked at until it is ready. None
 * is public.
 */
export async function prepare(work: ThreadsWork, stored: ThreadsHandle | null): Promise<PrepareAnswer> {
  const { publication } = work;
  if (publication.placement === 'story') return unfit('Threads has no Stories.', 'rejected_by_platform');
  const problem = problemOf(publication);
  if (problem !== null) return unfit(problem);
  const { now } = publication;
  const handle = stored === null || isStale(stored, now) ? fresh(kindOf(publication), now) : stored;
  return takeNextStep(handle, publication.media, {
    lookAt: (container) => look(work, handle, container),
    makeChild: (file) => makeChild(work, handle, childFields(file)),
    makeWhole: () => makeWhole(work, handle),
  });
}

async function makeChild(
  work: ThreadsWork,
  handle: ThreadsHandle,
  fields: Readonly<Record<string, string>>,
): Promise<PrepareAnswer> {
  const { called, id } = await make(work, fields);
  if (id === null) return { ...refused(work, called, 'create'), handle: write(handle) };
  const next = { ...handle, children: [...handle.children, id], since: work.publication.now };
  return waiting(write(next), summarize(work, called, `container ${id} made, one of the carousel's`));
}

async function makeWhole(work: ThreadsWork, handle: ThreadsHandle): Promise<PrepareAnswer> {
  const { publication, replyTo } = work;
  const fields = containerFields(publication, handle.children);
  const { called, id } = await make(work, { ...fields, ...(replyTo !== undefined && { reply_to_id: replyTo }) });
  if (id !== null) return look(work, { ...handle, container: id, since: publication.now }, id);
  const refusal = refused(work, called, 'create');
  if (called.kind === 'lost' || graphProblemOf(called).subcode !== MEDIA_NOT_FOUND)
    return { ...refusal, handle: write(handle) };
  // The parts of a carousel are gone; a reply has none, and lacks the post that it is to.
  return {
    ...refusal,
    ...(replyTo !== undefined && { failure: { ...refusal.failure, ...NOT_THERE_YET } }),
    handle: null,
  };
}

/** A container that is made and then forgotten expires unseen, so this may be repeated at will. */
async function make(
  { at: { api }, publication }: ThreadsWork,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly called: CallResult; readonly id: string | null }> {
  const called = await graphPostForm(
    publication,
    `${api}/v1.0/${encodeURIComponent(publication.accountId)}/threads`,
    fields,
  );
  return { called, id: answeredText(called, 'id') };
}

async function look(work: ThreadsWork, handle: ThreadsHandle, container: string): Promise<PrepareAnswer> {
  const { publication } = work;
  const { status, errorMessage, called } = await readContainer(work, container);
  const summary = summarize(work, called, `container ${container} is ${status}`);
  const ageMs = handle.since === null ? null : publication.now - handle.since;
  switch (status) {
    case 'FINISHED':
      if (handle.container !== null) {
        const readyAt = handle.readyAt ?? publication.now;
        return { kind: 'ready', handle: write({ ...handle, readyAt }), summary };
      }
      return waiting(write({ ...handle, finished: handle.finished + 1 }), summary);
    case 'PUBLISHED':
      // Goes on as ready: publishing it again does nothing, and reconciling then tells that it is live.
      return { kind: 'ready', handle: write(handle), summary };
    case 'IN_PROGRESS':
      if (ageMs !== null && ageMs > PROCESSING_MS * work.at.waitFactor)
        return startOver(summary, 'Threads did not get done with it');
      return waiting(write(handle), summary, lookAgainAfterMs(pollMs(work), ageMs ?? 0));
    case 'ERROR':
      return { kind: 'failed', failure: containerFailureOf(errorMessage, handle.kind), handle: null, summary };
    case 'EXPIRED':
      if (ageMs !== null && ageMs < EXPIRES_MS) return startOver(summary, 'the container expired');
      return { kind: 'wait', handle: write(fresh(kindOf(publication), publication.now)), delayMs: 0, summary };
    case null:
      return unseen(work, handle, called);
  }
}

/** Losing sight of a container is no reason to lose it. */
function unseen(work: ThreadsWork, handle: ThreadsHandle, called: CallResult): PrepareAnswer {
  const answer = refused(work, called, 'container');
  if (answer.failure.retry !== 'later') return { ...answer, handle: write(handle) };
  return waiting(write(handle), answer.summary, answer.failure.delayMs ?? TROUBLE_DELAY_MS);
}

function startOver(summary: PrepareAnswer['summary'], detail: string): PrepareAnswer {
  return { kind: 'failed', failure: { ...TROUBLE, delayMs: TROUBLE_DELAY_MS, detail }, handle: null, summary };
}

function pollMs({ at: { waitFactor }, publication }: ThreadsWork): number {
  return (publication.media.some(({ kind }) => kind === 'video') ? VIDEO_POLL_MS : POLL_MS) * waitFactor;
}
