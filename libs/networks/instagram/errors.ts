import type { Failure } from '../contract/adapter.ts';
import { MEDIA, MEDIA_ONCE, RECONNECT, REJECTED, TOKEN_REFUSED } from '../contract/verdicts.ts';
import type { HttpAnswer } from '../http/call.ts';
import { graphProblemOf, type GraphProblem } from '../graph/answer.ts';
import { judgeGraph, LIMITED, TROUBLE, type GraphRow } from '../graph/errors.ts';

/** `create`: makes a container. `container`: reads one. `publish`: the irreversible call. `read`: anything else. */
export type InstagramStep = 'create' | 'container' | 'publish' | 'read';

const QUOTA_DELAY_MS = 60 * 60_000;
const BUILDER_DELAY_MS = 30_000;
const NOT_READY_DELAY_MS = 10_000;

const BLOCKED = 2207051;
/** A container, or a part of one, that is not there any more. */
const GONE: ReadonlySet<number> = new Set([2207006, 2207008, 2207020]);

/**
 * Instagram's own rows, ahead of those of the Graph API: by the exact subcode first, then by what a code means without
 * one.
 */
const ROWS: readonly GraphRow<InstagramStep>[] = [
  { anyCodes: [2207003, 2207077, 2207082], says: MEDIA_ONCE },
  { anyCodes: [2207001, 2207020, 2207032, 2207053], says: TROUBLE },
  { anyCodes: [2207057], says: MEDIA },
  { anyCodes: [2207023, 2207028, 2207035, 2207036, 2207037, 2207040, BLOCKED, 2207081], says: REJECTED },
  { anyCodes: [2207042], says: { ...LIMITED, delayMs: QUOTA_DELAY_MS } },
  { anyCodes: [2207006], says: TROUBLE },
  { anyCodes: [2207008], says: { ...TROUBLE, delayMs: BUILDER_DELAY_MS } },
  { anyCodes: [2207050], says: RECONNECT },
  { anyCodes: [2207026, 2207052, 2207004, 2207005, 2207009], says: MEDIA_ONCE },
  { anyCodes: [2207010], says: REJECTED },
  { anyCodes: [2207027], says: { ...TROUBLE, delayMs: NOT_READY_DELAY_MS } },
  { message: /session has been invalidated/i, says: TOKEN_REFUSED },
  { message: /Page Publishing Authorization/i, says: RECONNECT },
  // Pages' tokens meet this for containers that are there.
  { steps: ['container'], codes: [100], subcodes: [33], says: TROUBLE },
  { codes: [-2, 352, 9004, 36000, 36001, 36003], says: MEDIA_ONCE },
  { codes: [-1, 24], says: TROUBLE },
  { codes: [9], says: { ...LIMITED, delayMs: QUOTA_DELAY_MS } },
  { codes: [25], says: RECONNECT },
  { codes: [36004], says: REJECTED },
  { codes: [9007], says: { ...TROUBLE, delayMs: NOT_READY_DELAY_MS } },
];

export function failureOf(answer: HttpAnswer, step: InstagramStep): Failure {
  return judgeGraph(ROWS, step, graphProblemOf(answer), answer.headers);
}

/** Whether what a container is made of, or the container, has to be made anew. */
export function isGone(answer: HttpAnswer): boolean {
  const { subcode } = graphProblemOf(answer);
  return subcode !== null && GONE.has(subcode);
}

/** Whether Instagram takes the call for spam. */
export function isBlocked(answer: HttpAnswer): boolean {
  return graphProblemOf(answer).subcode === BLOCKED;
}

/** What a container's ERROR means, by its `status`: "Error: Media upload has failed with error code 2207026". */
export function containerFailureOf(status: string | null): Failure {
  const detail = status ?? 'Instagram could not process it.';
  const subcode = Number(/\b22[0-9]{5}\b/.exec(detail)?.[0] ?? Number.NaN);
  const listed = ROWS.some(({ anyCodes }) => anyCodes?.includes(subcode) === true);
  if (!listed) return { ...MEDIA_ONCE, detail };
  const problem: GraphProblem = { status: 400, code: null, subcode, transient: false, message: detail, detail };
  return judgeGraph(ROWS, 'container', problem, {});
}
