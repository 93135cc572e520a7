import { describe, expect, test } from 'vitest';
import type { PublishAnswer, ReconcileAnswer } from '#networks/contract/adapter.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { Arm, ArmRow, ArmVerdict, Evidence } from '#tables/repositories/ledger.ts';
import { ownArm } from './arms.ts';
import type { AnsweredStep, Attempt, Finding, ReconcileSubject, SoleProcess, Step } from './attempt.ts';
import type { VariantJob } from './variant-attempts.ts';
import { nextStep } from './next-step.ts';

/** The instant that the Post is due, from which all others count. */
const DUE = 1_000_000_000;
const MINUTE = 60_000;
const SUMMARY = { status: 200, detail: 'so it says' };

/**
 * A second attempt, by a Member's retry. Its arm is quiet after 125 s: 5 s to send, 60 s for the call, 60 s between
 * clocks.
 */
const JOB: VariantJob = {
  type: 'PublishVariant',
  why: 'due',
  workspaceId: 'w',
  variantId: 'v',
  ledgerId: 'v',
  attempt: 2,
  network: 'threads',
  placement: 'feed',
  channelId: 'c',
  accountId: 'a',
  dueAt: DUE,
  latestStart: DUE + 60 * MINUTE,
  reconcileFirst: true,
};

const FRESH = ownArm(null, JOB);
const EARLIER = { handle: 'old', armedAt: DUE - MINUTE, settled: false };
const ARMED: Arm = { ...FRESH, stage: 'armed', handle: 'h', armedAt: DUE, armToken: 'ours', sendBefore: DUE + 5_000 };
const PUBLISHED: ArmVerdict = { kind: 'published', remoteId: 'r', permalink: null };
const REFUSED: ArmVerdict = { kind: 'failed', reason: 'rejected_by_platform', detail: 'spam' };
const UNCONFIRMED: ArmVerdict = { kind: 'unconfirmed', detail: 'It may be live.' };

const ARMS = {
  'no row': null,
  'an older attempt, failed': { ...ARMED, attempt: 1, stage: 'closed', verdict: REFUSED },
  'an older attempt, unconfirmed': { ...ARMED, attempt: 1, stage: 'closed', verdict: UNCONFIRMED },
  'a newer attempt': { ...ARMED, attempt: 3 },
  preparing: FRESH,
  'preparing, waiting': { ...FRESH, notBefore: DUE + 30_000 },
  'preparing, earlier attempt not settled': { ...FRESH, earlier: EARLIER },
  'preparing, earlier attempt settled': { ...FRESH, earlier: { ...EARLIER, settled: true } },
  armed: ARMED,
  'armed, waiting': { ...ARMED, notBefore: DUE + 30_000 },
  'armed by this process, not sent': { ...ARMED, armToken: 'unsent' },
  'closed, published': { ...ARMED, stage: 'closed', verdict: PUBLISHED },
  'closed, failed': { ...ARMED, stage: 'closed', verdict: REFUSED },
  'closed, unconfirmed': { ...ARMED, stage: 'closed', verdict: UNCONFIRMED },
} as const satisfies Record<string, Arm | null>;

function step(outcome: Evidence['outcome'], more: Partial<Evidence> = {}): readonly Evidence[] {
  const base = { attempt: 2, step: 'publish', id: 'e', armToken: 'ours', startedAt: DUE, finishedAt: DUE } as const;
  return [{ ...base, outcome, detail: '', remoteId: null, permalink: null, failure: null, ...more }];
}

function refusal(retry: Failure['retry'], more: Partial<Failure> = {}): Failure {
  return { reason: 'platform_problem', detail: 'no', retry, ...more };
}

const EVIDENCE = {
  none: [],
  'published by this attempt': step('published', { remoteId: 'r2' }),
  'published by an earlier attempt': step('published', { attempt: 1, armToken: 'old', remoteId: 'r1' }),
  'refused for good': step('failed', { failure: refusal('never') }),
  'refused for now': step('failed', { failure: refusal('later') }),
  'refused once': step('failed', { failure: refusal('once', { delayMs: 5_000 }) }),
  'token refused': step('failed', { failure: refusal('refresh') }),
  'access withdrawn': step('failed', { failure: refusal('afterReconnect') }),
  'answer lost': step('unknown'),
  'accepted under a new handle': step('accepted', { handle: 'named' }),
  'answered under another arm': step('unknown', { armToken: 'another' }),
  'proven absent': step('absent', { step: 'reconcile' }),
} as const satisfies Record<string, readonly Evidence[]>;

type ArmName = keyof typeof ARMS;
type EvidenceName = keyof typeof EVIDENCE;

/** 10 s after it was due; 2 min after; and past the latest start. */
const TIMES = { early: DUE + 10_000, 'in time': DUE + 3 * MINUTE, late: DUE + 61 * MINUTE } as const;
type ByTime = readonly [early: string, inTime: string, late: string];

const always = (text: string): ByTime => [text, text, text];
const MISSED = 'close failed missed_window';
const FROM_THE_START: ByTime = ['prepare', 'prepare', MISSED];
const ASK_EARLIER: ByTime = ['reconcile earlier old', 'reconcile earlier old', MISSED];
const EARLIER_IS_LIVE = (remoteId: string): ByTime => [
  `close published ${remoteId}`,
  `close published ${remoteId}`,
  MISSED,
];
/** The call may have been made, and nothing says how it ended. */
const AFTER_QUIET: ByTime = ['wake at 125 s', 'reconcile armed h', 'reconcile armed h'];

