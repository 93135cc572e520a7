import { describe, expect, test } from 'vitest';
import type { PublishAnswer, ReconcileAnswer } from '#networks/contract/adapter.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { Arm, Evidence } from '#tables/repositories/ledger.ts';
import { ownArm } from './arms.ts';
import type { Attempt, AttemptJob, Finding, Step } from './attempt.ts';
import { nextHeldLook } from './next-held-look.ts';
import { nextStep } from './next-step.ts';

const DUE = 1_000_000_000;
const MINUTE = 60_000;
const [IN_TIME, LATE] = [DUE + 5 * MINUTE, DUE + 61 * MINUTE];
const SUMMARY = { status: 200, detail: 'so it says' };

const JOB: AttemptJob = {
  why: 'due',
  workspaceId: 'w',
  variantId: 'v',
  ledgerId: 'v',
  attempt: 1,
  network: 'facebook',
  channelId: 'c',
  accountId: 'a',
  dueAt: DUE,
  latestStart: DUE + 60 * MINUTE,
  reconcileFirst: false,
};
const FRESH = ownArm(null, JOB);
const ARMED: Arm = { ...FRESH, stage: 'armed', handle: 'h', armedAt: DUE, armToken: 'ours', sendBefore: DUE + 5_000 };
/** What was sent shows nowhere, and is about to be sent once more. */
const IN_DOUBT: Arm = { ...ARMED, stage: 'preparing', handle: 'again', failures: 1, mayBeLive: true };

const UNLISTED: Failure = {
  reason: 'platform_problem',
  detail: 'not in the list of Stories',
  retry: 'later',
  delayMs: 0,
  mayBeLive: true,
};
const SPAM: Failure = { reason: 'rejected_by_platform', detail: 'spam', retry: 'never' };
const DEAD_TOKEN: Failure = { reason: 'needs_reconnect', detail: 'dead', retry: 'refresh', mayBeLive: true };

function attemptOf(arm: Arm, more: Partial<Attempt> = {}): Attempt {
  return {
    job: JOB,
    row: { ...arm, version: 1, token: 't' },
    arm,
    evidence: [],
    publishTimeoutMs: MINUTE,
    soleProcess: null,
    isOwnArm: true,
    brake: { isHeld: false, heldMs: 0 },
    restored: null,
    isDisconnected: false,
    ...more,
  };
}

const published = (answer: PublishAnswer): Finding => ({
  kind: 'evidence-written',
  answered: { step: 'publish', startedAt: DUE, answer },
});
const reconciled = (answer: ReconcileAnswer, kind: 'armed' | 'earlier' = 'armed'): Finding => ({
  kind: 'evidence-written',
  answered: {
    step: 'reconcile',
    startedAt: DUE,
    subject: kind === 'armed' ? { kind, ifAbsent: null } : { kind },
    answer,
  },
});
const failed = (failure: Failure, handle?: string | null) =>
  ({ kind: 'failed', failure, summary: SUMMARY, ...(handle === undefined ? {} : { handle }) }) as const;

/** The kind of the verdict that the step closes the arm with. */
function endIn(step: Step): string {
  const closing = step.kind === 'mark-channel' ? step.then : step;
  return closing.kind === 'close' ? closing.verdict.kind : step.kind;
}

