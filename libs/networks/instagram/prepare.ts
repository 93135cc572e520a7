import type { CallSummary, PrepareAnswer } from '../contract/adapter.ts';
import { waiting, unfit } from '../contract/answers.ts';
import { at, type CallResult } from '../http/call.ts';
import { graphProblemOf } from '../graph/answer.ts';
import { takeNextStep } from '../graph/carousel.ts';
import { answeredText, graphGet, graphPostForm } from '../graph/calls.ts';
import { LIMITED, TROUBLE } from '../graph/errors.ts';
import { lookAgainAfterMs, TROUBLE_DELAY_MS } from '../contract/waits.ts';
import { accountUrl, refused, summarize, type AccountWork } from './calls.ts';
import { readContainer } from './container.ts';
import { containerFailureOf, isGone } from './errors.ts';
import { fresh, write, type InstagramHandle } from './handle.ts';
import { childFields, containerFields, problemOf } from './media.ts';

/** Between two looks at a container. */
const IMAGE_POLL_MS = 3_000;
const VIDEO_POLL_MS = 10_000;
const PROCESSING_MS = 30 * 60_000;
const QUOTA_DELAY_MS = 30 * 60_000;
/** Looks at a container that can't be seen before it is taken to be ready: publishing one that isn't, is refused. */
const UNSEEN_LOOKS = 3;
/** An expired container that is younger than this was not left lying. */
const EXPIRES_MS = 3_600_000;

/**
 * The containers of a carousel's files, then the one to publish, each made once and looked at until it is ready. None
 * is public.
 */
export async function prepare(work: AccountWork, handle: InstagramHandle | null): Promise<PrepareAnswer> {
  const { publication } = work;
  const problem = problemOf(publication);
  if (problem !== null) return unfit(problem);
  const made = handle ?? fresh(publication.now);
  return takeNextStep(made, publication.media, {
    lookAt: (container) => lookAt(work, made, container),
    makeChild: (file) => makeChild(work, made, childFields(file, publication)),
    makeWhole: () => makeWhole(work, made),
  });
}

async function makeChild(
  work: AccountWork,
  handle: InstagramHandle,
  fields: Readonly<Record<string, string>>,
): Promise<PrepareAnswer> {
  const { called, id } = await make(work, fields);
  if (id === null) return refused(work, called, 'create');
  const next = { ...handle, children: [...handle.children, id], since: work.publication.now };
  return waiting(write(next), summarize(work, called, `container ${id} made, one of the carousel's`));
}

async function makeWhole(work: AccountWork, handle: InstagramHandle): Promise<PrepareAnswer> {
  const { called, id } = await make(work, containerFields(work.publication, handle.children));
  if (id === null)
    return {
      ...refused(work, called, 'create'),
      ...(called.kind === 'answered' && isGone(called) && { handle: null }),
    };
  return lookAt(work, { ...handle, container: id, unseen: 0, since: work.publication.now }, id);
}

async function make(
  work: AccountWork,
  fields: Readonly<Record<string, string>>,
): Promise<{ readonly called: CallResult; readonly id: string | null }> {
  const called = await graphPostForm(work.publication, accountUrl(work, 'media'), fields);
  return { called, id: answeredText(called, 'id') };
}

async function lookAt(work: AccountWork, handle: InstagramHandle, container: string): Promise<PrepareAnswer> {
  const { status, detail, called } = await readContainer(work, container);
  const summary = summarize(work, called, `container ${container} is ${status}`);
  const age = work.publication.now - handle.since;
  switch (status) {
    case 'FINISHED':
      return finished(work, handle, summary);
    case 'PUBLISHED':
      // Goes on as ready: publishing it again does nothing, and reconciling then tells that it is live.
      return { kind: 'ready', handle: write(handle), summary };
    case 'IN_PROGRESS':
      if (age > PROCESSING_MS * work.at.waitFactor) return startOver(summary, 'Instagram did not get done with it');
      return waiting(write({ ...handle, unseen: 0 }), summary, lookAgainAfterMs(pollMs(work), age));
    case 'ERROR':
      return { kind: 'failed', failure: containerFailureOf(detail), handle: null, summary };
    case 'EXPIRED':
      if (age < EXPIRES_MS) return startOver(summary, 'the container expired');
      return waiting(write(fresh(work.publication.now)), summary);
    case null:
      return unseen(work, handle, called);
  }
}

/** Losing sight of a container is no reason to lose it. */
async function unseen(work: AccountWork, handle: InstagramHandle, called: CallResult): Promise<PrepareAnswer> {
  const answer = refused(work, called, 'container');
  if (answer.failure.retry !== 'later') return answer;
  const isHidden = called.kind === 'answered' && graphProblemOf(called).subcode === 33;
  const looks = isHidden ? handle.unseen + 1 : handle.unseen;
  if (looks >= UNSEEN_LOOKS) return finished(work, { ...handle, unseen: 0 }, answer.summary);
  const delayMs = isHidden ? pollMs(work) : (answer.failure.delayMs ?? TROUBLE_DELAY_MS);
  return waiting(write({ ...handle, unseen: looks }), answer.summary, delayMs);
}

/**
 * One of a carousel's, or the whole: then the account's quota is asked for, because nothing else says how large it is.
 */
async function finished(work: AccountWork, handle: InstagramHandle, summary: CallSummary): Promise<PrepareAnswer> {
  if (handle.container === null) {
    return waiting(write({ ...handle, finished: handle.finished + 1, unseen: 0 }), summary);
  }
  const called = await graphGet(
    work.publication,
    `${accountUrl(work, 'content_publishing_limit')}?fields=quota_usage,config`,
  );
  const quota = called.kind === 'answered' && called.status === 200 ? at(called.json, 'data', 0) : null;
  const [usage, total] = [at(quota, 'quota_usage'), at(quota, 'config', 'quota_total')];
  if (typeof usage !== 'number' || typeof total !== 'number' || usage < total)
    return { kind: 'ready', handle: write(handle), summary };
  const detail = `${usage} of the ${total} posts that Instagram lets this account publish a day are used`;
  return {
    kind: 'failed',
    failure: { ...LIMITED, delayMs: QUOTA_DELAY_MS, detail },
    handle: write(handle),
    summary: summarize(work, called, detail),
  };
}

function startOver(summary: CallSummary, detail: string): PrepareAnswer {
  return { kind: 'failed', failure: { ...TROUBLE, delayMs: TROUBLE_DELAY_MS, detail }, handle: null, summary };
}

function pollMs({ at: place, publication }: AccountWork): number {
  return (publication.media.some(({ kind }) => kind === 'video') ? VIDEO_POLL_MS : IMAGE_POLL_MS) * place.waitFactor;
}
