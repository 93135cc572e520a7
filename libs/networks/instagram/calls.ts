import type { PublishWork } from '../contract/adapter-of.ts';
import type { AccountAccess, CallSummary, NetworkEndpoints } from '../contract/adapter.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import { waitsOf, type AdapterOptions } from '../contract/waits.ts';
import { graphFailure, graphSummary } from '../graph/calls.ts';
import { versioned } from '../graph/version.ts';
import type { CallResult } from '../http/call.ts';
import { failureOf, type InstagramStep } from './errors.ts';

/** Where Instagram is, for accounts of either login, and how long to wait for it. */
export interface InstagramPlace extends Required<AdapterOptions> {
  readonly instagram: string;
  readonly facebook: string;
}

export function placeOf({ api, hosts }: NetworkEndpoints, options: AdapterOptions): InstagramPlace {
  return { instagram: versioned(api), facebook: versioned(hosts['facebook'] ?? api), ...waitsOf(options) };
}

/** Something on its way to one account. */
export interface PlacedWork<Content extends AccountAccess> {
  readonly at: InstagramPlace;
  readonly publication: Content;
}

/** One Variant on its way to one account. */
export type AccountWork = PublishWork<InstagramPlace>;

/** Whether an account was connected by Facebook Login, as one that belongs to a Page. */
export function cameByFacebook({ accountFacts }: AccountAccess): boolean {
  return accountFacts['login'] === 'facebook';
}

/** The login by which an account was connected decides the host of its calls, whatever login new accounts use. */
export function objectUrl({ at: place, publication }: PlacedWork<AccountAccess>, id: string): string {
  return `${cameByFacebook(publication) ? place.facebook : place.instagram}/${encodeURIComponent(id)}`;
}

/** `{graph}/{account}/<edge>` */
export function accountUrl(work: AccountWork, edge: string): string {
  return `${objectUrl(work, work.publication.accountId)}/${edge}`;
}

export function summarize({ publication }: AccountWork, called: CallResult, detail: string): CallSummary {
  return graphSummary(called, detail, [publication.accessToken]);
}

/** A call that did not do what it should, as a failure. */
export function refused({ publication }: AccountWork, called: CallResult, step: InstagramStep): FailedAnswer {
  return graphFailure(called, (answer) => failureOf(answer, step), [publication.accessToken]);
}