describe('what was sent and shows nowhere, and may still go live', () => {
  test('is sent once more while there is time', () => {
    const step = nextStep(attemptOf(ARMED), reconciled(failed(UNLISTED, 'again')), IN_TIME);
    expect(step).toMatchObject({ kind: 'wait', arm: { stage: 'preparing', handle: 'again', mayBeLive: true } });
  });

  test('is unconfirmed when there is no time to send it once more', () => {
    const step = nextStep(attemptOf(ARMED), reconciled(failed(UNLISTED, 'again')), LATE);
    expect(step).toMatchObject({
      kind: 'close',
      arm: { handle: 'again' },
      verdict: { kind: 'unconfirmed', detail: expect.stringMatching(/not in the list of Stories.*may be live/) },
    });
  });

  test('is unconfirmed by the evidence of a refusal, too', () => {
    const call = { attempt: 1, step: 'publish', id: 'e', armToken: 'ours', startedAt: DUE, finishedAt: DUE } as const;
    const told = { outcome: 'failed', detail: '', remoteId: null, permalink: null, failure: UNLISTED } as const;
    const evidence: readonly Evidence[] = [{ ...call, ...told }];
    const files: Finding = { kind: 'files', renditions: { kind: 'ready', files: [] } };
    expect(endIn(nextStep(attemptOf(ARMED, { evidence }), files, LATE))).toBe('unconfirmed');
  });

  const obstacle = { forMs: 10 * MINUTE, why: 'allowance', reason: 'rate_limited', detail: 'no more' } as const;
  const away = { kind: 'unavailable', delayMs: 5_000, detail: 'away' } as const;
  const gone = { kind: 'needs_reconnect', detail: 'gone' } as const;
  test.each<[string, Partial<Attempt>, Finding, number]>([
    ['its time is over', {}, { kind: 'arm-read', isUnsent: false }, LATE],
    ['its Channel was disconnected', { isDisconnected: true }, { kind: 'arm-read', isUnsent: false }, IN_TIME],
    ['the tokens are gone', {}, { kind: 'tokens', tokens: gone }, IN_TIME],
    ['tokens are away for too long', {}, { kind: 'tokens', tokens: away }, LATE],
    ['its files are broken', {}, { kind: 'files', renditions: { kind: 'failed', detail: 'broken' } }, IN_TIME],
    ['it is held back for too long', {}, { kind: 'throttle', obstacle }, DUE + 55 * MINUTE],
    ['preparing it once more is refused', {}, prepared(failed(SPAM)), IN_TIME],
    ['no fresh token is to be had', {}, { kind: 'refreshed', tokens: gone }, IN_TIME],
  ])('is unconfirmed, not failed, where it is not sent once more as %s', (_why, more, finding, now) => {
    expect(endIn(nextStep(attemptOf(IN_DOUBT, more), finding, now))).toBe('unconfirmed');
  });

  const IS_HELD = { isHeld: true, heldMs: 0 };
  const READ: Finding = { kind: 'arm-read', isUnsent: false };
  const QUOTA: Finding = { kind: 'quota', obstacle: null };

  test.each<[string, Partial<Attempt>, Finding]>([
    ['before it is prepared', {}, READ],
    ['before it is armed', {}, QUOTA],
  ])('is not given back while publishing is held, which is looked at again: %s', (_when, more, finding) => {
    const step = nextStep(attemptOf(IN_DOUBT, { brake: IS_HELD, ...more }), finding, IN_TIME);
    expect(step).toEqual({ kind: 'wake', at: [nextHeldLook(IN_TIME)] });
  });

  test('keeps a handle that it was prepared under just before publishing was held', () => {
    const row = { ...IN_DOUBT, version: 1, token: 't' };
    const prepared = { ...IN_DOUBT, handle: 'newer' };
    const step = nextStep(attemptOf(prepared, { row, brake: IS_HELD }), QUOTA, IN_TIME);
    expect(step).toEqual({ kind: 'wait', arm: prepared, delayMs: nextHeldLook(IN_TIME) - IN_TIME });
  });

  test.each<[string, Finding]>([
    ['before it is prepared', READ],
    ['before it is armed', QUOTA],
  ])('is unconfirmed where its Channel was disconnected while publishing is held: %s', (_when, finding) => {
    const attempt = attemptOf(IN_DOUBT, { brake: IS_HELD, isDisconnected: true });
    expect(endIn(nextStep(attempt, finding, IN_TIME))).toBe('unconfirmed');
  });

  test.each<[string, Partial<Attempt>]>([
    ['publishing is held', { brake: IS_HELD }],
    ['its Channel was disconnected', { isDisconnected: true }],
  ])('and an attempt of which nothing may be live is given back where %s', (_why, more) => {
    for (const finding of [READ, QUOTA])
      expect(nextStep(attemptOf(FRESH, more), finding, IN_TIME).kind).toBe('give-back');
  });

  test('is unconfirmed where a fresh token is refused, too', () => {
    const arm: Arm = { ...IN_DOUBT, stage: 'armed', refreshed: true };
    const step = nextStep(attemptOf(arm), published(failed(DEAD_TOKEN)), IN_TIME);
    expect([step.kind, endIn(step)]).toEqual(['mark-channel', 'unconfirmed']);
  });

  test.each<[string, ReconcileAnswer, number]>([
    ['is proven absent', { kind: 'absent', summary: SUMMARY }, LATE],
    ['came to nothing', failed(SPAM, null), IN_TIME],
  ])('is failed once it %s', (_why, answer, now) => {
    expect(endIn(nextStep(attemptOf({ ...IN_DOUBT, stage: 'armed' }), reconciled(answer), now))).toBe('failed');
  });

  test('is sent once more, and not made anew, by the attempt that a Member asks for', () => {
    const earlier = { handle: 'h', armedAt: DUE, settled: false };
    const step = nextStep(attemptOf({ ...FRESH, earlier }), reconciled(failed(UNLISTED, 'again'), 'earlier'), IN_TIME);
    expect(step).toMatchObject({ kind: 'move', arm: { handle: 'again', mayBeLive: true, earlier: { settled: true } } });
  });

  test('is asked about by the attempt after one that was left at that', () => {
    const job = { ...JOB, attempt: 2, reconcileFirst: true };
    expect(ownArm({ ...IN_DOUBT, version: 1, token: 't' }, job).earlier).toMatchObject({ handle: 'again' });
  });
});

function prepared(answer: ReturnType<typeof failed>): Finding {
  return { kind: 'evidence-written', answered: { step: 'prepare', startedAt: DUE, answer } };
}
