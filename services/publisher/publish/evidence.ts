import { createBoundedMap } from '#concurrency/bounded-map.ts';
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

const MAX_UNWRITTEN = 10_000;

/**
 * What irreversible calls of this process were answered while the ledger was away. A worker that takes such an attempt
 * up again writes the evidence first, under the same key: without it nobody would know of an answer that was given, and
 * a Network that can not be asked would leave the Variant unconfirmed. Kept in memory only; after a crash the Network
 * is asked.
 */
export class UnwrittenEvidence {
  readonly #byArm = createBoundedMap<string, Evidence>(MAX_UNWRITTEN);

  add(evidence: Evidence): void {
    this.#byArm.set(evidence.armToken, evidence);
  }

  delete(armToken: string): void {
    this.#byArm.delete(armToken);
  }

  under(armToken: string): Evidence | undefined {
    return this.#byArm.get(armToken);
  }
}
