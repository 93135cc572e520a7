import type { PublishWork } from '../contract/adapter-of.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import type { AccountAccess, ArmedCall, NetworkEndpoints } from '../contract/adapter.ts';
import type { CallResult } from '../http/call.ts';
import { graphFailure, unpublished, unread } from '../graph/calls.ts';
import { versioned } from '../graph/version.ts';
import { waitsOf, type AdapterOptions } from '../contract/waits.ts';
import { failureOf } from './errors.ts';
import { write, type FacebookHandle } from './handle.ts';

/** Where Facebook is, and how long to wait for it. */
export interface FacebookPlace extends Required<AdapterOptions> {
  /** With the version. */
  readonly graph: string;
  /** The same for the bytes of feed videos. */
  readonly video: string;
  readonly site: string;
  /** Our own addresses of Facebook, which an upload address may be under. */
  readonly own: readonly string[];
}

export function placeOf({ api, site, hosts }: NetworkEndpoints, options: AdapterOptions): FacebookPlace {
  const video = hosts['video'] ?? api;
  return {
    graph: versioned(api),
    video: versioned(video),
    site,
    own: [api, video],
    ...waitsOf(options),
  };
}

/** One Variant on its way to one Page. */
export type PageWork = PublishWork<FacebookPlace>;

/** Any call for a Page: for a Variant, or for the comment on it. */
export interface PageAccess {
  readonly at: FacebookPlace;
  readonly publication: AccountAccess;
}

/** `{graph}/{page}/<edge>` */
export function pageUrl({ at, publication }: PageAccess, edge: string): string {
  return `${at.graph}/${encodeURIComponent(publication.accountId)}/${edge}`;
}

/** Where feed videos are uploaded. */
export function sessionUrl({ at, publication }: PageWork): string {
  return `${at.video}/${encodeURIComponent(publication.accountId)}/videos`;
}

export function objectUrl({ at }: PageAccess, id: string): string {
  return `${at.graph}/${encodeURIComponent(id)}`;
}

interface RefusedCall {
  /** What a later try goes on from, null for a fresh start; left out: the one that was given. */
  readonly handle?: FacebookHandle | null;
  /** Kept out of the answer, beside the token of the Page. */
  readonly secrets?: readonly string[];
  readonly judge?: typeof failureOf;
}

/** A call that did not do what it should, as a failure. */
export function refused(
  work: PageAccess,
  called: CallResult,
  { handle, secrets = [], judge = failureOf }: RefusedCall = {},
): FailedAnswer & { readonly handle?: string | null } {
  const answer = graphFailure(called, judge, [work.publication.accessToken, ...secrets]);
  return handle === undefined ? answer : { ...answer, handle: handle === null ? null : write(handle) };
}

export function notPublished(
  { publication }: PageAccess,
  called: CallResult,
  judge = failureOf,
): ReturnType<typeof unpublished> {
  return unpublished(called, judge, [publication.accessToken]);
}

/**
 * As `notPublished`, of a call that was made before: this one may be refused while the first one goes live. After what
 * may pass it is made again; otherwise reconciling tells what became of the first.
 */
export function notPublishedAgain(work: PageAccess, called: CallResult): ReturnType<typeof notPublished> {
  const answer = notPublished(work, called);
  if (answer.kind !== 'failed') return answer;
  const { failure, summary } = answer;
  const isTriedAgain = failure.retry === 'later' || failure.retry === 'refresh';
  return isTriedAgain ? { ...answer, failure: { ...failure, mayBeLive: true } } : { kind: 'unknown', summary };
}

export function notRead({ publication }: PageAccess, called: CallResult, armed: ArmedCall): ReturnType<typeof unread> {
  return unread(called, failureOf, [publication.accessToken], { ...armed, now: publication.now });
}

/** Facebook gives some links without their host. */
export function linkOf(site: string, link: string | null): string | null {
  if (link === null) return null;
  return link.startsWith('/') ? `${site}${link}` : link;
}