/** What no evidence changes, or what each evidence means. */
const TABLE: Record<ArmName, ByTime | Record<EvidenceName, ByTime>> = {
  'no row': FROM_THE_START,
  'an older attempt, failed': FROM_THE_START,
  'an older attempt, unconfirmed': {
    none: ['reconcile earlier h', 'reconcile earlier h', MISSED],
    'published by this attempt': EARLIER_IS_LIVE('r2'),
    'published by an earlier attempt': EARLIER_IS_LIVE('r1'),
    'refused for good': ['reconcile earlier h', 'reconcile earlier h', MISSED],
    'refused for now': ['reconcile earlier h', 'reconcile earlier h', MISSED],
    'refused once': ['reconcile earlier h', 'reconcile earlier h', MISSED],
    'token refused': ['reconcile earlier h', 'reconcile earlier h', MISSED],
    'access withdrawn': ['reconcile earlier h', 'reconcile earlier h', MISSED],
    'answer lost': ['reconcile earlier h', 'reconcile earlier h', MISSED],
    'accepted under a new handle': ['reconcile earlier h', 'reconcile earlier h', MISSED],
    'answered under another arm': ['reconcile earlier h', 'reconcile earlier h', MISSED],
    'proven absent': ['reconcile earlier h', 'reconcile earlier h', MISSED],
  },
  'a newer attempt': always('end'),
  preparing: FROM_THE_START,
  'preparing, waiting': ['wake at 30 s', 'prepare', MISSED],
  'preparing, earlier attempt not settled': {
    none: ASK_EARLIER,
    'published by this attempt': EARLIER_IS_LIVE('r2'),
    'published by an earlier attempt': EARLIER_IS_LIVE('r1'),
    'refused for good': ASK_EARLIER,
    'refused for now': ASK_EARLIER,
    'refused once': ASK_EARLIER,
    'token refused': ASK_EARLIER,
    'access withdrawn': ASK_EARLIER,
    'answer lost': ASK_EARLIER,
    'accepted under a new handle': ASK_EARLIER,
    'answered under another arm': ASK_EARLIER,
    'proven absent': ASK_EARLIER,
  },
  'preparing, earlier attempt settled': {
    none: FROM_THE_START,
    'published by this attempt': EARLIER_IS_LIVE('r2'),
    'published by an earlier attempt': EARLIER_IS_LIVE('r1'),
    'refused for good': FROM_THE_START,
    'refused for now': FROM_THE_START,
    'refused once': FROM_THE_START,
    'token refused': FROM_THE_START,
    'access withdrawn': FROM_THE_START,
    'answer lost': FROM_THE_START,
    'accepted under a new handle': FROM_THE_START,
    'answered under another arm': FROM_THE_START,
    'proven absent': FROM_THE_START,
  },
  armed: {
    none: AFTER_QUIET,
    'published by this attempt': always('conclude published r2'),
    'published by an earlier attempt': AFTER_QUIET,
    'refused for good': always('close failed platform_problem'),
    'refused for now': ['wait 1000 preparing', 'wait 1000 preparing', 'close failed platform_problem'],
    'refused once': ['wait 5000 preparing', 'wait 5000 preparing', 'close failed platform_problem'],
    'token refused': always('refresh-tokens'),
    'access withdrawn': always('mark-channel, close failed needs_reconnect'),
    'answer lost': always('reconcile armed h'),
    'accepted under a new handle': always('reconcile armed named'),
    'answered under another arm': AFTER_QUIET,
    'proven absent': AFTER_QUIET,
  },
  'armed, waiting': {
    none: ['wake at 30 s', 'reconcile armed h', 'reconcile armed h'],
    'published by this attempt': ['wake at 30 s', 'conclude published r2', 'conclude published r2'],
    'published by an earlier attempt': ['wake at 30 s', 'reconcile armed h', 'reconcile armed h'],
    'refused for good': ['wake at 30 s', 'close failed platform_problem', 'close failed platform_problem'],
    'refused for now': ['wake at 30 s', 'wait 1000 preparing', 'close failed platform_problem'],
    'refused once': ['wake at 30 s', 'wait 5000 preparing', 'close failed platform_problem'],
    'token refused': ['wake at 30 s', 'refresh-tokens', 'refresh-tokens'],
    'access withdrawn': [
      'wake at 30 s',
      'mark-channel, close failed needs_reconnect',
      'mark-channel, close failed needs_reconnect',
    ],
    'answer lost': ['wake at 30 s', 'reconcile armed h', 'reconcile armed h'],
    'accepted under a new handle': ['wake at 30 s', 'reconcile armed named', 'reconcile armed named'],
    'answered under another arm': ['wake at 30 s', 'reconcile armed h', 'reconcile armed h'],
    'proven absent': ['wake at 30 s', 'reconcile armed h', 'reconcile armed h'],
  },
  'armed by this process, not sent': always('move preparing'),
  'closed, published': always('conclude published r'),
  'closed, failed': always('conclude failed rejected_by_platform'),
  'closed, unconfirmed': always('conclude unconfirmed'),
};

