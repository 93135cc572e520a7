import assert from 'node:assert/strict';
import { MAX_APART_MS } from '#domain/workspace/clock-skew.ts';
import { timersAfterEarly } from '#domain/workspace/woken-early.ts';
import { backoffMs } from '#concurrency/backoff.ts';
import type { PrepareAnswer, PublishAnswer, ReconcileAnswer } from '#networks/contract/adapter.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import type { Failure } from '#domain/variant/failure.ts';
import { MAY_BE_LIVE } from '#domain/variant/may-be-live.ts';
import type { Renditions } from '#ports/rendition-source.ts';
import type { Arm, ArmRow, ArmVerdict, Evidence } from '#tables/repositories/ledger.ts';
import { beginAfterRestore, isUnsettled, settled } from './after-restore.ts';
import { inReach, ownArm, provenAbsent, refusedFor } from './arms.ts';
import type { AnsweredStep, Attempt, AttemptJob, Finding, ReconcileSubject, Step } from './attempt.ts';
import { nextHeldLook } from './next-held-look.ts';
import type { Obstacle } from './throttle.ts';
import { MISSED_WINDOW, REFUSAL_BACKOFF, refusalIn, stillUnknown, unknownAfterRestore } from './verdicts.ts';

/** A sender that was held up longer than this after arming must not send. */
const SEND_WITHIN_MS = 5_000;
/** Without a usable token the Network can not be asked; once that lasts so long the attempt ends unconfirmed. */
const GIVE_UP_ASKING_MS = 15 * 60_000;
const ASK_AGAIN_MS = 60_000;
/** What a dead process had sent is acted upon by the Network within this, or never. */
const SETTLE_AFTER_DEATH_MS = 3_000;
/** The same of a call that took all its time. */
const SETTLE_AFTER_CALL_MS = 5_000;

type Unusable = Exclude<TokensAnswer, { kind: 'ok' }>;
type Unavailable = Extract<TokensAnswer, { kind: 'unavailable' }>;

/**
 * The one step that is safe from where an attempt is, whatever happened to it before.
 *
 * No arm, or one of an older attempt -> prepare (repeatable) -> arm (compare-and-set) -> the irreversible call, once ->
 * evidence -> verdict. An arm without evidence: the call may have been made, so it is not made again before the Network
 * was asked, and the Network is not asked before the sender's deadline, its call's time-out and the clocks' skew are
 * over. Every wait is a timer; a job that comes before `notBefore` leaves a timer and ends.
 */
export function nextStep(attempt: Attempt, finding: Finding, now: number): Step {
  switch (finding.kind) {
    case 'arm-read':
      return fromRow(attempt, finding.isUnsent, now);
    case 'evidence-read':
      return attempt.arm.stage === 'armed' ? findOut(attempt, now) : askAboutEarlier(attempt, now);
    case 'tokens':
      return afterTokens(attempt, finding.tokens, now);
    case 'files':
      return afterFiles(attempt, finding.renditions, now);
    case 'throttle':
      return finding.obstacle === null ? { kind: 'prepare' } : heldBack(attempt, finding.obstacle, now);
    case 'quota':
      if (attempt.brake.isHeld || attempt.isDisconnected) return keptBack(attempt, attempt.arm, now);
      if (finding.obstacle !== null) return heldBack(attempt, finding.obstacle, now);
      assert(!isUnsettled(attempt, attempt.arm), 'the Network is asked before anything of before a restore is sent');
      return { kind: 'arm', armedAt: now, sendBefore: now + SEND_WITHIN_MS };
    case 'armed':
      return { kind: 'ask-brake', row: finding.row };
    case 'brake':
      // Held up: another worker may soon assume that the call was made. Held: nothing may become visible any more.
      return attempt.brake.isHeld || now >= finding.row.sendBefore || finding.armedForMs >= SEND_WITHIN_MS
        ? takeBack(finding.row)
        : { kind: 'publish' };
    case 'answered':
      return isWorthARow(finding.answered)
        ? { kind: 'write-evidence', answered: finding.answered }
        : afterAnswer(attempt, finding.answered, now);
    case 'evidence-written':
      return afterAnswer(attempt, finding.answered, now);
    case 'pause':
      if (finding.forMs > 0) return wait(attempt.arm, finding.forMs);
      if (finding.subject.kind === 'restored') return reconcileEarlier(attempt.arm, finding.subject, now);
      return {
        kind: 'reconcile',
        arm: attempt.arm,
        armed: {
          ...outOfReach(attempt.arm, now),
          isSenderDead: isOfTheDead(attempt),
          clockSkewMs: skewOf(attempt),
        },
        subject: finding.subject,
      };
    case 'refreshed':
      return afterRefresh(attempt, finding.tokens, now);
    case 'waiting':
      return finding.delayMs > 0 ? { kind: 'wake', at: [finding.until] } : { kind: 'read-arm' };
    case 'closed':
      return { kind: 'write-evidence', answered: { step: 'verdict', startedAt: now, answer: finding.verdict } };
    case 'moved':
    case 'lost':
      return { kind: 'read-arm' };
    case 'left':
      return { kind: 'end' };
  }
}

