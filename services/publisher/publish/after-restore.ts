import { existedAtBackup, unknownSince, wasDueMeanwhile, type Restoration } from '#domain/restoration.ts';
import type { Arm } from '#tables/repositories/ledger.ts';
import type { Attempt, AttemptJob, RestoredReading, Step } from './attempt.ts';
import { UNCONFIRMED_AFTER_RESTORE } from './verdicts.ts';
import { inReach } from './arms.ts';

/**
 * When the Variant or comment of a job was first due, if that was between backup and release, so that the other
 * installation may have published it; else null. Rejects with `PortError`.
 */
export type FirstDueAt<Job> = (job: Job, restoration: Restoration) => Promise<number | null>;

/** What a restore means for the attempt; null: nothing. Rejects with `PortError`. */
export async function readRestored<Job extends AttemptJob>(
  job: Job,
  restoration: Restoration | null,
  { now, firstDueAt }: { readonly now: number; readonly firstDueAt: FirstDueAt<Job> },
): Promise<RestoredReading | null> {
  if (restoration === null || !existedAtBackup(restoration, job.variantId)) return null;
  const { restoredAt, released } = restoration;
  const backupAt = unknownSince(restoration);
  // Due shortly after the release, it was fired before it by a clock that leads, or is a retry that this installation
  // made: then the first attempt is what may be live.
  const isBefore = released === null || job.dueAt <= released.at;
  const first = isBefore ? null : await firstDueAt(job, restoration);
  if (first === null && !wasDueMeanwhile(restoration, job.dueAt)) return null;
  return {
    restoredAt,
    backupAt,
    overdue: released?.overdue ?? null,
    // Of a later attempt the copy knows all that was done before the backup.
    since: isBefore ? job.dueAt : Math.max(Math.min(first ?? job.dueAt, job.dueAt), backupAt),
    until: released?.at ?? now,
    isTold: job.reconcileFirst && !isBefore,
  };
}

/** Whether it must become known what another installation did before anything is sent. */
export function isUnsettled({ restored }: Pick<Attempt, 'restored'>, arm: Arm): boolean {
  return restored !== null && restored.overdue !== 'publish' && arm.settledRestore !== restored.restoredAt;
}

/** The first step of an attempt that is unsettled, once nothing is held. */
export function beginAfterRestore(restored: RestoredReading | null, arm: Arm): Step {
  if (restored === null) throw new Error('only a restore leaves an attempt unsettled');
  const asking = withSought(restored, arm);
  // A Member who was told that it may be live decides for themself.
  if (restored.overdue === 'fail' && !restored.isTold)
    return { kind: 'close', arm: asking, verdict: UNCONFIRMED_AFTER_RESTORE };
  return { kind: 'get-tokens', arm: asking };
}

function withSought({ restoredAt, since }: RestoredReading, arm: Arm): Arm {
  const { earlier } = arm;
  if (earlier?.restored === restoredAt && !earlier.settled) return arm;
  const handle = arm.handle ?? earlier?.handle ?? null;
  const armedAt = Math.min(since, earlier?.armedAt ?? since);
  return { ...arm, asked: 0, earlier: { handle, armedAt, settled: false, restored: restoredAt } };
}

/** The arm from which the attempt goes on as any other. */
export function settled({ arm, restored }: Attempt, handle: string | null): Arm {
  const earlier = arm.earlier === null ? null : { ...arm.earlier, settled: true };
  return { ...inReach(arm), handle, asked: 0, earlier, settledRestore: restored!.restoredAt };
}