const TOKENS: TokensAnswer = { kind: 'ok', accessToken: 't', username: '', accountId: 'a', facts: {}, issuedAt: 0 };
const UNAVAILABLE: TokensAnswer = { kind: 'unavailable', delayMs: 5_000, detail: 'later' };
const GONE: TokensAnswer = { kind: 'needs_reconnect', detail: 'revoked' };

function rowOf(arm: Arm | null): ArmRow | null {
  return arm === null ? null : { ...arm, version: 1, token: 't' };
}

/** Before its own arm, an attempt; with one, what the machine has after it wrote that arm. */
function attemptOf(arm: Arm | null, evidence: readonly Evidence[] = [], job = JOB): Attempt {
  const brake = { isHeld: false, heldMs: 0 };
  const about = {
    publishTimeoutMs: MINUTE,
    soleProcess: null,
    isOwnArm: false,
    brake,
    restored: null,
    isDisconnected: false,
  };
  return { job, row: rowOf(arm), arm: arm ?? FRESH, evidence, ...about };
}

/** Answers what only reads: with what there is, and with a throttle that lets everything through. */
function findingOf(step: Step, tokens: TokensAnswer): Finding | null {
  switch (step.kind) {
    case 'read-evidence':
      return { kind: 'evidence-read' };
    case 'get-tokens':
      return { kind: 'tokens', tokens };
    case 'get-files':
      return { kind: 'files', renditions: { kind: 'ready', files: [] } };
    case 'ask-throttle':
      return { kind: 'throttle', obstacle: null };
    case 'ask-pause':
      return { kind: 'pause', forMs: 0, subject: step.subject };
    default:
      return null;
  }
}

/** The first step that changes anything, in words. */
function firstAct(start: Attempt, now: number, tokens = TOKENS): string {
  return inWords(firstStep(start, now, tokens));
}

function firstStep(start: Attempt, now: number, tokens: TokensAnswer): Step {
  let finding: Finding | null = { kind: 'arm-read', isUnsent: start.row?.armToken === 'unsent' };
  let attempt = start;
  for (;;) {
    const step = nextStep(attempt, finding, now);
    if ('arm' in step) attempt = { ...attempt, arm: step.arm };
    finding = findingOf(step, tokens);
    if (finding === null) return step;
  }
}

function inWords(step: Step): string {
  switch (step.kind) {
    case 'reconcile':
      return `reconcile ${step.subject.kind} ${step.armed.handle}`;
    case 'wake':
      return `wake at ${step.at.map((at) => `${(at - DUE) / 1_000} s`).join(' and ')}`;
    case 'wait':
      return `wait ${step.delayMs} ${step.arm.stage}`;
    case 'move':
      return `move ${step.arm.stage}`;
    case 'mark-channel':
      return `mark-channel, ${inWords(step.then)}`;
    case 'refresh-tokens':
      return step.then === null ? 'refresh-tokens' : `refresh-tokens, ${inWords(step.then)}`;
    case 'close':
    case 'conclude': {
      const { verdict } = step;
      const more =
        verdict.kind === 'published' ? [verdict.remoteId] : verdict.kind === 'failed' ? [verdict.reason] : [];
      return [step.kind, verdict.kind, ...more].join(' ');
    }
    default:
      return step.kind;
  }
}

describe('what an attempt does from every state of its arm, with every evidence, at every time', () => {
  const cases = (Object.keys(ARMS) as ArmName[]).flatMap((arm) =>
    (Object.keys(EVIDENCE) as EvidenceName[]).map((evidence) => ({ arm, evidence })),
  );
  test.each(cases)('$arm; $evidence', ({ arm, evidence }) => {
    const entry = TABLE[arm];
    const expected = evidence in entry ? (entry as Record<EvidenceName, ByTime>)[evidence] : (entry as ByTime);
    const attempt = attemptOf(ARMS[arm], EVIDENCE[evidence]);
    expect(Object.values(TIMES).map((now) => firstAct(attempt, now))).toEqual(expected);
  });

  test('a job that a clock ahead of ours woke sets others, later by as much as it came early, and by each lead provided for', () => {
    const attempt = attemptOf(ARMS['preparing, waiting'], [], { ...JOB, why: 'continue' });
    expect(firstAct(attempt, DUE + 28_000)).toBe(
      'wake at 32.304 s and 32.5 s and 35 s and 45 s and 60 s and 90 s and 150 s and 210 s and 30 s',
    );
  });
});

