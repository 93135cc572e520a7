import type { Rendition } from '#ports/rendition-source.ts';
import type { AccountAccess, Publication } from '../contract/adapter.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import { call, type HttpAnswer, type CallResult } from '../http/call.ts';
import { multipart } from '../http/multipart.ts';
import { failedCall } from '../http/failed-call.ts';
import { CALL_TIMEOUT_MS, UPLOAD_TIMEOUT_MS, type AdapterOptions } from '../contract/waits.ts';
import { refusalOf, type XStep } from './errors.ts';

/** One post, or one reply, on its way to one account. */
export interface XWork<Content extends AccountAccess = Publication> extends Required<AdapterOptions> {
  readonly api: string;
  readonly site: string;
  readonly publication: Content;
}

export type XCaller = Pick<XWork<AccountAccess>, 'api' | 'publication'>;

export function xGet({ api, publication }: XCaller, path: string): Promise<CallResult> {
  return call(publication.http, {
    method: 'GET',
    url: `${api}${path}`,
    headers: bearer(publication),
    timeoutMs: CALL_TIMEOUT_MS,
  });
}

/** `json` null: without a body. */
export function xPost(
  { api, publication }: XCaller,
  path: string,
  json: object | null,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<CallResult> {
  const request = { method: 'POST', url: `${api}${path}`, timeoutMs } as const;
  if (json === null) return call(publication.http, { ...request, headers: bearer(publication) });
  const headers = { ...bearer(publication), 'content-type': 'application/json' };
  return call(publication.http, { ...request, headers, body: JSON.stringify(json) });
}

/** The bytes [from, to) of a file. */
interface FileSlice {
  readonly file: Rendition;
  readonly from: number;
  readonly to: number;
}

/** Bytes of a file, with fields beside them. */
export async function xSendBytes(
  { api, publication }: XCaller,
  path: string,
  fields: Readonly<Record<string, string>>,
  { file, from, to }: FileSlice,
): Promise<CallResult> {
  const about = {
    field: 'media',
    fileName: 'media',
    contentType: 'application/octet-stream',
    boundary: `part-${file.sha256}`,
  } as const;
  const { contentType, body } = multipart(fields, { ...about, bytes: await file.read(from, to) });
  const headers = { ...bearer(publication), 'content-type': contentType };
  return call(publication.http, { method: 'POST', url: `${api}${path}`, headers, body, timeoutMs: UPLOAD_TIMEOUT_MS });
}

function bearer({ accessToken }: AccountAccess): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${accessToken}` };
}

export function isGood(called: CallResult): called is HttpAnswer {
  return called.kind === 'answered' && called.status >= 200 && called.status < 300;
}

/** A repeatable call that did not do what it should. */
export function refused({ publication }: XCaller, called: CallResult, step: Exclude<XStep, 'publish'>): FailedAnswer {
  return failedCall(called, (answer) => refusalOf(answer, step, publication.now), [publication.accessToken]);
}

/** `i` stands for an account whose name is not known. */
export function permalinkOf({ site, publication: { username } }: XWork<AccountAccess>, remoteId: string): string {
  return `${site}/${username === '' ? 'i' : username}/status/${remoteId}`;
}
