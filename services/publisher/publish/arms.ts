import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { Arm, ArmRow } from '#tables/repositories/ledger.ts';
import type { AttemptJob } from './attempt.ts';
import type { RunContext } from './turn-of-channel.ts';

/**
 * Whether the ledger need not be read for an arm: the job is of a first attempt, and the consumer knows of no earlier
 * run of it. If there was one all the same, the first compare-and-set of this run fails, and the arm is read then.
 * Until then this run only makes calls that the Network lets be repeated, and takes uses of its allowance.
 */
export function isFirstRun({ attempt, why }: AttemptJob, { mayBeRepeat }: Pick<RunContext, 'mayBeRepeat'>): boolean {
  return attempt === 1 && why === 'due' && !mayBeRepeat;
}

/** The arm that an attempt goes on from: its own row, or a fresh one over the row of an older attempt. */
export function ownArm(row: ArmRow | null, job: AttemptJob): Arm {
  if (row?.attempt === job.attempt) return row;
  if (row?.givenBack === true) return { ...inReach(row), attempt: job.attempt, givenBack: false, notBefore: 0 };
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
  if (row === null) return fresh;
  const next = row.settledRestore === undefined ? fresh : { ...fresh, settledRestore: row.settledRestore };
  return job.reconcileFirst ? { ...next, earlier: mayBeLive(row) } : next;
}

/** What attempts before may have left live; the Network is asked once, by the newest handle, from the first arm on. */
function mayBeLive(row: ArmRow): Arm['earlier'] {
  const failed = (row.stage === 'preparing' && row.mayBeLive !== true) || row.verdict?.kind === 'failed';
  if (failed || row.armedAt === 0) return row.earlier === null ? null : { ...row.earlier, settled: false };
  return { handle: row.handle, armedAt: row.earlier?.armedAt ?? row.armedAt, settled: false };
}

/** What is known of a call that is about to be made. */
export interface Arming extends Pick<Arm, 'armToken' | 'armedAt' | 'sendBefore'> {
  readonly callTimeoutMs: number;
  readonly process: string | null;
}

export function armedWith({ process: _, ...arm }: Arm, { process, ...arming }: Arming): Arm {
  const owner = process === null ? {} : { process };
  return { ...inReach(arm), stage: 'armed', ...arming, ...owner, notBefore: 0, asked: 0 };
}

/** The Network told something of it. */
export function inReach({ outOfReachSince: _, ...arm }: Arm): Arm {
  return arm;
}

/** Whether a call before the refused one may be live is known anew with each refusal. */
export function refusedFor({ mayBeLive }: Pick<Failure, 'mayBeLive'>, arm: Arm): Arm {
  return mayBeLive === true ? { ...arm, mayBeLive } : provenAbsent(arm);
}

/** Nothing that was sent under it is live, nor will be. */
export function provenAbsent({ mayBeLive: _, ...arm }: Arm): Arm {
  return arm;
}

const MAX_ARMS = 10_000;

/**
 * Tokens of arms that this process wrote, or may have written. Of these, what nothing was sent under is taken back
 * without asking the Network. Kept in memory only, since after a crash it is unknown whether a call was made.
 *
 * A partition that was lost and won back has two runs of one job in a process, as the first one may still be waiting
 * for its store. So a token goes to one of them: to the run that sends under it, or to the one that takes it back.
 */
export class OwnArms {
  readonly #tokens = createBoundedMap<string, 'may be sent' | 'withdrawn' | 'sent'>(MAX_ARMS);

  add(armToken: string): void {
    this.#tokens.set(armToken, 'may be sent');
  }

  /** Whether it was this process that armed it, so that its instants are of one clock with ours. */
  has(armToken: string): boolean {
    return this.#tokens.has(armToken);
  }

  /** Whether nothing was sent under this arm; then nothing will be. */
  withdraw(armToken: string): boolean {
    const state = this.#tokens.get(armToken);
    if (state === undefined || state === 'sent') return false;
    this.#tokens.set(armToken, 'withdrawn');
    return true;
  }

  /** Whether the irreversible call may be made under this arm, which from then on counts as sent. */
  send(armToken: string): boolean {
    if (this.#tokens.get(armToken) !== 'may be sent') return false;
    this.#tokens.set(armToken, 'sent');
    return true;
  }
}