function fromRow(attempt: Attempt, isUnsent: boolean, now: number): Step {
  const { job, row } = attempt;
  if (row === null || row.attempt < job.attempt) return beginPreparing(attempt, now);
  if (row.attempt > job.attempt) return { kind: 'end' };
  if (row.givenBack === true) return { kind: 'report-given-back' };
  if (row.stage === 'closed') return { kind: 'conclude', verdict: row.verdict! };
  if (now < row.notBefore) return tooSoon(job, row.notBefore, now);
  if (row.stage === 'preparing') return beginPreparing(attempt, now);
  return isUnsent ? takeBack(row) : { kind: 'read-evidence', arm: row };
}

function beginPreparing(attempt: Attempt, now: number): Step {
  const { job, row, brake } = attempt;
  const arm = ownArm(row, job);
  if (!brake.isHeld && isUnsettled(attempt, arm)) return beginAfterRestore(attempt.restored, arm);
  if (brake.isHeld || attempt.isDisconnected) return keptBack(attempt, arm, now);
  return now > latestStartOf(attempt) ? close(arm, MISSED_WINDOW) : { kind: 'get-tokens', arm };
}

/** The missed window stands still while publishing is held. */
function latestStartOf({ job, brake }: Attempt): number {
  return job.latestStart + brake.heldMs;
}

/**
 * Nothing may be sent now, since publishing is held, or the Channel was disconnected. What may be live already stays
 * with the publisher: given back it would be as any Variant that waits, which is edited, and cancelled, as not sent.
 */
function keptBack(attempt: Attempt, arm: Arm, now: number): Step {
  if (arm.mayBeLive !== true) return giveBack(arm);
  if (attempt.isDisconnected) return close(arm, stillUnknown('the Channel was disconnected'));
  const at = nextHeldLook(now);
  return hasHandleOf(attempt.row, arm) ? { kind: 'wake', at: [at] } : wait(prepareAgain(arm), at - now);
}

/**
 * To the Workspace, which makes another attempt due once nothing is held, or ends the Variant with its Channel's
 * Disconnect: nothing was published under this arm.
 */
function giveBack(arm: Arm): Step {
  return { kind: 'give-back', arm: { ...arm, stage: 'preparing', givenBack: true } };
}

/** Nothing was sent under this arm, so the attempt goes on before it, if the row still is ours. */
function takeBack(row: ArmRow): Step {
  return { kind: 'move', arm: { ...row, stage: 'preparing' } };
}

/** Armed: the ledger may know what became of the call; else the Network is asked, once no sender can be at it. */
function findOut(attempt: Attempt, now: number): Step {
  const { job, arm } = attempt;
  const published = publishedIn(attempt.evidence.filter((step) => step.attempt === job.attempt));
  if (published !== null) return { kind: 'conclude', verdict: published };
  const answer = answerUnder(attempt);
  // Armed by the installation that this one is a copy of, which may have gone on, with a handle that is not known here.
  if (isUnsettled(attempt, arm)) return { kind: 'move', arm: { ...withHandle(arm, answer ?? {}), stage: 'preparing' } };
  const quietAt = quietAtOf(attempt);
  if (answer === undefined && now < quietAt) return tooSoon(job, quietAt, now);
  return { kind: 'get-tokens', arm: withHandle(arm, answer ?? {}) };
}