describe('an arm without evidence is asked about', () => {
  /** When a job that comes a second after the arm goes on: at a timer, or at once. */
  const next = (arm: Partial<Arm>, soleProcess: SoleProcess | null, now = DUE + 1_000): string =>
    firstAct({ ...attemptOf({ ...ARMED, ...arm }), soleProcess }, now);
  const ours = { id: 'ours', startedAt: DUE + 500 };

  test('when its sender, its call and the time between two clocks are over: the longest call where the row names none', () => {
    expect(next({}, null)).toBe('wake at 125 s');
  });

  test('as soon as a shorter call of its own is over', () => {
    expect(next({ callTimeoutMs: 20_000 }, null)).toBe('wake at 85 s');
  });

  test('three seconds after the start, where the lock proves that the process that armed it is dead', () => {
    expect(next({ process: 'dead', callTimeoutMs: 20_000 }, ours)).toBe('wake at 3.5 s');
    expect(next({ process: 'dead' }, ours, DUE + 3_500)).toBe('reconcile armed h');
  });

  test('and the Network is asked in the knowledge that the sender is dead', () => {
    const asked = (process: string, now: number) => {
      const attempt = { ...attemptOf({ ...ARMED, process }), soleProcess: ours };
      const step = nextStep(attempt, { kind: 'pause', forMs: 0, subject: { kind: 'armed', ifAbsent: null } }, now);
      return step.kind === 'reconcile' ? step.armed.isSenderDead : step;
    };
    expect([asked('dead', DUE + 3_500), asked('ours', DUE + 70_000)]).toEqual([true, false]);
  });

  test.each([
    ['by one clock, where one process does everything', ours, false, 0],
    ['by one clock, where several publish and this one armed it', null, true, 0],
    ['by a clock that may be ahead of the one that armed it, where another one did', null, false, 60_000],
  ])('and the Network is asked %s', (_, soleProcess, isOwnArm, clockSkewMs) => {
    const attempt = { ...attemptOf({ ...ARMED, process: 'ours' }), soleProcess, isOwnArm };
    const step = nextStep(attempt, { kind: 'pause', forMs: 0, subject: { kind: 'armed', ifAbsent: null } }, DUE);
    expect(step).toMatchObject({ kind: 'reconcile', armed: { clockSkewMs } });
  });

  test('no later than without that proof, when the process starts late', () => {
    expect(next({ process: 'dead', callTimeoutMs: 20_000 }, { ...ours, startedAt: DUE + MINUTE })).toBe('wake at 30 s');
  });

  test.each<[string, Partial<Arm>, SoleProcess | null, string]>([
    ['of this very process', { process: 'ours' }, ours, '30 s'],
    ['that names no process: of a release before, or of a cluster', {}, ours, '30 s'],
    ['of another process, where several may publish', { process: 'dead' }, null, '85 s'],
  ])('not sooner than that for an arm %s', (_, arm, soleProcess, at) => {
    expect(next({ callTimeoutMs: 20_000, ...arm }, soleProcess)).toBe(`wake at ${at}`);
  });
});

describe('without usable tokens', () => {
  /** Unavailable and gone, for the first time; unavailable and gone, the Network out of reach for more than 15 min. */
  type ByTokens = readonly [string, string, string, string];
  const MAY_BE_LIVE: ByTokens = [
    'wait 5000 armed',
    'mark-channel, wait 60000 armed',
    'close unconfirmed',
    'mark-channel, close unconfirmed',
  ];
  const NOT_LIVE: ByTokens = [
    'wait 5000 preparing',
    'mark-channel, close failed needs_reconnect',
    'wait 5000 preparing',
    'mark-channel, close failed needs_reconnect',
  ];
  const REFUSED_FOR_GOOD: ByTokens = [
    'close failed platform_problem',
    'close failed platform_problem',
    'close failed platform_problem',
    'close failed platform_problem',
  ];
  const PUBLISHED_ALREADY: ByTokens = [
    'conclude published r2',
    'conclude published r2',
    'conclude published r2',
    'conclude published r2',
  ];
  const ARMED_TABLE: Record<EvidenceName, ByTokens> = {
    none: MAY_BE_LIVE,
    'published by this attempt': PUBLISHED_ALREADY,
    'published by an earlier attempt': MAY_BE_LIVE,
    'refused for good': REFUSED_FOR_GOOD,
    'refused for now': NOT_LIVE,
    'refused once': NOT_LIVE,
    'token refused': NOT_LIVE,
    'access withdrawn': NOT_LIVE,
    'answer lost': MAY_BE_LIVE,
    'accepted under a new handle': MAY_BE_LIVE,
    'answered under another arm': MAY_BE_LIVE,
    'proven absent': NOT_LIVE,
  };

  test.each(Object.entries(ARMED_TABLE))('armed; %s', (evidence, expected) => {
    const ends = [{}, { outOfReachSince: DUE + MINUTE / 2 }].flatMap((reach) =>
      [UNAVAILABLE, GONE].map((tokens) =>
        firstAct(attemptOf({ ...ARMED, ...reach }, EVIDENCE[evidence as EvidenceName]), DUE + 16 * MINUTE, tokens),
      ),
    );
    expect(ends).toEqual(expected);
  });

  test('a wait for tokens begins when they are first missing, however old the arm is, and ends with an answer', () => {
    const [now, since] = [DUE + 60 * MINUTE, DUE + 50 * MINUTE];
    const first = firstStep(attemptOf(ARMED), now, UNAVAILABLE);
    expect(first).toMatchObject({ kind: 'wait', arm: { outOfReachSince: now } });
    const again = firstStep(attemptOf({ ...ARMED, outOfReachSince: since }), now, UNAVAILABLE);
    expect(again).toMatchObject({ kind: 'wait', arm: { outOfReachSince: since } });
    const subject = { kind: 'armed', ifAbsent: null } as const;
    const told = (answer: ReconcileAnswer) =>
      nextStep(
        attemptOf({ ...ARMED, outOfReachSince: since }),
        { kind: 'evidence-written', answered: reconcile(answer, subject) },
        now,
      );
    const unread = told({ kind: 'unknown', delayMs: 5_000, summary: SUMMARY });
    expect(unread).toMatchObject({ kind: 'wait', arm: { outOfReachSince: since, asked: 1 } });
    const read = told({ kind: 'processing', delayMs: 5_000, summary: SUMMARY });
    expect(read).toMatchObject({ kind: 'wait', arm: { asked: 1 } });
    expect(read).not.toMatchObject({ arm: { outOfReachSince: expect.anything() } });
    const sought = reconcile({ kind: 'unknown', delayMs: 5_000, summary: SUMMARY }, { kind: 'restored' });
    const afterSearch = nextStep(attemptOf(ARMED), { kind: 'evidence-written', answered: sought }, now);
    expect(afterSearch).toMatchObject({ kind: 'wait', arm: { outOfReachSince: now, asked: 1 } });
  });

  test('armed; refused as a duplicate of an earlier attempt: that one may be live', () => {
    const evidence = step('failed', { failure: refusal('never', { duplicate: true }) });
    const attempt = attemptOf({ ...ARMED, earlier: { ...EARLIER, settled: true } }, evidence);
    expect(firstAct(attempt, DUE + 2 * MINUTE, GONE)).toBe('mark-channel, wait 60000 armed');
  });

  test('not armed: waits, or fails for a reconnect', () => {
    expect(firstAct(attemptOf(FRESH), DUE, UNAVAILABLE)).toBe('wait 5000 preparing');
    expect(firstAct(attemptOf(FRESH), DUE, GONE)).toBe('mark-channel, close failed needs_reconnect');
  });
});

