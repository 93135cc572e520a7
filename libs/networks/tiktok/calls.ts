import type { PublishWork } from '../contract/adapter-of.ts';
import type { AccountAccess, NetworkEndpoints } from '../contract/adapter.ts';
import { at as within, call, textAt, type CallResult } from '../http/call.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import { failedCall } from '../http/failed-call.ts';
import { CALL_TIMEOUT_MS, waitsOf, type AdapterOptions } from '../contract/waits.ts';
import { codeOf, failureOf } from './errors.ts';

/** Where TikTok is, and how long to wait for it. */
export interface TikTokPlace extends Required<AdapterOptions> {
  readonly api: string;
  readonly site: string;
}

export function placeOf({ api, site }: NetworkEndpoints, options: AdapterOptions): TikTokPlace {
  return { api, site, ...waitsOf(options) };
}

/** One Variant on its way to one account. */
export type TikTokWork = PublishWork<TikTokPlace>;

/** What a call needs of a `TikTokWork`. */
interface TikTokCaller {
  readonly at: Pick<TikTokPlace, 'api'>;
  readonly publication: Pick<AccountAccess, 'http' | 'accessToken'>;
}

/** `fields` null: no body. */
export function tiktokPost(
  { at, publication }: TikTokCaller,
  path: string,
  fields: object | null,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<CallResult> {
  const headers = {
    'content-type': 'application/json; charset=UTF-8',
    authorization: `Bearer ${publication.accessToken}`,
  };
  return call(publication.http, {
    method: 'POST',
    url: at.api + path,
    headers,
    timeoutMs,
    ...(fields === null ? {} : { body: JSON.stringify(fields) }),
  });
}

/** The `data` of a success; null for any other answer, or none. */
export function dataOf(called: CallResult): unknown {
  if (called.kind === 'lost' || called.status !== 200 || codeOf(called) !== 'ok') return null;
  return within(called.json, 'data') ?? null;
}

export function dataText(called: CallResult, ...path: readonly (string | number)[]): string | null {
  return textAt(dataOf(called), ...path);
}

/** A call that did not do what it should, as a failure. */
export function tiktokFailure(called: CallResult, secrets: readonly string[]): FailedAnswer {
  return failedCall(called, failureOf, secrets);
}