/**
 * From when on no call under this arm can be on its way to the Network. A process that is known to be dead sends
 * nothing more; what it had sent is given the time that a Network takes to act on it.
 */
function quietAtOf(attempt: Attempt): number {
  const { arm, publishTimeoutMs, soleProcess } = attempt;
  const settleMs = Math.max(SETTLE_AFTER_CALL_MS, skewOf(attempt));
  const quietAt = arm.sendBefore + (arm.callTimeoutMs ?? publishTimeoutMs) + settleMs;
  return isOfTheDead(attempt) ? Math.min(quietAt, soleProcess!.startedAt + SETTLE_AFTER_DEATH_MS) : quietAt;
}

function isOfTheDead({ arm, soleProcess }: Attempt): boolean {
  return soleProcess !== null && arm.process !== undefined && arm.process !== soleProcess.id;
}

/**
 * By how much the clock of the process that armed it may differ from ours: what is asked or proven too early by one of
 * them may be published twice. Where one process does everything, or armed it itself, one clock tells all instants.
 */
function skewOf({ soleProcess, isOwnArm }: Attempt): number {
  return soleProcess === null && !isOwnArm ? MAX_APART_MS : 0;
}

/**
 * A Member asked for another attempt after one that may be live. Only what the Network proves, or that it can not tell,
 * lets the new one go on.
 */
function askAboutEarlier(attempt: Attempt, now: number): Step {
  const { arm, evidence } = attempt;
  // An earlier sender's answer may have come after all its successors stopped waiting for it, and while this one waits.
  const published = publishedIn(evidence);
  if (published !== null) return close(arm, published);
  if (arm.earlier!.settled) return { kind: 'ask-throttle' };
  if (isUnsettled(attempt, arm)) return { kind: 'ask-pause', arm, subject: { kind: 'restored' } };
  return reconcileEarlier(arm, { kind: 'earlier' }, now);
}

function reconcileEarlier(arm: Arm, subject: ReconcileSubject, now: number): Step {
  const { handle, armedAt } = arm.earlier!;
  const { asked, outOfReachSince } = outOfReach(arm, now);
  return { kind: 'reconcile', arm, armed: { handle, armedAt, asked, outOfReachSince }, subject };
}

/** As it is if the Network tells nothing now. */
function outOfReach(arm: Arm, now: number) {
  return { ...arm, outOfReachSince: arm.outOfReachSince ?? now };
}

function afterTokens(attempt: Attempt, tokens: TokensAnswer, now: number): Step {
  if (tokens.kind === 'ok') return { kind: 'get-files' };
  if (attempt.arm.stage === 'armed') return cannotAsk(attempt, tokens, now);
  if (tokens.kind === 'needs_reconnect' && isUnsettled(attempt, attempt.arm))
    return { kind: 'mark-channel', then: close(attempt.arm, unknownAfterRestore(tokens.detail)) };
  return tokens.kind === 'needs_reconnect'
    ? needsReconnect(attempt.arm, tokens.detail)
    : waitForTokens(attempt, attempt.arm, tokens, now);
}

/** Nothing can be sent without a token: where waiting for one would take too long, its want is the reason. */
function waitForTokens(attempt: Attempt, arm: Arm, { delayMs, detail }: Unavailable, now: number): Step {
  const isTooLate = now + delayMs > latestStartOf(attempt) && !isUnsettled(attempt, arm);
  return isTooLate ? close(arm, failed({ reason: 'platform_problem', detail })) : wait(arm, delayMs);
}

