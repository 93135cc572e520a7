import type { CallSummary, Publication } from '../contract/adapter.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import type { AdapterOptions } from '../contract/waits.ts';
import { graphFailure, graphSummary } from '../graph/calls.ts';
import type { CallResult } from '../http/call.ts';
import { failureOf, type ThreadsStep } from './errors.ts';

/** One Variant on its way to one account. */
export interface ThreadsWork extends Required<AdapterOptions> {
  readonly api: string;
  readonly publication: Publication;
}

export function summarize({ publication }: ThreadsWork, called: CallResult, detail: string): CallSummary {
  return graphSummary(called, detail, [publication.accessToken]);
}

/** A call that did not do what it should, as a failure. */
export function refused({ publication }: ThreadsWork, called: CallResult, step: ThreadsStep): FailedAnswer {
  return graphFailure(called, (answer) => failureOf(answer, step), [publication.accessToken]);
}