/** What is done once the answer is written. */
function after(answered: AnsweredStep, arm: Arm = ARMED, now: number = TIMES['in time']): string {
  return inWords(nextStep(attemptOf(arm), { kind: 'evidence-written', answered }, now));
}

function publish(answer: PublishAnswer): AnsweredStep {
  return { step: 'publish', startedAt: DUE, answer };
}

function reconcile(answer: ReconcileAnswer, subject: ReconcileSubject): AnsweredStep {
  return { step: 'reconcile', startedAt: DUE, subject, answer };
}

describe('what the Network answered is written before anything is done about it', () => {
  const answers: readonly AnsweredStep[] = [
    { step: 'prepare', startedAt: DUE, answer: { kind: 'ready', handle: 'h', summary: SUMMARY } },
    { step: 'prepare', startedAt: DUE, answer: { kind: 'wait', handle: 'h', delayMs: 0, summary: SUMMARY } },
    {
      step: 'prepare',
      startedAt: DUE,
      answer: { kind: 'failed', failure: refusal('later'), summary: { status: 0, detail: '' } },
    },
    publish({ kind: 'published', remoteId: 'r', permalink: null, summary: SUMMARY }),
    publish({ kind: 'failed', failure: refusal('never'), summary: SUMMARY }),
    publish({ kind: 'accepted', delayMs: 0, summary: SUMMARY }),
    publish({ kind: 'unknown', summary: { status: 0, detail: 'cut' } }),
    reconcile({ kind: 'absent', summary: SUMMARY }, { kind: 'armed', ifAbsent: null }),
    reconcile({ kind: 'published', remoteId: 'r', permalink: null, summary: SUMMARY }, { kind: 'earlier' }),
  ];

  test.each(answers)('$step $answer.kind', (answered) => {
    const step = nextStep(attemptOf(ARMED), { kind: 'answered', answered }, TIMES.late);
    expect(step).toEqual({ kind: 'write-evidence', answered });
  });

  test('a Network that had nothing to prepare leaves no row', () => {
    const summary = { status: 0, detail: '' };
    const answered: AnsweredStep = {
      step: 'prepare',
      startedAt: DUE,
      answer: { kind: 'ready', handle: null, summary },
    };
    expect(nextStep(attemptOf(FRESH), { kind: 'answered', answered }, DUE).kind).toBe('take-quota');
  });
});