/** What the Network refused was not published, whether or not it can still be asked. */
function cannotAsk(attempt: Attempt, tokens: Unusable, now: number): Step {
  const { arm, evidence, job } = attempt;
  const refused = refusalIn(
    evidence.filter((step) => step.attempt === job.attempt),
    arm.armToken,
  );
  // A duplicate of an attempt that may be live says nothing about that one.
  if (refused === null || (refused.duplicate === true && arm.earlier !== null)) {
    const lost = outOfReach(arm, now);
    const then =
      now > lost.outOfReachSince + GIVE_UP_ASKING_MS
        ? close(arm, stillUnknown(tokens.detail))
        : wait(lost, tokens.kind === 'unavailable' ? tokens.delayMs : ASK_AGAIN_MS);
    return tokens.kind === 'needs_reconnect' ? { kind: 'mark-channel', then } : then;
  }
  if (refused.retry === 'never') return close(arm, failed(refused));
  if (tokens.kind === 'needs_reconnect') return needsReconnect(arm, tokens.detail);
  return waitForTokens(attempt, prepareAgain(arm), tokens, now);
}

function afterFiles(attempt: Attempt, renditions: Renditions, now: number): Step {
  const { arm } = attempt;
  // What was armed had its files; if they are gone meanwhile, they are not what is asked about.
  if (arm.stage === 'armed') {
    const answer = answerUnder(attempt);
    if (answer?.outcome === 'failed' && answer.failure !== null)
      return afterFailure(attempt, refusedFor(answer.failure, arm), answer.failure, now);
    return { kind: 'ask-pause', arm, subject: { kind: 'armed', ifAbsent: answer?.failure ?? null } };
  }
  if (renditions.kind === 'pending') return wait(arm, renditions.delayMs);
  if (renditions.kind === 'failed' && isUnsettled(attempt, arm))
    return close(arm, unknownAfterRestore(renditions.detail));
  if (renditions.kind === 'failed') return close(arm, failed({ reason: 'media_problem', detail: renditions.detail }));
  return arm.earlier === null ? { kind: 'ask-throttle' } : { kind: 'read-evidence', arm };
}

function hasHandleOf(row: ArmRow | null, arm: Arm): boolean {
  return arm.handle === (row?.handle ?? null);
}

/** Being held back costs an attempt nothing but time, so the row is written only to keep a new handle. */
function heldBack(attempt: Attempt, { forMs, reason, detail }: Obstacle, now: number): Step {
  const { row, arm } = attempt;
  if (now + forMs > latestStartOf(attempt)) return close(arm, failed({ reason, detail }));
  if (hasHandleOf(row, arm)) return { kind: 'wake', at: [now + forMs] };
  return wait(prepareAgain(arm), forMs);
}

function afterAnswer(attempt: Attempt, answered: AnsweredStep, now: number): Step {
  switch (answered.step) {
    case 'prepare':
      return afterPrepare(attempt, answered.answer, now);
    case 'publish':
      return afterPublish(attempt, answered.answer, now);
    case 'verdict':
      return { kind: 'conclude', verdict: answered.answer };
    case 'reconcile':
      break;
  }
  const { subject, answer } = answered;
  switch (subject.kind) {
    case 'armed':
      return afterReconcile(attempt, subject.ifAbsent, answer, now);
    case 'earlier':
      return afterEarlier(attempt.arm, answer, now);
    case 'restored':
      return afterSearch(attempt, answer, now);
    case 'duplicate':
      if (answer.kind === 'published') return close(attempt.arm, verdictOf(answer));
      // By a list, as after a restore: what the Network refused it for belongs to another Variant.
      if (answer.kind === 'absent' && attempt.arm.earlier?.restored !== undefined)
        return close(attempt.arm, failed(subject.refusal));
      return close(attempt.arm, { kind: 'unconfirmed', detail: `${subject.refusal.detail} ${MAY_BE_LIVE}` });
  }
}

function afterPrepare(attempt: Attempt, answer: PrepareAnswer, now: number): Step {
  const arm = withHandle(attempt.arm, answer);
  switch (answer.kind) {
    case 'ready':
      return { kind: 'take-quota', arm };
    case 'wait':
      return wait(arm, answer.delayMs);
    case 'failed':
      return afterFailure(attempt, arm, answer.failure, now);
  }
}

function afterPublish(attempt: Attempt, answer: PublishAnswer, now: number): Step {
  switch (answer.kind) {
    case 'published':
      return { kind: 'conclude', verdict: verdictOf(answer) };
    case 'failed':
      return afterRefusal(attempt, answer, now);
    case 'accepted':
      return wait(withHandle(attempt.arm, answer), answer.delayMs);
    case 'unknown':
      return { kind: 'ask-pause', arm: attempt.arm, subject: { kind: 'armed', ifAbsent: answer.ifAbsent ?? null } };
  }
}

