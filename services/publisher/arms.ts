import type { PublishVariant } from '#codec/codec.ts';
import type { Arm, ArmRow } from '#tables/ledger.ts';

/** What an attempt works on: its own row as it stands, or a fresh start over an older attempt's. */
export function ownArm(row: ArmRow | null, job: PublishVariant): Arm {
  if (row?.attempt === job.attempt) return row;
  const fresh: Arm = {
    attempt: job.attempt,
    stage: 'preparing',
    handle: null,
    armedAt: 0,
    sendBefore: 0,
    notBefore: 0,
    asked: 0,
    failures: 0,
    refreshed: false,
    earlier: null,
    verdict: null,
  };
  if (row === null || !job.reconcileFirst || row.armedAt === 0) return fresh;
  return { ...fresh, earlier: { handle: row.handle, armedAt: row.armedAt, settled: false } };
}

export function armedWith(arm: Arm, armedAt: number, sendBefore: number): Arm {
  return { ...arm, stage: 'armed', armedAt, sendBefore, notBefore: 0, asked: 0 };
}
