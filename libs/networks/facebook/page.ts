import type {
  ArmedCall,
  NetworkEndpoints,
  PrepareAnswer,
  Publication,
  PublishAnswer,
  ReconcileAnswer,
} from '../contract/adapter.ts';
import type { CallResult } from '../http/call.ts';
import { refusedCall, unpublished, unread, type Refused } from '../graph/calls.ts';
import { versioned } from '../graph/version.ts';
import { PUBLISH_TIMEOUT_MS, type AdapterOptions } from '../contract/waits.ts';
import { failureOf } from './errors.ts';
import { write, type FacebookHandle } from './handle.ts';

/** Where Facebook is, and how long to wait for it. */
export interface FacebookPlace {
  /** With the version. */
  readonly graph: string;
  /** The same for the bytes of feed videos. */
  readonly video: string;
  readonly site: string;
  /** Our own addresses of Facebook, which an upload address may be under. */
  readonly own: readonly string[];
  readonly publishTimeoutMs: number;
  readonly waitFactor: number;
}

export function placeOf({ api, site, hosts }: NetworkEndpoints, options: AdapterOptions): FacebookPlace {
  const video = hosts['video'] ?? api;
  return {
    graph: versioned(api),
    video: versioned(video),
    site,
    own: [api, video],
    publishTimeoutMs: options.publishTimeoutMs ?? PUBLISH_TIMEOUT_MS,
    waitFactor: options.waitFactor ?? 1,
  };
}

/** One Variant on its way to one Page. */
export interface PageWork {
  readonly at: FacebookPlace;
  readonly publication: Publication;
}

/** How one kind of post is published. */
export interface PageKind<H extends FacebookHandle> {
  readonly prepare: (work: PageWork, handle: H | null) => Promise<PrepareAnswer>;
  readonly publish: (work: PageWork, handle: H) => Promise<PublishAnswer>;
  readonly reconcile: (work: PageWork, handle: H, armed: ArmedCall) => Promise<ReconcileAnswer>;
}

/** `{graph}/{page}/<edge>` */
export function pageUrl({ at, publication }: PageWork, edge: string): string {
  return `${at.graph}/${encodeURIComponent(publication.accountId)}/${edge}`;
}

/** Where feed videos are uploaded. */
export function sessionUrl({ at, publication }: PageWork): string {
  return `${at.video}/${encodeURIComponent(publication.accountId)}/videos`;
}

export function objectUrl({ at }: PageWork, id: string): string {
  return `${at.graph}/${encodeURIComponent(id)}`;
}

/** `handle`: what a later try goes on from, null for a fresh start; left out: the one that was given. */
export function refused(
  work: PageWork,
  called: CallResult,
  handle?: FacebookHandle | null,
  secrets: readonly string[] = [],
): Refused & { readonly handle?: string | null } {
  const answer = refusedCall(called, failureOf, [work.publication.accessToken, ...secrets]);
  return handle === undefined ? answer : { ...answer, handle: handle === null ? null : write(handle) };
}

export function notPublished({ publication }: PageWork, called: CallResult): ReturnType<typeof unpublished> {
  return unpublished(called, failureOf, [publication.accessToken]);
}

export function notRead(
  { publication }: PageWork,
  called: CallResult,
  { armedAt, asked }: ArmedCall,
): ReturnType<typeof unread> {
  return unread(called, failureOf, [publication.accessToken], { armedAt, asked, now: publication.now });
}

/** Facebook gives some links without their host. */
export function linkOf(site: string, link: string | null): string | null {
  if (link === null) return null;
  return link.startsWith('/') ? `${site}${link}` : link;
}
