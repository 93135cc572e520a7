import type { Failure, Publication, PublishAnswer, ReconcileAnswer, CallSummary } from '../contract/adapter.ts';
import { at, call, form, summaryOf, textAt, type HttpAnswer, type CallResult } from '../http/call.ts';
import { multipart, type FilePart } from '../http/multipart.ts';
import { unreadAnswer, type FailedAnswer } from '../contract/answers.ts';
import { failedCall } from '../http/failed-call.ts';
import { askAgainMs, CALL_TIMEOUT_MS, mayGiveUp, UPLOAD_TIMEOUT_MS, type Asking } from '../contract/waits.ts';
import { graphProblemOf } from './answer.ts';
import { isTokenRefusal } from './errors.ts';
import { pauseOf } from './usage.ts';

/** On whose behalf. The token goes in a header: addresses are logged along the way. */
export type GraphCaller = Pick<Publication, 'http' | 'accessToken'>;

export function graphGet(
  { http, accessToken }: GraphCaller,
  url: string,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<CallResult> {
  return call(http, { method: 'GET', url, headers: { authorization: `Bearer ${accessToken}` }, timeoutMs });
}

export function graphPostJson(
  { http, accessToken }: GraphCaller,
  url: string,
  fields: object,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<CallResult> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` };
  return call(http, { method: 'POST', url, headers, body: JSON.stringify(fields), timeoutMs });
}

export function graphPostForm(
  { http, accessToken }: GraphCaller,
  url: string,
  fields: Readonly<Record<string, string>>,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<CallResult> {
  const { headers, body } = form(fields);
  return call(http, {
    method: 'POST',
    url,
    headers: { ...headers, authorization: `Bearer ${accessToken}` },
    body,
    timeoutMs,
  });
}

/** Fields and one file as multipart/form-data. */
export function graphPostFile(
  { http, accessToken }: GraphCaller,
  url: string,
  fields: Readonly<Record<string, string>>,
  file: FilePart,
): Promise<CallResult> {
  const { contentType, body } = multipart(fields, file);
  const headers = { 'content-type': contentType, authorization: `Bearer ${accessToken}` };
  return call(http, { method: 'POST', url, headers, body, timeoutMs: UPLOAD_TIMEOUT_MS });
}

/** What a good answer holds; null when it isn't one, or doesn't. */
export function answeredText(called: CallResult, ...path: readonly (string | number)[]): string | null {
  return called.kind === 'answered' && called.status === 200 ? textAt(called.json, ...path) : null;
}

/** `{"success": true}` */
export function succeeded(called: CallResult): boolean {
  return called.kind === 'answered' && called.status === 200 && at(called.json, 'success') === true;
}

/** As `summaryOf`, with the pause that the answer's usage headers ask for. */
export function graphSummary(called: CallResult, detail: string, secrets: readonly string[] = []): CallSummary {
  const summary = summaryOf(called, detail, secrets);
  const pause = called.kind === 'answered' ? pauseOf(called.headers) : undefined;
  return pause === undefined ? summary : { ...summary, pause };
}

/** As `failedCall`, with the pause that the answer's usage headers ask for. */
export function graphFailure(
  called: CallResult,
  judge: (answer: HttpAnswer) => Failure,
  secrets: readonly string[],
): FailedAnswer {
  return failedCall(called, judge, secrets, graphSummary);
}

/**
 * An irreversible call that was not answered with success. Only a refusal by HTTP 4xx in the Network's own words, for a
 * reason of ours, proves that nothing was done. Its own trouble, or what a proxy says, does not; and a Network that
 * refuses a duplicate may mean this very call, carried out before.
 */
export function unpublished(
  called: CallResult,
  judge: (answer: HttpAnswer) => Failure,
  secrets: readonly string[],
): Exclude<PublishAnswer, { kind: 'published' | 'accepted' }> {
  const refused = graphFailure(called, judge, secrets);
  const { failure, summary } = refused;
  if (called.kind === 'lost') return called.sent ? { kind: 'unknown', summary } : refused;
  const problem = graphProblemOf(called);
  const isProof =
    isTokenRefusal(problem) ||
    (called.status >= 400 &&
      called.status < 500 &&
      problem.code !== null &&
      failure.reason !== 'platform_problem' &&
      failure.duplicate !== true);
  return isProof ? refused : { kind: 'unknown', ifAbsent: failure, summary };
}

/**
 * What can't be read tells nothing: ask again, with a better token where that is what is missing, until there is no
 * hope.
 */
export function unread(
  called: CallResult,
  judge: (answer: HttpAnswer) => Failure,
  secrets: readonly string[],
  asking: Asking & { readonly now: number },
): Extract<ReconcileAnswer, { kind: 'unknown' }> {
  return unreadAnswer(
    graphFailure(called, judge, secrets),
    mayGiveUp(asking, asking.now) ? null : askAgainMs(asking.asked),
  );
}