describe('what an answer leads to', () => {
  test('prepare', () => {
    const prepared = (answer: Extract<AnsweredStep, { step: 'prepare' }>['answer']) =>
      nextStep(
        attemptOf({ ...FRESH, handle: 'h' }),
        { kind: 'evidence-written', answered: { step: 'prepare', startedAt: DUE, answer } },
        DUE,
      );
    expect(prepared({ kind: 'ready', handle: 'new', summary: SUMMARY })).toMatchObject({
      kind: 'take-quota',
      arm: { handle: 'new' },
    });
    expect(prepared({ kind: 'wait', handle: 'half', delayMs: 700, summary: SUMMARY })).toMatchObject({
      kind: 'wait',
      delayMs: 700,
      arm: { handle: 'half', stage: 'preparing' },
    });
    const failure = refusal('later');
    expect(prepared({ kind: 'failed', failure, summary: SUMMARY })).toMatchObject({
      kind: 'wait',
      arm: { handle: 'h' },
    });
    expect(prepared({ kind: 'failed', failure, handle: null, summary: SUMMARY })).toMatchObject({
      arm: { handle: null },
    });
  });

  test('publish', () => {
    expect(after(publish({ kind: 'published', remoteId: 'r', permalink: 'p', summary: SUMMARY }))).toBe(
      'conclude published r',
    );
    expect(after(publish({ kind: 'failed', failure: refusal('never'), summary: SUMMARY }))).toBe(
      'close failed platform_problem',
    );
    expect(after(publish({ kind: 'accepted', delayMs: 5_000, summary: SUMMARY }))).toBe('wait 5000 armed');
    const ifAbsent = refusal('never');
    const lost = nextStep(
      attemptOf(ARMED),
      { kind: 'evidence-written', answered: publish({ kind: 'unknown', ifAbsent, summary: SUMMARY }) },
      DUE,
    );
    expect(lost).toMatchObject({ kind: 'ask-pause', subject: { kind: 'armed', ifAbsent } });
  });

  test.each<[string, ReconcileAnswer, Failure | null, Arm, ByTime]>([
    [
      'published',
      { kind: 'published', remoteId: 'r', permalink: null, summary: SUMMARY },
      null,
      ARMED,
      always('conclude published r'),
    ],
    ['processing', { kind: 'processing', delayMs: 30_000, summary: SUMMARY }, null, ARMED, always('wait 30000 armed')],
    [
      'failed',
      { kind: 'failed', failure: refusal('never'), summary: SUMMARY },
      null,
      ARMED,
      always('close failed platform_problem'),
    ],
    ['absent', { kind: 'absent', summary: SUMMARY }, null, ARMED, ['take-quota', 'take-quota', MISSED]],
    [
      'absent, again',
      { kind: 'absent', summary: SUMMARY },
      null,
      { ...ARMED, failures: 2 },
      ['wait 4000 preparing', 'wait 4000 preparing', MISSED],
    ],
    [
      'absent, once refused',
      { kind: 'absent', summary: SUMMARY },
      refusal('never'),
      ARMED,
      always('close failed platform_problem'),
    ],
    ['not known yet', { kind: 'unknown', delayMs: 9_000, summary: SUMMARY }, null, ARMED, always('wait 9000 armed')],
    [
      'not known, token refused',
      { kind: 'unknown', delayMs: 9_000, tokenRefused: true, summary: SUMMARY },
      null,
      ARMED,
      always('refresh-tokens, wait 9000 armed'),
    ],
    [
      'never to be known',
      { kind: 'unknown', delayMs: null, summary: SUMMARY },
      null,
      ARMED,
      always('close unconfirmed'),
    ],
  ])('reconcile of the arm: %s', (_name, answer, ifAbsent, arm, expected) => {
    const answered = reconcile(answer, { kind: 'armed', ifAbsent });
    expect(Object.values(TIMES).map((now) => after(answered, arm, now))).toEqual(expected);
  });

  test.each<[string, ReconcileAnswer, string]>([
    ['published', { kind: 'published', remoteId: 'r', permalink: null, summary: SUMMARY }, 'close published r'],
    ['processing', { kind: 'processing', delayMs: 30_000, summary: SUMMARY }, 'wait 30000 preparing'],
    ['failed', { kind: 'failed', failure: refusal('never'), summary: SUMMARY }, 'move preparing, without handle'],
    ['absent', { kind: 'absent', summary: SUMMARY }, 'move preparing, with handle old'],
    ['not known yet', { kind: 'unknown', delayMs: 9_000, summary: SUMMARY }, 'wait 9000 preparing'],
    [
      'not known, token refused',
      { kind: 'unknown', delayMs: 9_000, tokenRefused: true, summary: SUMMARY },
      'refresh-tokens, wait 9000 preparing',
    ],
    ['never to be known', { kind: 'unknown', delayMs: null, summary: SUMMARY }, 'move preparing, without handle'],
  ])('reconcile of an earlier attempt: %s', (_name, answer, expected) => {
    const attempt = attemptOf({ ...FRESH, handle: 'h', asked: 3, earlier: EARLIER });
    const answered = reconcile(answer, { kind: 'earlier' });
    const step = nextStep(attempt, { kind: 'evidence-written', answered }, TIMES['in time']);
    const handle = step.kind === 'move' ? step.arm.handle : undefined;
    const words = handle === undefined ? '' : handle === null ? ', without handle' : `, with handle ${handle}`;
    expect(inWords(step) + words).toBe(expected);
    if (step.kind === 'move') expect(step.arm).toMatchObject({ asked: 0, earlier: { settled: true } });
    if (step.kind === 'wait') expect(step.arm.asked).toBe(4);
  });

  test('reconcile after a refusal as a duplicate: live, or unconfirmed', () => {
    const subject: ReconcileSubject = { kind: 'duplicate', refusal: refusal('never', { duplicate: true }) };
    const live: ReconcileAnswer = { kind: 'published', remoteId: 'r', permalink: null, summary: SUMMARY };
    expect(after(reconcile(live, subject))).toBe('close published r');
    expect(after(reconcile({ kind: 'absent', summary: SUMMARY }, subject))).toBe('close unconfirmed');
    expect(after(reconcile({ kind: 'unknown', delayMs: 5_000, summary: SUMMARY }, subject))).toBe('close unconfirmed');
  });
});

