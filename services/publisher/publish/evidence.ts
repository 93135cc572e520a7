import type { Failure } from '#domain/variant/failure.ts';
import type { Evidence } from '#tables/repositories/ledger.ts';
import type { AnsweredStep } from './attempt.ts';

/** The part of a row of evidence that follows from the step itself. */
export function evidenceOf(answered: AnsweredStep): Omit<Evidence, 'attempt' | 'id' | 'armToken' | 'finishedAt'> {
  const { step, startedAt, answer } = answered;
  const published = answer.kind === 'published' ? answer : null;
  return {
    step,
    startedAt,
    outcome: answer.kind,
    detail: detailOf(answered),
    remoteId: published?.remoteId ?? null,
    permalink: published?.permalink ?? null,
    failure: failureOf(answered),
    // The row may not have it yet.
    ...(answer.kind === 'accepted' && answer.handle !== undefined && { handle: answer.handle }),
  };
}

function detailOf({ step, answer }: AnsweredStep): string {
  if (step !== 'verdict') return answer.summary.detail;
  return answer.kind === 'published' ? '' : answer.detail;
}

/** What the Network's answer means, where it refused, or would have if nothing was published. */
function failureOf(answered: AnsweredStep): Failure | null {
  // A verdict is no answer, and a duplicate's refusal stands in the evidence of its own call.
  if (answered.step === 'verdict') return null;
  if (answered.step === 'reconcile' && answered.subject.kind === 'duplicate') return null;
  if (answered.answer.kind === 'failed') return answered.answer.failure;
  return answered.step === 'publish' && answered.answer.kind === 'unknown' ? (answered.answer.ifAbsent ?? null) : null;
}
