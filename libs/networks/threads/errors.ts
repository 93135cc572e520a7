import type { Failure } from '../adapter.ts';
import type { Answered } from '../call.ts';
import { graphProblemOf } from '../graph/answer.ts';
import { judgeGraph, LIMITED, REJECTED, TROUBLE, type GraphRow } from '../graph/errors.ts';

/** `create`: makes a container. `container`: reads one. `publish`: the irreversible call. `read`: anything else. */
export type ThreadsStep = 'create' | 'container' | 'publish' | 'read';

const MEDIA = { reason: 'media_problem', retry: 'never' } as const;

/**
 * Threads' own rows. None of them says what became of a `publish`: Threads has answered errors, code 10 among them, to posts that
 * went live. There they say what it was if the container turns out unpublished.
 */
const ROWS: readonly GraphRow<ThreadsStep>[] = [
  { subcodes: [2207052], says: MEDIA },
  { message: /media could not be fetched/i, says: MEDIA },
  { subcodes: [2207051, 4279013], says: REJECTED },
  // Published before the container had settled.
  { steps: ['publish'], subcodes: [4279009], says: TROUBLE },
  // A container that was just made, or sits on a lagging replica, isn't there yet.
  { steps: ['container'], codes: [100], subcodes: [33], says: TROUBLE },
  { message: /LINK_LIMIT_EXCEEDED/i, says: REJECTED },
  { codes: [100], message: /at most 500 characters/i, says: REJECTED },
  { message: /\bquota\b|rate limit|limit reached/i, says: { ...LIMITED, delayMs: 10 * 60_000 } },
];

export function failureOf(answer: Answered, step: ThreadsStep): Failure {
  return judgeGraph(ROWS, step, graphProblemOf(answer), answer.headers);
}

/** What a container's ERROR means, by its `error_message`. A text has no media: there it is Threads' own trouble. */
export function containerFailureOf(errorMessage: string | null): Failure {
  if (errorMessage !== null && MEDIA_ERRORS.has(errorMessage)) return { ...MEDIA, detail: errorMessage };
  return { ...TROUBLE, delayMs: 30_000, detail: errorMessage ?? 'Threads could not process it' };
}

const MEDIA_ERRORS: ReadonlySet<string> = new Set([
  'FAILED_DOWNLOADING_VIDEO',
  'FAILED_PROCESSING_AUDIO',
  'FAILED_PROCESSING_VIDEO',
  'INVALID_ASPEC_RATIO',
  'INVALID_BIT_RATE',
  'INVALID_DURATION',
  'INVALID_FRAME_RATE',
  'INVALID_AUDIO_CHANNELS',
  'INVALID_AUDIO_CHANNEL_LAYOUT',
]);
