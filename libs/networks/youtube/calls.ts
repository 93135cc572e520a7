import type { HttpClient } from '#ports/http-client.ts';
import type { Failure, NetworkEndpoints, Publication, CallSummary } from '../contract/adapter.ts';
import { call, summaryOf, type HttpAnswer, type CallResult } from '../http/call.ts';
import { CALL_TIMEOUT_MS, PUBLISH_TIMEOUT_MS, type AdapterOptions } from '../contract/waits.ts';
import { failureOf, TROUBLE } from './errors.ts';

/** Where YouTube is, and how long to wait for it. */
export interface YouTubePlace {
  readonly api: string;
  readonly upload: string;
  readonly site: string;
  /** Of the one call that publishes. */
  readonly publishTimeoutMs: number;
  readonly waitFactor: number;
}

export function placeOf(endpoints: NetworkEndpoints, options: AdapterOptions): YouTubePlace {
  const { api, site } = endpoints;
  return {
    api,
    site,
    upload: hostOf(endpoints, 'upload'),
    publishTimeoutMs: options.publishTimeoutMs ?? PUBLISH_TIMEOUT_MS,
    waitFactor: options.waitFactor ?? 1,
  };
}

/** Google has a host for each of these. */
export function hostOf({ hosts }: Pick<NetworkEndpoints, 'hosts'>, name: 'token' | 'upload' | 'analytics'): string {
  const host = hosts[name];
  if (host === undefined) throw new Error(`youtube without its ${name} address`);
  return host;
}

/** One Variant on its way to one channel. */
export interface YouTubeWork {
  readonly at: YouTubePlace;
  readonly publication: Publication;
}

export function googleGet(
  http: HttpClient,
  accessToken: string,
  url: string,
  query: Readonly<Record<string, string>>,
): Promise<CallResult> {
  return call(http, {
    method: 'GET',
    url: `${url}?${new URLSearchParams(query)}`,
    headers: { authorization: `Bearer ${accessToken}` },
    timeoutMs: CALL_TIMEOUT_MS,
  });
}

export function youtubeGet(
  { at, publication }: YouTubeWork,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<CallResult> {
  return googleGet(publication.http, publication.accessToken, at.api + path, query);
}

export interface Refused {
  readonly kind: 'failed';
  readonly failure: Failure;
  readonly summary: CallSummary;
}

/** A call that did not do what it should, as a failure; `meaning`: how its answer is understood. */
export function refusedCall(
  called: CallResult,
  now: number,
  secrets: readonly string[],
  meaning: (answer: HttpAnswer, now: number) => Failure = failureOf,
): Refused {
  const failure: Failure = called.kind === 'lost' ? { ...TROUBLE, detail: called.message } : meaning(called, now);
  const summary = summaryOf(called, failure.detail, secrets);
  return { kind: 'failed', failure: { ...failure, detail: summary.detail }, summary };
}
