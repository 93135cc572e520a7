import type { HttpClient } from '#ports/http-client.ts';
import type { PublishWork } from '../contract/adapter-of.ts';
import type { AccountAccess, Failure, NetworkEndpoints } from '../contract/adapter.ts';
import { call, type HttpAnswer, type CallResult } from '../http/call.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import { failedCall } from '../http/failed-call.ts';
import { CALL_TIMEOUT_MS, waitsOf, type AdapterOptions } from '../contract/waits.ts';
import { failureOf } from './errors.ts';

/** Where YouTube is, and how long to wait for it. */
export interface YouTubePlace extends Required<AdapterOptions> {
  readonly api: string;
  readonly upload: string;
  readonly site: string;
}

export function placeOf(endpoints: NetworkEndpoints, options: AdapterOptions): YouTubePlace {
  const { api, site } = endpoints;
  return { api, site, upload: hostOf(endpoints, 'upload'), ...waitsOf(options) };
}

/** Google has a host for each of these. */
export function hostOf({ hosts }: Pick<NetworkEndpoints, 'hosts'>, name: 'token' | 'upload' | 'analytics'): string {
  const host = hosts[name];
  if (host === undefined) throw new Error(`youtube without its ${name} address`);
  return host;
}

/** One Variant on its way to one channel. */
export type YouTubeWork = PublishWork<YouTubePlace>;

/** Anything that is done for one channel. */
export interface YouTubeCaller {
  readonly at: Pick<YouTubePlace, 'api'>;
  readonly publication: AccountAccess;
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
  { at, publication }: YouTubeCaller,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<CallResult> {
  return googleGet(publication.http, publication.accessToken, at.api + path, query);
}

export function youtubePost(
  { at, publication }: YouTubeCaller,
  path: string,
  json: object,
  timeoutMs = CALL_TIMEOUT_MS,
): Promise<CallResult> {
  return call(publication.http, {
    method: 'POST',
    url: `${at.api}${path}?part=snippet`,
    headers: { authorization: `Bearer ${publication.accessToken}`, 'content-type': 'application/json; charset=UTF-8' },
    body: JSON.stringify(json),
    timeoutMs,
  });
}

/** Where people watch a video. */
export function watchAddress({ site }: Pick<YouTubePlace, 'site'>, video: string): string {
  return `${site}/watch?v=${encodeURIComponent(video)}`;
}

/** A call that did not do what it should, as a failure; `meaning`: how its answer is understood. */
export function youtubeFailure(
  called: CallResult,
  now: number,
  secrets: readonly string[],
  meaning: (answer: HttpAnswer, now: number) => Failure = failureOf,
): FailedAnswer {
  return failedCall(called, (answer) => meaning(answer, now), secrets);
}
