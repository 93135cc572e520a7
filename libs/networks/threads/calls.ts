import type { CallSummary, NetworkEndpoints } from '../contract/adapter.ts';
import type { PublishWork } from '../contract/adapter-of.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import { waitsOf, type AdapterOptions } from '../contract/waits.ts';
import { graphFailure, graphSummary } from '../graph/calls.ts';
import type { CallResult } from '../http/call.ts';
import { failureOf, type ThreadsStep } from './errors.ts';

/** Where Threads is, and how long to wait for it. */
export interface ThreadsPlace extends Required<AdapterOptions> {
  readonly api: string;
}

export function placeOf({ api }: NetworkEndpoints, options: AdapterOptions): ThreadsPlace {
  return { api, ...waitsOf(options) };
}

/** One Variant on its way to one account, or the first comment on one. */
export interface ThreadsWork extends PublishWork<ThreadsPlace> {
  /** The post that it is a reply to. */
  readonly replyTo?: string;
}

export function summarize({ publication }: ThreadsWork, called: CallResult, detail: string): CallSummary {
  return graphSummary(called, detail, [publication.accessToken]);
}

/** A call that did not do what it should, as a failure. */
export function refused({ publication }: ThreadsWork, called: CallResult, step: ThreadsStep): FailedAnswer {
  return graphFailure(called, (answer) => failureOf(answer, step), [publication.accessToken]);
}
