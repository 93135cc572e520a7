import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { PublishVariant } from '#messages/messages.ts';
import type { Arm, ArmRow } from '#tables/repositories/ledger.ts';

/** What an attempt works on: its own row as it stands, or a fresh start over an older attempt's. */
export function ownArm(row: ArmRow | null, job: PublishVariant): Arm {
  if (row?.attempt === job.attempt) return row;
  const fresh: Arm = {
    attempt: job.attempt,
    stage: 'preparing',
    handle: null,
    armedAt: 0,
    armToken: '',
    sendBefore: 0,
    notBefore: 0,
    asked: 0,
    failures: 0,
    refreshed: false,
    earlier: null,
    verdict: null,
  };
  return row === null || !job.reconcileFirst ? fresh : { ...fresh, earlier: mayBeLive(row) };
}

/**
 * What the attempts so far may have left on the Network: asked about as one, by the newest handle since the first arm.
 */
function mayBeLive(row: ArmRow): Arm['earlier'] {
  const failed = row.stage === 'preparing' || row.verdict?.kind === 'failed';
  if (failed || row.armedAt === 0) return row.earlier === null ? null : { ...row.earlier, settled: false };
  return { handle: row.handle, armedAt: row.earlier?.armedAt ?? row.armedAt, settled: false };
}

export function armedWith(arm: Arm, armToken: string, armedAt: number, sendBefore: number): Arm {
  return { ...arm, stage: 'armed', armToken, armedAt, sendBefore, notBefore: 0, asked: 0 };
}

const MAX_UNSENT = 10_000;

/**
 * Tokens of arms that this process wrote, or may have written, and never sent under: whoever finds such a row armed may
 * take it back without asking the Network. Known in memory only: after a crash nobody can say so.
 */
export class UnsentArms {
  readonly #tokens = createBoundedMap<string, true>(MAX_UNSENT);

  add(armToken: string): void {
    this.#tokens.set(armToken, true);
  }

  /** From now on it may be sent under. */
  delete(armToken: string): void {
    this.#tokens.delete(armToken);
  }

  has(armToken: string): boolean {
    return this.#tokens.has(armToken);
  }
}
