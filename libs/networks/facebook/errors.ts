import type { Failure } from '../contract/adapter.ts';
import { MEDIA, MEDIA_ONCE, NOT_THERE_YET, RECONNECT, REJECTED } from '../contract/verdicts.ts';
import { textAt, type HttpAnswer } from '../http/call.ts';
import { graphProblemOf, type GraphProblem } from '../graph/answer.ts';
import { judgeGraph, LIMITED, TROUBLE, type GraphRow } from '../graph/errors.ts';

const TOO_FAST_DELAY_MS = 10 * 60_000;
const REELS_DELAY_MS = 60 * 60_000;

/** An upload session sent from the wrong place; the answer says the right one. */
export const WRONG_OFFSET = 1363037;
/** An upload session that timed out, broke off, expired or failed: its bytes are gone, and a new session is needed. */
export const SESSION_GONE: ReadonlySet<number> = new Set([
  1363019, 1363020, 1363021, 1363030, 1363033, 1363041, 1363045,
]);

/** A link that could not be read, one to Facebook itself, or one that Facebook takes for none. */
export const REFUSED_LINK: ReadonlySet<number> = new Set([1609005, 1609008, 2061006]);

/**
 * Facebook's own rows, ahead of those of the Graph API. What is listed as a subcode comes as the code itself at times.
 */
const ROWS: readonly GraphRow<'any'>[] = [
  { codes: [100], message: /no permission to publish/i, says: RECONNECT },
  { anyCodes: [324], says: MEDIA },
  { anyCodes: [389, 351, 352, 382, 6000], says: MEDIA_ONCE },
  { anyCodes: [6001], says: TROUBLE },
  { anyCodes: [...REFUSED_LINK], says: REJECTED },
  { anyCodes: [1366046], says: MEDIA_ONCE },
  { anyCodes: [1366051], says: { ...REJECTED, duplicate: true } },
  { anyCodes: [1390008], says: { ...LIMITED, delayMs: TOO_FAST_DELAY_MS } },
  { anyCodes: [1346003, 1404102, 1404112], says: REJECTED },
  { anyCodes: [1404006, 4854002, 1404078, 1363042], says: RECONNECT },
  { anyCodes: [1349125, 1363047, 1609010], says: TROUBLE },
  { anyCodes: [2069019, 1363022, 1363023, 1363025, 1363026], says: MEDIA },
  { anyCodes: [1363024, 1363031, 1363032], says: MEDIA_ONCE },
  { anyCodes: [1363045], says: { reason: 'media_problem', retry: 'later' } },
  { anyCodes: [...SESSION_GONE, WRONG_OFFSET], says: TROUBLE },
  // Thirty reels a day for each Page.
  { message: /\breels?\b.*\blimit|\blimit.*\breels?\b/i, says: { ...LIMITED, delayMs: REELS_DELAY_MS } },
];

export function failureOf(answer: HttpAnswer): Failure {
  return judgeGraph(ROWS, 'any', graphProblemOf(answer), answer.headers);
}

/** As `failureOf`, for a comment. */
export function commentFailureOf(answer: HttpAnswer): Failure {
  const failure = extraFailureOf(answer, 'comment for this Page');
  return isMissing(answer) ? { ...failure, ...NOT_THERE_YET } : failure;
}

/** As `failureOf`, for the cover of a video. */
export function coverFailureOf(answer: HttpAnswer): Failure {
  return extraFailureOf(answer, 'set the cover of a video');
}

/**
 * What a Page can be published to without: a permission that is missing for it does not make the Channel one that
 * needs a reconnect.
 */
function extraFailureOf(answer: HttpAnswer, what: string): Failure {
  const failure = failureOf(answer);
  if (failure.retry !== 'afterReconnect') return failure;
  const help = 'Reconnect the Channel, and allow pages_manage_engagement, as a person who may moderate the Page.';
  return { ...REJECTED, detail: `Facebook does not let Crier ${what}: ${failure.detail} ${help}` };
}

/** Whether the answer is one of these errors, under either number. */
export function isOneOf(answer: HttpAnswer, codes: ReadonlySet<number>): boolean {
  const { code, subcode } = graphProblemOf(answer);
  return (code !== null && codes.has(code)) || (subcode !== null && codes.has(subcode));
}

/** An object that does not exist, or is not for this token to see. */
export function isMissing(answer: HttpAnswer): boolean {
  const { code, subcode } = graphProblemOf(answer);
  return code === 100 && subcode === 33;
}

/**
 * What a video that could not be processed comes to. `error`: `{code, message}` as its status has it, if it has one.
 */
export function processingFailureOf(error: unknown): Failure {
  const code = Number(textAt(error, 'code') ?? Number.NaN);
  const detail = textAt(error, 'message') ?? 'Facebook could not process the video.';
  const problem: GraphProblem = {
    status: 400,
    code: Number.isNaN(code) ? null : code,
    subcode: null,
    transient: false,
    message: detail,
    detail,
  };
  const listed = ROWS.some(({ anyCodes }) => anyCodes?.includes(code) === true);
  return listed ? judgeGraph(ROWS, 'any', problem, {}) : { ...MEDIA, detail };
}

/** What the host that takes the bytes of reels and Stories says: `{"debug_info": {"retriable", "type", "message"}}`. */
export interface UploadProblem {
  readonly retriable: boolean;
  /** HTTP 206 with a PartialRequestError: the host took a piece that is not the last, and waits for the next one. */
  readonly isProgress: boolean;
  readonly type: string;
  readonly message: string;
}
