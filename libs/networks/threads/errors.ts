import type { Failure } from '../contract/adapter.ts';
import { MEDIA, MEDIA_ONCE, REJECTED } from '../contract/verdicts.ts';
import type { HttpAnswer } from '../http/call.ts';
import { graphProblemOf } from '../graph/answer.ts';
import { judgeGraph, LIMITED, TROUBLE, type GraphRow } from '../graph/errors.ts';
import type { ThreadsKind } from './handle.ts';

/** `create`: makes a container. `container`: reads one. `publish`: the irreversible call. `read`: anything else. */
export type ThreadsStep = 'create' | 'container' | 'publish' | 'read';

/** A container that has not settled yet, or is gone. */
export const MEDIA_NOT_FOUND = 4279009;

/**
 * Threads' own rows. None of them says what became of a `publish`: Threads has answered errors, code 10 among them, to
 * posts that went live. There they say what it was if the container turns out unpublished.
 */
const ROWS: readonly GraphRow<ThreadsStep>[] = [
  { subcodes: [2207052], says: MEDIA_ONCE },
  { message: /media could not be fetched/i, says: MEDIA_ONCE },
  { subcodes: [2207051, 4279013], says: REJECTED },
  // Published, or put into a carousel, before it had settled.
  { steps: ['publish', 'create'], subcodes: [MEDIA_NOT_FOUND], says: TROUBLE },
  // A container that was just made, or sits on a lagging replica, isn't there yet.
  { steps: ['container'], codes: [100], subcodes: [33], says: TROUBLE },
  { message: /LINK_LIMIT_EXCEEDED/i, says: REJECTED },
  { codes: [100], message: /at most 500 characters/i, says: REJECTED },
  { message: /\bquota\b|rate limit|limit reached/i, says: { ...LIMITED, delayMs: 10 * 60_000 } },
];

export function failureOf(answer: HttpAnswer, step: ThreadsStep): Failure {
  return judgeGraph(ROWS, step, graphProblemOf(answer), answer.headers);
}

/** What a container's ERROR means, by its `error_message`. A text has no media: there it is Threads' own trouble. */
export function containerFailureOf(errorMessage: string | null, kind: ThreadsKind): Failure {
  if (errorMessage !== null && FILE_AT_FAULT.has(errorMessage)) return { ...MEDIA, detail: errorMessage };
  const detail = errorMessage ?? 'Threads could not process it';
  return kind === 'TEXT' ? { ...TROUBLE, delayMs: 30_000, detail } : { ...MEDIA_ONCE, detail };
}

/** `FAILED_DOWNLOADING_VIDEO` is none of them: as a picture that could not be fetched, it may work the next time. */
const FILE_AT_FAULT: ReadonlySet<string> = new Set([
  'FAILED_PROCESSING_AUDIO',
  'FAILED_PROCESSING_VIDEO',
  'INVALID_ASPEC_RATIO',
  'INVALID_BIT_RATE',
  'INVALID_DURATION',
  'INVALID_FRAME_RATE',
  'INVALID_AUDIO_CHANNELS',
  'INVALID_AUDIO_CHANNEL_LAYOUT',
]);