describe('what a refusal leads to', () => {
  test.each<[string, Failure, Partial<Arm>, ByTime]>([
    ['never', refusal('never'), {}, always('close failed platform_problem')],
    ['afterReconnect', refusal('afterReconnect'), {}, always('mark-channel, close failed needs_reconnect')],
    ['refresh', refusal('refresh'), {}, always('refresh-tokens')],
    [
      'refresh, a second time',
      refusal('refresh'),
      { refreshed: true },
      always('mark-channel, close failed needs_reconnect'),
    ],
    ['later', refusal('later'), {}, ['wait 1000 preparing', 'wait 1000 preparing', 'close failed platform_problem']],
    [
      'later, a fourth time',
      refusal('later'),
      { failures: 3 },
      ['wait 8000 preparing', 'wait 8000 preparing', 'close failed platform_problem'],
    ],
    [
      'later, when the Network says',
      refusal('later', { delayMs: 90_000 }),
      {},
      ['wait 90000 preparing', 'wait 90000 preparing', 'close failed platform_problem'],
    ],
    ['later, but not in time', refusal('later', { delayMs: 60 * MINUTE }), {}, always('close failed platform_problem')],
    [
      'later, but not for so long',
      refusal('later', { giveUpAfterMs: MINUTE }),
      {},
      ['wait 1000 preparing', 'close failed platform_problem', 'close failed platform_problem'],
    ],
    ['once', refusal('once'), {}, ['wait 1000 preparing', 'wait 1000 preparing', 'close failed platform_problem']],
    ['once, a second time', refusal('once'), { failures: 1 }, always('close failed platform_problem')],
    [
      'a duplicate, as the first attempt',
      refusal('never', { duplicate: true }),
      {},
      always('close failed platform_problem'),
    ],
    [
      'a duplicate of an earlier attempt',
      refusal('never', { duplicate: true }),
      { earlier: EARLIER },
      always('reconcile duplicate old'),
    ],
  ])('%s', (_name, failure, more, expected) => {
    const answered = publish({ kind: 'failed', failure, summary: SUMMARY });
    expect(Object.values(TIMES).map((now) => after(answered, { ...ARMED, ...more }, now))).toEqual(expected);
  });

  test.each<[string, TokensAnswer, string]>([
    ['a fresh token: prepares again at once', TOKENS, 'wait 0 preparing'],
    ['no token for now: waits for one', UNAVAILABLE, 'wait 5000 preparing'],
    ['no connection any more', GONE, 'mark-channel, close failed needs_reconnect'],
  ])('after the refresh, %s', (_name, tokens, expected) => {
    const step = nextStep(attemptOf(ARMED), { kind: 'refreshed', tokens }, DUE);
    expect(inWords(step)).toBe(expected);
    if (step.kind === 'wait') expect(step.arm.refreshed).toBe(tokens.kind === 'ok');
  });
});

describe('files', () => {
  const found = (renditions: Extract<Finding, { kind: 'files' }>['renditions'], arm: Arm) =>
    inWords(nextStep(attemptOf(arm), { kind: 'files', renditions }, DUE));

  test('are waited for or fail the Variant, unless it was armed with them', () => {
    expect(found({ kind: 'pending', delayMs: 400 }, FRESH)).toBe('wait 400 preparing');
    expect(found({ kind: 'failed', detail: 'broken' }, FRESH)).toBe('close failed media_problem');
    expect(found({ kind: 'pending', delayMs: 400 }, ARMED)).toBe('ask-pause');
    expect(found({ kind: 'failed', detail: 'broken' }, ARMED)).toBe('ask-pause');
  });
});

describe('held back', () => {
  const obstacle = { forMs: 10 * MINUTE, why: 'allowance', reason: 'rate_limited', detail: 'no more' } as const;
  const held = (kind: 'throttle' | 'quota', attempt: Attempt, now: number) =>
    inWords(nextStep(attempt, { kind, obstacle }, now));

  test.each(['throttle', 'quota'] as const)('by %s: the row moves only for a new handle', (kind) => {
    expect(held(kind, attemptOf(null), DUE)).toBe('wake at 600 s');
    expect(held(kind, attemptOf({ ...FRESH, handle: 'h' }), DUE)).toBe('wake at 600 s');
    expect(held(kind, { ...attemptOf(null), arm: { ...FRESH, handle: 'new' } }, DUE)).toBe('wait 600000 preparing');
    expect(held(kind, { ...attemptOf(FRESH), arm: { ...ARMED, handle: 'new' } }, DUE)).toBe('wait 600000 preparing');
  });

  test.each(['throttle', 'quota'] as const)('by %s past the latest start: fails with the reason', (kind) => {
    expect(held(kind, attemptOf(FRESH), DUE + 55 * MINUTE)).toBe('close failed rate_limited');
  });

  test('by what the Network asked for: reconciling waits, still armed', () => {
    const subject: ReconcileSubject = { kind: 'armed', ifAbsent: null };
    expect(inWords(nextStep(attemptOf(ARMED), { kind: 'pause', forMs: 700, subject }, DUE))).toBe('wait 700 armed');
  });
});