function afterReconcile(attempt: Attempt, ifAbsent: Failure | null, answer: ReconcileAnswer, now: number): Step {
  const { arm } = attempt;
  switch (answer.kind) {
    case 'published':
      return { kind: 'conclude', verdict: verdictOf(answer) };
    case 'failed':
      return afterRefusal(attempt, answer, now);
    case 'absent':
      if (ifAbsent !== null) return afterFailure(attempt, provenAbsent(arm), ifAbsent, now);
      return now > latestStartOf(attempt) ? close(provenAbsent(arm), MISSED_WINDOW) : sendAgain(provenAbsent(arm));
    case 'unknown':
      if (answer.delayMs === null) return close(arm, stillUnknown(answer.summary.detail));
      return askAgain(outOfReach(arm, now), answer.delayMs, answer.tokenRefused === true);
    case 'processing':
      return askAgain(inReach(arm), answer.delayMs, false);
  }
}

function afterEarlier(arm: Arm, answer: ReconcileAnswer, now: number): Step {
  if (answer.kind === 'published') return close(arm, verdictOf(answer));
  if (answer.kind === 'processing') return askAgain(inReach(arm), answer.delayMs, false);
  if (answer.kind === 'unknown' && answer.delayMs !== null)
    return askAgain(outOfReach(arm, now), answer.delayMs, answer.tokenRefused === true);
  const earlier = { ...arm.earlier!, settled: true };
  const next: Arm = { ...inReach(arm), handle: answer.kind === 'absent' ? earlier.handle : null, asked: 0, earlier };
  // What may still go live is sent once more, in place of another one.
  const isRepeated = answer.kind === 'failed' && answer.failure.mayBeLive === true;
  return { kind: 'move', arm: isRepeated ? refusedFor(answer.failure, withHandle(next, answer)) : next };
}

/** What the installation that this one is a copy of did: proven, or unconfirmed, or known to a Member as such. */
function afterSearch(attempt: Attempt, answer: ReconcileAnswer, now: number): Step {
  const { arm } = attempt;
  switch (answer.kind) {
    case 'published':
      return close(arm, verdictOf(answer));
    case 'processing':
      return askAgain(inReach(arm), answer.delayMs, false);
    case 'absent':
    case 'failed':
      return { kind: 'move', arm: settled(attempt, answer.kind === 'absent' ? arm.earlier!.handle : null) };
    case 'unknown':
      if (answer.delayMs !== null) return askAgain(outOfReach(arm, now), answer.delayMs, answer.tokenRefused === true);
      if (attempt.restored?.isTold !== true) return close(arm, unknownAfterRestore(answer.summary.detail));
      return { kind: 'move', arm: settled(attempt, null) };
  }
}

function askAgain(asked: Arm, delayMs: number, tokenRefused: boolean): Step {
  const arm = { ...asked, asked: asked.asked + 1 };
  const then = wait(arm, delayMs);
  return tokenRefused ? { kind: 'refresh-tokens', arm, then } : then;
}

/** At once the first time, then after growing waits: a Network in trouble is not called in a tight loop. */
function sendAgain(armed: Arm): Step {
  const arm = { ...armed, failures: armed.failures + 1 };
  return armed.failures === 0
    ? { kind: 'take-quota', arm }
    : wait(prepareAgain(arm), backoffMs(REFUSAL_BACKOFF, armed.failures));
}

type Refusal = Extract<PublishAnswer | ReconcileAnswer, { kind: 'failed' }>;

/** The Network refused the irreversible call, or came to an end with what it was sent by it. */
function afterRefusal(attempt: Attempt, answer: Refusal, now: number): Step {
  const { failure } = answer;
  return afterFailure(attempt, refusedFor(failure, withHandle(attempt.arm, answer)), failure, now);
}

