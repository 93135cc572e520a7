import type { Failure, NetworkEndpoints, Publication, CallSummary } from '../contract/adapter.ts';
import { at as within, call, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { CALL_TIMEOUT_MS, PUBLISH_TIMEOUT_MS, TROUBLE_DELAY_MS, type AdapterOptions } from '../contract/waits.ts';
import { codeOf, failureOf } from './errors.ts';

/** Where TikTok is, and how long to wait for it. */
export interface TikTokPlace {
  readonly api: string;
  readonly site: string;
  /** Of the one call that publishes. */
  readonly publishTimeoutMs: number;
  readonly waitFactor: number;
}

export function placeOf({ api, site }: NetworkEndpoints, options: AdapterOptions): TikTokPlace {
  return {
    api,
    site,
    publishTimeoutMs: options.publishTimeoutMs ?? PUBLISH_TIMEOUT_MS,
    waitFactor: options.waitFactor ?? 1,
  };
}

/** One Variant on its way to one account. */
export interface TikTokWork {
  readonly at: TikTokPlace;
  readonly publication: Publication;
}

/** `fields` null: no body. */
export function tiktokPost(
  { at, publication }: TikTokWork,
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

export interface Refused {
  readonly kind: 'failed';
  readonly failure: Failure;
  readonly summary: CallSummary;
}

/** A call that did not do what it should, as a failure. */
export function refusedCall(called: CallResult, secrets: readonly string[]): Refused {
  const failure: Failure =
    called.kind === 'lost'
      ? { reason: 'platform_problem', retry: 'later', delayMs: TROUBLE_DELAY_MS, detail: called.message }
      : failureOf(called);
  const summary = summaryOf(called, failure.detail, secrets);
  return { kind: 'failed', failure: { ...failure, detail: summary.detail }, summary };
}