describe('writes of the arm', () => {
  const from = (finding: Finding, now = DUE) => nextStep(attemptOf(ARMED), finding, now);
  const row = rowOf(ARMED)!;

  test('quota taken: armed to send within 5 s', () => {
    const step = from({ kind: 'quota', obstacle: null }, DUE + 7);
    expect(step).toEqual({ kind: 'arm', armedAt: DUE + 7, sendBefore: DUE + 5_007 });
  });

  test('armed: sends before its deadline, and takes the arm back from it on', () => {
    expect(inWords(from({ kind: 'armed', row }))).toBe('ask-brake');
    expect(inWords(from({ kind: 'brake', row, armedForMs: 4_999 }, DUE + 4_999))).toBe('publish');
    expect(inWords(from({ kind: 'brake', row, armedForMs: 0 }, DUE + 5_000))).toBe('move preparing');
    expect(inWords(from({ kind: 'brake', row, armedForMs: 5_000 }, DUE + 4_999))).toBe('move preparing');
  });

  test('a write that lost, or one that only moves, looks at the row anew', () => {
    expect(from({ kind: 'lost' })).toEqual({ kind: 'read-arm' });
    expect(from({ kind: 'moved' })).toEqual({ kind: 'read-arm' });
  });

  test('waiting: a timer wakes it, or it goes on at once', () => {
    expect(inWords(from({ kind: 'waiting', until: DUE + 3_000, delayMs: 3_000 }))).toBe('wake at 3 s');
    expect(inWords(from({ kind: 'waiting', until: DUE, delayMs: 0 }))).toBe('read-arm');
  });

  test('closed: the verdict is written as evidence, then reported', () => {
    const answered: AnsweredStep = { step: 'verdict', startedAt: DUE, answer: REFUSED };
    expect(from({ kind: 'closed', verdict: REFUSED })).toEqual({ kind: 'write-evidence', answered });
    expect(from({ kind: 'evidence-written', answered })).toEqual({ kind: 'conclude', verdict: REFUSED });
    expect(from({ kind: 'left' })).toEqual({ kind: 'end' });
  });
});

describe('while publishing is held', () => {
  const HELD = { isHeld: true, heldMs: 0 };
  const held = (arm: Arm | null, evidence: readonly Evidence[] = []) => ({ ...attemptOf(arm, evidence), brake: HELD });

  test('an attempt that sent nothing is given back, before its Network is called', () => {
    expect(firstAct(held(null), DUE)).toBe('give-back');
    expect(firstAct(held(FRESH), DUE + 61 * MINUTE)).toBe('give-back');
    const step = nextStep(held(null), { kind: 'arm-read', isUnsent: false }, DUE);
    expect(step).toMatchObject({ kind: 'give-back', arm: { stage: 'preparing', attempt: 2, givenBack: true } });
  });

  test('one that was prepared meanwhile is not armed, and keeps what the Network has', () => {
    const attempt = { ...held(FRESH), arm: { ...FRESH, handle: 'container' } };
    const step = nextStep(attempt, { kind: 'quota', obstacle: null }, DUE);
    expect(step).toMatchObject({ kind: 'give-back', arm: { handle: 'container', givenBack: true } });
  });

  test('one that was armed meanwhile does not send, and takes its arm back', () => {
    const step = nextStep(held(ARMED), { kind: 'brake', row: rowOf(ARMED)!, armedForMs: 0 }, DUE);
    expect(inWords(step)).toBe('move preparing');
  });

  test('one whose call may have been made is found out about all the same', () => {
    expect(firstAct(held(ARMED), DUE + 10 * MINUTE)).toBe('reconcile armed h');
    expect(inWords(nextStep(held(ARMED), { kind: 'evidence-written', answered: ABSENT }, DUE))).toBe('take-quota');
  });

  test('a repeat of its job sends nothing, whatever is held by then; the next attempt goes on from the row', () => {
    const givenBack: Arm = { ...FRESH, handle: 'container', givenBack: true };
    expect(firstAct(attemptOf(givenBack), DUE)).toBe('report-given-back');
    const next = attemptOf(givenBack, [], { ...JOB, attempt: 3 });
    expect(ownArm(next.row, { ...JOB, attempt: 3 })).toMatchObject({
      attempt: 3,
      handle: 'container',
      givenBack: false,
    });
    expect(firstAct(attemptOf(givenBack), DUE, TOKENS)).toBe('report-given-back');
  });

  test('the time of a hold is added to the latest start', () => {
    const late = (heldMs: number) =>
      firstAct({ ...attemptOf(FRESH), brake: { isHeld: false, heldMs } }, DUE + 90 * MINUTE);
    expect(late(29 * MINUTE)).toBe('close failed missed_window');
    expect(late(30 * MINUTE)).toBe('prepare');
  });
});

describe('once its Channel was disconnected', () => {
  const ended = (arm: Arm | null, job = JOB) => ({ ...attemptOf(arm, [], job), isDisconnected: true });

  test('an attempt that sent nothing is given back, though there are tokens again', () => {
    expect(firstAct(ended(null), DUE)).toBe('give-back');
    expect(firstAct(ended({ ...FRESH, failures: 2 }), DUE + 61 * MINUTE)).toBe('give-back');
  });

  test('one whose call may have been made is found out about, and not sent again', () => {
    expect(firstAct(ended(ARMED), DUE + 10 * MINUTE)).toBe('reconcile armed h');
    const absent = { ...ended(ARMED), arm: { ...ARMED, failures: 1 } };
    expect(inWords(nextStep(absent, { kind: 'quota', obstacle: null }, DUE))).toBe('give-back');
  });
});

const ABSENT: AnsweredStep = {
  step: 'reconcile',
  startedAt: DUE,
  subject: { kind: 'armed', ifAbsent: null },
  answer: { kind: 'absent', summary: SUMMARY },
};
