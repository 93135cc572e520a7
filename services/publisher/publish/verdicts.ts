import type { Backoff } from '#concurrency/backoff.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { Evidence, ArmVerdict } from '#tables/repositories/ledger.ts';

export const MISSED_WINDOW: ArmVerdict = {
  kind: 'failed',
  reason: 'missed_window',
  detail: 'It could not be published in time, and publishing it later was not allowed.',
};

export const MAY_BE_LIVE =
  'It may be live: look at the account before you retry, because a retry may publish it a second time.';

export function stillUnknown(detail: string): ArmVerdict {
  return { kind: 'unconfirmed', detail: `The Network never said whether it was published (${detail}). ${MAY_BE_LIVE}` };
}

const WAS_RESTORED = 'Crier was restored from a backup, and may have published this after the backup was taken';

/** The Network was asked, and can not tell whether the installation that this one is a copy of published it. */
export function unknownAfterRestore(detail: string): ArmVerdict {
  return { kind: 'unconfirmed', detail: `${WAS_RESTORED} (${detail}). ${MAY_BE_LIVE}`, isRestored: true };
}

/** The Network is not asked: the operator who released the restore chose `fail` for what was overdue. */
export const UNCONFIRMED_AFTER_RESTORE: ArmVerdict = {
  kind: 'unconfirmed',
  detail: `${WAS_RESTORED}. The people who run Crier chose not to publish it again. ${MAY_BE_LIVE}`,
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
