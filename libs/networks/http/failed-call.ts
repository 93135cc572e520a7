import type { Failure } from '../contract/adapter.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import { TROUBLE_DELAY_MS } from '../contract/waits.ts';
import { summaryOf, type CallResult, type HttpAnswer } from './call.ts';

/**
 * A call that did not do what it should, as a failure. `judge` rates an answer by the Network's own table; a call
 * without an answer is the Network's trouble. `secrets` are kept out of the failure and the summary.
 */
export function failedCall(
  called: CallResult,
  judge: (answer: HttpAnswer) => Failure,
  secrets: readonly string[],
  summarize = summaryOf,
): FailedAnswer {
  const failure: Failure =
    called.kind === 'lost'
      ? { reason: 'platform_problem', retry: 'later', delayMs: TROUBLE_DELAY_MS, detail: called.message }
      : judge(called);
  const summary = summarize(called, failure.detail, secrets);
  return { kind: 'failed', failure: { ...failure, detail: summary.detail }, summary };
}
