import type { Backoff } from '#concurrency/backoff.ts';
import type { Failure } from '#domain/variant/failure.ts';
import { MAY_BE_LIVE, NOT_PUBLISHED_AGAIN, unknownSinceBackup } from '#domain/variant/may-be-live.ts';
import type { Evidence, ArmVerdict } from '#tables/repositories/ledger.ts';

export const MISSED_WINDOW: ArmVerdict = {
  kind: 'failed',
  reason: 'missed_window',
  detail: 'It could not be published in time, and publishing it later was not allowed.',
};

export function stillUnknown(detail: string): ArmVerdict {
  return { kind: 'unconfirmed', detail: `The Network never said whether it was published (${detail}). ${MAY_BE_LIVE}` };
}

/** Of what the installation that this one is a copy of may have published. */
export function unknownAfterRestore(detail: string): ArmVerdict {
  return { kind: 'unconfirmed', detail: unknownSinceBackup(detail), isRestored: true };
}

export const UNCONFIRMED_AFTER_RESTORE: ArmVerdict = {
  kind: 'unconfirmed',
  detail: NOT_PUBLISHED_AGAIN,
  isRestored: true,
};

/** The least wait after a refusal that may pass: 1 s, 2 s, 4 s ... 5 min. */
export const REFUSAL_BACKOFF: Backoff = { firstMs: 1_000, maxMs: 5 * 60_000 };

const PROVEN_ABSENT: Failure = { reason: 'needs_reconnect', detail: '', retry: 'afterReconnect' };

/**
 * Why an armed attempt was certainly not published, by its evidence: the Network refused it, or proved it absent when
 * no sender could be at work any more. Null: it may be live.
 */
export function refusalIn(steps: readonly Evidence[], armToken: string): Failure | null {
  const own = steps.filter((step) => step.armToken === armToken);
  const answered = own.find(({ step }) => step === 'publish');
  if (answered?.outcome === 'failed') return answered.failure;
  const absent = own.some(({ step, outcome }) => step === 'reconcile' && outcome === 'absent');
  return absent ? (answered?.failure ?? PROVEN_ABSENT) : null;
}