/** The Network refused. `arm`: with the handle that its answer leaves. */
function afterFailure(attempt: Attempt, arm: Arm, failure: Failure, now: number): Step {
  // Refused as a duplicate after an attempt that may be live: it is evidence of that one, not a refusal.
  if (failure.duplicate === true && arm.earlier !== null)
    return reconcileEarlier(arm, { kind: 'duplicate', refusal: failure }, now);
  switch (failure.retry) {
    case 'never':
      return close(arm, failed(failure));
    case 'afterReconnect':
      return needsReconnect(arm, failure.detail);
    case 'once':
    case 'later': {
      if (failure.retry === 'once' && arm.failures > 0) return close(arm, failed(failure));
      const delayMs = Math.max(failure.delayMs ?? 0, backoffMs(REFUSAL_BACKOFF, arm.failures));
      const giveUpAt = attempt.job.dueAt + (failure.giveUpAfterMs ?? Infinity);
      if (now + delayMs > Math.min(latestStartOf(attempt), giveUpAt)) return close(arm, failed(failure));
      return wait({ ...prepareAgain(arm), failures: arm.failures + 1 }, delayMs);
    }
    case 'refresh':
      if (arm.refreshed) return needsReconnect(arm, failure.detail);
      return { kind: 'refresh-tokens', arm, then: null };
  }
}

/** After a refusal of the token. */
function afterRefresh(attempt: Attempt, tokens: TokensAnswer, now: number): Step {
  const { arm } = attempt;
  if (tokens.kind === 'needs_reconnect') return needsReconnect(arm, tokens.detail);
  if (tokens.kind === 'ok') return wait({ ...prepareAgain(arm), refreshed: true }, 0);
  return waitForTokens(attempt, { ...prepareAgain(arm), refreshed: false }, tokens, now);
}

function needsReconnect(arm: Arm, detail: string): Step {
  return { kind: 'mark-channel', then: close(arm, failed({ reason: 'needs_reconnect', detail })) };
}

/**
 * The job came before `at`: a scheduler whose clock is ahead of ours woke it, or its record was handled again, for
 * which the timer for `at` is set, too.
 */
function tooSoon({ why }: AttemptJob, at: number, now: number): Step {
  return { kind: 'wake', at: why === 'continue' ? [...timersAfterEarly(at, now), at] : [at] };
}

function wait(arm: Arm, delayMs: number) {
  return { kind: 'wait', arm, delayMs } as const;
}

/**
 * A verdict that does not rest on `published` is ours to give only while the row is: a worker that moved it may be
 * publishing. Hence the verdict goes into the row before it is reported. Whatever ends an attempt of which a call may
 * be live, it ends as unconfirmed.
 */
function close(arm: Arm, verdict: ArmVerdict) {
  const isUnknown = arm.mayBeLive === true && verdict.kind === 'failed';
  return { kind: 'close', arm, verdict: isUnknown ? stillUnknown(verdict.detail) : verdict } as const;
}

function prepareAgain(arm: Arm): Arm {
  return { ...arm, stage: 'preparing' };
}

/** What the next try goes on from, where the answer says. */
function withHandle(arm: Arm, answer: { readonly handle?: string | null }): Arm {
  return answer.handle === undefined ? arm : { ...arm, handle: answer.handle };
}

/** A Network with nothing to prepare said nothing worth a row. */
function isWorthARow({ step, answer }: AnsweredStep): boolean {
  return step !== 'prepare' || answer.summary.status !== 0 || answer.kind === 'failed';
}

/** What the irreversible call was answered under the row's own arm; undefined while the ledger has no answer. */
function answerUnder({ job, arm, evidence }: Attempt): Evidence | undefined {
  return evidence.find(
    (each) => each.attempt === job.attempt && each.step === 'publish' && each.armToken === arm.armToken,
  );
}

function publishedIn(evidence: readonly Evidence[]): ArmVerdict | null {
  const published = evidence.find((step) => step.outcome === 'published');
  return published === undefined ? null : verdictOf({ remoteId: published.remoteId!, permalink: published.permalink });
}

function verdictOf({ remoteId, permalink }: { readonly remoteId: string; readonly permalink: string | null }) {
  return { kind: 'published', remoteId, permalink } as const;
}

function failed({ reason, detail }: Pick<Failure, 'reason' | 'detail'>): ArmVerdict {
  return { kind: 'failed', reason, detail };
}
