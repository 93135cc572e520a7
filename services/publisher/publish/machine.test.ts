import { describe, expect, test } from 'vitest';
import { MAX_APART_MS } from '#domain/workspace/clock-skew.ts';
import type { NetworkAdapter, PublishAnswer, ReconcileAnswer } from '#networks/contract/adapter.ts';
import { PortError } from '#ports/errors.ts';
import type { ArmRow } from '#tables/repositories/ledger.ts';
import { openPublishHarness, TEXT, type PublishHarness } from './publish-harness.fixture.ts';
import { ALONE } from './turn-of-channel.ts';

const MINUTE = 60_000;

async function ends(attempts: PublishHarness): Promise<PublishHarness['concluded'][number]['verdict']> {
  const machine = attempts.worker();
  await machine.run(attempts.job);
  await attempts.settle(machine);
  return attempts.concluded.at(-1)!.verdict;
}

const SUMMARY = { status: 500, detail: 'so it says' };
const LATER = { reason: 'platform_problem', detail: 'so it says', retry: 'later' } as const;

/** An adapter whose word is a script, the last one for ever. */
function saying(script: { publish?: readonly PublishAnswer[]; reconcile?: readonly ReconcileAnswer[] }): {
  adapter: (real: NetworkAdapter) => NetworkAdapter;
  calls: string[];
} {
  const calls: string[] = [];
  const next = <T>(answers: readonly T[], call: string): T =>
    answers[Math.min(calls.filter((made) => made === call).length, answers.length) - 1]!;
  const adapter = (real: NetworkAdapter): NetworkAdapter => ({
    ...real,
    prepare: async (_publication, handle) => ({ kind: 'ready', handle: handle ?? 'made', summary: SUMMARY }),
    publish: async (_publication, handle) => (
      calls.push('publish'),
      calls.push(`publish ${handle}`),
      next(script.publish ?? [], 'publish')
    ),
    reconcile: async (_publication, { handle, armedAt }) => (
      calls.push('reconcile'),
      calls.push(`reconcile ${handle} ${armedAt}`),
      next(script.reconcile ?? [], 'reconcile')
    ),
  });
  return { adapter, calls };
}

describe('an arm without evidence', () => {
  async function armedByTheDead(network: 'x' | 'threads'): Promise<PublishHarness> {
    const attempts = await openPublishHarness(network);
    const { promise: died, resolve: die } = Promise.withResolvers<void>();
    const dead = attempts.worker(async (step) => {
      if (!/^before POST .*(tweets|threads_publish)$/.test(step)) return;
      die();
      await new Promise(() => {});
    });
    await Promise.race([died, dead.run(attempts.job).then(() => attempts.settle(dead))]);
    expect((await attempts.ledger.readArm(attempts.job.variantId))?.stage).toBe('armed');
    return attempts;
  }

  test.each(['x', 'threads'] as const)(
    '%s: the Network is not asked before the deadline, the call and the time between two clocks are over',
    async (network) => {
      const attempts = await armedByTheDead(network);
      const asked = attempts.requests.length;
      const arm = (await attempts.ledger.readArm(attempts.job.variantId))!;
      const successor = attempts.worker();
      await successor.run(attempts.job);
      expect(attempts.requests).toHaveLength(asked);
      expect(attempts.timersSet()).toEqual([arm.sendBefore + 20_000 + MAX_APART_MS]);
    },
  );

  test('threads: proven absent, the same handle is sent', async () => {
    const attempts = await armedByTheDead('threads');
    const handle = (await attempts.ledger.readArm(attempts.job.variantId))!.handle;
    expect((await ends(attempts)).kind).toBe('published');
    expect((await attempts.ledger.readArm(attempts.job.variantId))!.handle).toBe(handle);
    expect(await attempts.live()).toEqual([TEXT]);
  });

  test('x: an attempt of unknown outcome ends unconfirmed, with the detail that it may be live', async () => {
    const attempts = await armedByTheDead('x');
    expect(await ends(attempts)).toMatchObject({ kind: 'unconfirmed', detail: expect.stringContaining('may be live') });
    expect(attempts.requests.filter((request) => request.endsWith('/2/tweets'))).toEqual([]);
  });
});

test.each(['wrote it down', 'wrote down no more than the answer'])(
  'a handle that only the answer named is used for reconciling by the successor of a worker that %s',
  async (what) => {
    const { adapter, calls } = saying({
      publish: [{ kind: 'accepted', delayMs: 5_000, handle: 'named', summary: SUMMARY }],
      reconcile: [{ kind: 'published', remoteId: 'r1', permalink: null, summary: SUMMARY }],
    });
    const attempts = await openPublishHarness('x', { adapter });
    const { promise: died, resolve: die } = Promise.withResolvers<void>();
    const dead = attempts.worker(async (step) => {
      if (what === 'wrote it down' || step !== 'before compareAndSet publish_arms' || !calls.includes('publish'))
        return;
      die();
      await new Promise(() => {});
    });
    await Promise.race([died, dead.run(attempts.job)]);
    expect(await ends(attempts)).toMatchObject({ kind: 'published', remoteId: 'r1' });
    expect(calls.filter((call) => /^(publish|reconcile) /.test(call))).toEqual([
      'publish made',
      expect.stringMatching(/^reconcile named /),
    ]);
  },
);

test('what x answered is known to the next worker, however many steps the attempt took before', async () => {
  const attempts = await openPublishHarness('x');
  const { ledger, clock, job } = attempts;
  const about = {
    attempt: 1,
    step: 'prepare',
    armToken: '',
    outcome: 'wait',
    detail: 'a piece of a large file',
  } as const;
  const nothing = { remoteId: null, permalink: null, failure: null };
  for (let piece = 0; piece < 2_100; piece++) {
    const at = clock.now() - 3_000 + piece;
    await ledger.writeEvidence(job.variantId, { ...about, ...nothing, id: 'p', startedAt: at, finishedAt: at });
  }
  const { promise: died, resolve: die } = Promise.withResolvers<void>();
  const dead = attempts.worker(async (step) => {
    if (step !== 'before conclude') return;
    die();
    await new Promise(() => {});
  });
  await Promise.race([died, dead.run(job)]);
  const asked = attempts.requests.length;
  expect((await ends(attempts)).kind).toBe('published');
  expect(attempts.requests.length).toBe(asked);
});

test('a sender that was held up after arming sends nothing past its deadline', async () => {
  const attempts = await openPublishHarness('x');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const slow = attempts.worker(async (step) => {
    if (step !== 'after compareAndSet publish_arms') return;
    hold();
    await released;
  });
  const job = { ...attempts.job, latestStart: attempts.clock.now() + 3_000 };
  const running = slow.run(job);
  await held;
  await attempts.clock.advance(5_000);
  release();
  await running;
  expect(attempts.requests.filter((request) => request.endsWith('/2/tweets'))).toEqual([]);
  expect(attempts.concluded.at(-1)!.verdict).toMatchObject({ kind: 'failed', reason: 'missed_window' });
});

test('nor does one whose clock was put back while it was held up: it arms anew', async () => {
  const attempts = await openPublishHarness('x');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: held, resolve: hold } = Promise.withResolvers<void>();
  const sentUnder: (string | undefined)[] = [];
  const readArm = () => attempts.ledger.readArm(attempts.job.variantId);
  const slow = attempts.worker(async (step) => {
    if (step.startsWith('before POST') && step.endsWith('/2/tweets')) sentUnder.push((await readArm())?.armToken);
    if (step !== 'after compareAndSet publish_arms') return;
    hold();
    await released;
  });
  const running = slow.run(attempts.job);
  await held;
  const first = await readArm();
  await attempts.clock.advance(5_000);
  attempts.clock.moveWall(-10_000);
  release();
  await running;
  await attempts.settle(slow);
  expect(first).toMatchObject({ stage: 'armed' });
  expect(sentUnder).toHaveLength(1);
  expect(sentUnder).not.toContain(first?.armToken);
  expect(await attempts.live()).toEqual([TEXT]);
});

test('nor does one whose job became durable only after its deadline', async () => {
  const attempts = await openPublishHarness('x');
  const { promise: durable, resolve: becomeDurable } = Promise.withResolvers<void>();
  const { promise: armed, resolve: arm } = Promise.withResolvers<void>();
  const early = attempts.worker(async (step) => {
    if (step === 'after compareAndSet publish_arms') arm();
  });
  const job = { ...attempts.job, latestStart: attempts.clock.now() + 3_000 };
  const running = early.run(job, { ...ALONE, durable: () => durable });
  await armed;
  await attempts.clock.advance(5_000);
  becomeDurable();
  await running;
  expect(attempts.requests.filter((request) => request.endsWith('/2/tweets'))).toEqual([]);
  expect(attempts.concluded.at(-1)!.verdict).toMatchObject({ kind: 'failed', reason: 'missed_window' });
});

test.each(['x', 'threads'] as const)(
  '%s: an arm that the store wrote with an unknown outcome is not a lost send',
  async (network) => {
    const attempts = await openPublishHarness(network);
    let doubts = 0;
    const machine = attempts.worker(async (step) => {
      if (step === 'after compareAndSet publish_arms' && doubts === 0) {
        doubts = 1;
        throw new PortError('unknown', 'timed out');
      }
      if (step === 'before read publish_arms' && doubts === 1) {
        doubts = 2;
        throw new PortError('unavailable', 'away');
      }
    });
    await expect(machine.run(attempts.job)).rejects.toMatchObject({ kind: 'unknown' });
    expect(await attempts.live()).toEqual([]);
    await machine.run(attempts.job);
    await attempts.settle(machine);
    expect(attempts.concluded.map(({ verdict }) => verdict.kind)).toEqual(['published']);
    expect(await attempts.live()).toEqual([TEXT]);
    // At once: there was no send whose deadline had to pass.
    expect(attempts.clock.now() - attempts.job.dueAt).toBeLessThan(5_000);
  },
);

describe.each(['x', 'threads'] as const)('%s: what the Network answered while the ledger is away', (network) => {
  async function answeredWhileAway(fault?: string): Promise<{ attempts: PublishHarness; failures: number }> {
    const attempts = await openPublishHarness(network);
    if (fault !== undefined) await attempts.fault(fault);
    let failures = 0;
    let isSent = false;
    const machine = attempts.worker(async (step) => {
      isSent ||= /^before POST .*(tweets|threads_publish)$/.test(step);
      if (!isSent || failures >= 3 || step !== 'before insert publish_evidence') return;
      failures++;
      throw new PortError('unavailable', 'away');
    });
    for (let tries = 0; tries < 4; tries++) {
      await attempts.clock.advance(1_000);
      await machine.run(attempts.job).catch((error: unknown) => {
        if (!(error instanceof PortError)) throw error;
      });
    }
    await attempts.settle(machine);
    return { attempts, failures };
  }

  test('is known to who asked, and becomes evidence once the ledger is back: nobody asks again, nothing is in doubt', async () => {
    const { attempts, failures } = await answeredWhileAway();
    expect(failures).toBe(3);
    expect(attempts.concluded.map(({ verdict }) => verdict.kind)).toEqual(['published']);
    const steps = (await attempts.ledger.attempts(attempts.job.variantId)).map(({ step, outcome }) => [step, outcome]);
    expect(steps.filter(([step]) => step !== 'prepare')).toEqual([['publish', 'published']]);
    expect(attempts.clock.now() - attempts.job.dueAt).toBeLessThan(MINUTE);
  });

  test('a refusal in passing is followed by another try', async () => {
    const { attempts } = await answeredWhileAway('rate_limited');
    expect(attempts.concluded.map(({ verdict }) => verdict.kind)).toEqual(['published']);
    expect(await attempts.live()).toEqual([TEXT]);
  });
});

test('a definite failure is reported by the holder of the arm only', async () => {
  const attempts = await openPublishHarness('x');
  await attempts.fault('x_no_credits');
  let robbed = false;
  const machine = attempts.worker(async (step) => {
    if (step !== 'before insert publish_evidence' || robbed) return;
    robbed = true;
    const arm = (await attempts.ledger.readArm(attempts.job.variantId))!;
    await attempts.ledger.moveArm(
      attempts.job.variantId,
      arm,
      { ...arm, armToken: 'another sender', armedAt: attempts.clock.now() },
      'another sender',
    );
  });
  await machine.run(attempts.job);
  expect(attempts.concluded).toEqual([]);
});

describe('refused for now', () => {
  test('waits as long as the Network asks, and then publishes', async () => {
    const attempts = await openPublishHarness('x');
    const start = attempts.clock.now();
    await attempts.fault('rate_limited', { delayMs: 90_000 });
    expect((await ends(attempts)).kind).toBe('published');
    expect(attempts.clock.now() - start).toBeGreaterThanOrEqual(90_000);
  });

  test('waits longer each time, and fails with the reason past the latest start', async () => {
    const { adapter, calls } = saying({ publish: [{ kind: 'failed', failure: LATER, summary: SUMMARY }] });
    const attempts = await openPublishHarness('x', { adapter });
    expect(await ends(attempts)).toMatchObject({ kind: 'failed', reason: 'platform_problem' });
    expect(attempts.clock.now()).toBeLessThanOrEqual(attempts.job.latestStart);
    expect(calls.filter((call) => call === 'publish').length).toBeLessThan(30);
  });

  test('a Network that drops everything is not asked in a circle', async () => {
    const { adapter, calls } = saying({
      publish: [{ kind: 'unknown', summary: SUMMARY }],
      reconcile: [{ kind: 'absent', summary: SUMMARY }],
    });
    const attempts = await openPublishHarness('threads', { adapter });
    expect(await ends(attempts)).toMatchObject({ kind: 'failed', reason: 'missed_window' });
    expect(calls.filter((call) => call === 'publish').length).toBeLessThan(30);
  });

  test('the meaning of a refusal is kept while the Network can not tell yet whether it is absent', async () => {
    const unknown: ReconcileAnswer = { kind: 'unknown', delayMs: 5_000, summary: SUMMARY };
    const ifAbsent = { reason: 'rejected_by_platform', detail: 'spam', retry: 'never' } as const;
    const { adapter, calls } = saying({
      publish: [{ kind: 'unknown', ifAbsent, summary: SUMMARY }],
      reconcile: [unknown, unknown, { kind: 'absent', summary: SUMMARY }],
    });
    const attempts = await openPublishHarness('threads', { adapter });
    expect(await ends(attempts)).toEqual({ kind: 'failed', reason: 'rejected_by_platform', detail: 'spam' });
    expect(calls.filter((call) => call === 'publish')).toHaveLength(1);
  });

  test('after an answer the quiet time is not waited for', async () => {
    const { adapter } = saying({
      publish: [{ kind: 'unknown', summary: SUMMARY }],
      reconcile: [
        { kind: 'unknown', delayMs: 2_000, summary: SUMMARY },
        { kind: 'published', remoteId: 'r', permalink: null, summary: SUMMARY },
      ],
    });
    const attempts = await openPublishHarness('threads', { adapter });
    const start = attempts.clock.now();
    expect((await ends(attempts)).kind).toBe('published');
    expect(attempts.clock.now() - start).toBe(2_000);
  });
});

describe('tokens', () => {
  test('a refused token is refreshed once; refused again, the Channel needs a reconnect', async () => {
    const refused: PublishAnswer = {
      kind: 'failed',
      failure: { reason: 'needs_reconnect', detail: 'no', retry: 'refresh' },
      summary: SUMMARY,
    };
    const { adapter, calls } = saying({ publish: [refused] });
    const attempts = await openPublishHarness('x', { adapter });
    expect(await ends(attempts)).toMatchObject({ kind: 'failed', reason: 'needs_reconnect' });
    expect(calls.filter((call) => call === 'publish')).toHaveLength(2);
    expect(attempts.marked).toEqual(['needs_reconnect']);
  });

  test('an account that revoked us fails for a reconnect and marks the Channel', async () => {
    const attempts = await openPublishHarness('x');
    await attempts.control('POST', `/sandbox/accounts/${attempts.accountId}/revoke`);
    expect(await ends(attempts)).toMatchObject({ kind: 'failed', reason: 'needs_reconnect' });
    expect(attempts.marked).toEqual(['needs_reconnect']);
    expect(await attempts.live()).toEqual([]);
  });

  test('a token that can not be had for a while is waited for', async () => {
    const attempts = await openPublishHarness('x');
    let times = 0;
    const machine = attempts.worker(undefined, {
      tokensFor: async () =>
        times++ < 3 ? { kind: 'unavailable', delayMs: 5_000, detail: 'later' } : attempts.tokens(),
    });
    await machine.run(attempts.job);
    await attempts.settle(machine);
    expect(attempts.concluded.at(-1)!.verdict.kind).toBe('published');
  });

  test.each(['before any call', 'after a refusal'])('a token that can not be had, %s, is the reason', async (when) => {
    const attempts = await openPublishHarness('x');
    const detail = 'The Network could not refresh the tokens; it is asked again later.';
    const away = async () => ({ kind: 'unavailable', delayMs: 30_000, detail }) as const;
    if (when === 'after a refusal') await attempts.fault('token_revoked', { count: 1_000 });
    const machine = attempts.worker(undefined, when === 'before any call' ? { tokensFor: away } : { refreshNow: away });
    await machine.run(attempts.job);
    await attempts.settle(machine);
    expect(attempts.concluded.map(({ verdict }) => verdict)).toEqual([
      { kind: 'failed', reason: 'platform_problem', detail },
    ]);
    expect(attempts.clock.now()).toBeLessThanOrEqual(attempts.job.latestStart);
  });
});

describe('missed window', () => {
  test('a job that comes after its latest start fails without a call to the Network', async () => {
    const attempts = await openPublishHarness('x');
    const before = attempts.requests.length;
    await attempts.clock.advance(61 * MINUTE);
    expect(await ends(attempts)).toMatchObject({ kind: 'failed', reason: 'missed_window' });
    expect(attempts.requests).toHaveLength(before);
  });
});

describe('a retry of what may be live', () => {
  const lost: PublishAnswer = { kind: 'unknown', summary: SUMMARY };
  const nobodyKnows: ReconcileAnswer = { kind: 'unknown', delayMs: null, summary: SUMMARY };
  const live: ReconcileAnswer = { kind: 'published', remoteId: 'r', permalink: 'p', summary: SUMMARY };
  const again: PublishAnswer = { kind: 'published', remoteId: 'r2', permalink: null, summary: SUMMARY };

  test('asks the Network first, and what is live is not published again', async () => {
    const attempts = await openPublishHarness('x');
    await attempts.fault('drop_after_commit');
    const blind = attempts.worker(undefined, { tokensFor: async () => ({ kind: 'needs_reconnect', detail: 'gone' }) });
    await attempts.worker().run(attempts.job);
    await attempts.settle(blind);
    expect(attempts.concluded.at(-1)!.verdict.kind).toBe('unconfirmed');
    attempts.retry();
    expect((await ends(attempts)).kind).toBe('published');
    expect(await attempts.live()).toEqual([TEXT]);
  });

  test('when the Network can not tell, the retry by the Member decides, and it is published', async () => {
    const { adapter, calls } = saying({ publish: [lost, again], reconcile: [nobodyKnows] });
    const attempts = await openPublishHarness('x', { adapter });
    expect((await ends(attempts)).kind).toBe('unconfirmed');
    attempts.retry();
    expect(await ends(attempts)).toMatchObject({ kind: 'published', remoteId: 'r2', permalink: null });
    expect(calls.filter((call) => !call.includes(' '))).toEqual(['publish', 'reconcile', 'reconcile', 'publish']);
  });

  test('a retry that never came to publish leaves the next one asking about the first', async () => {
    const { adapter, calls } = saying({ publish: [lost], reconcile: [nobodyKnows, live] });
    const attempts = await openPublishHarness('x', { adapter });
    const armedAt = attempts.clock.now();
    expect((await ends(attempts)).kind).toBe('unconfirmed');
    attempts.retry();
    await attempts.clock.advance(61 * MINUTE);
    expect(await ends(attempts)).toMatchObject({ kind: 'failed', reason: 'missed_window' });
    attempts.retry();
    expect(await ends(attempts)).toMatchObject({ kind: 'published', remoteId: 'r' });
    expect(calls.filter((call) => call === 'publish')).toHaveLength(1);
    expect(calls.at(-1)).toBe(`reconcile made ${armedAt}`);
  });

  test('a retry that was refused leaves the next one asking about the first', async () => {
    const refused: PublishAnswer = {
      kind: 'failed',
      failure: { reason: 'rejected_by_platform', detail: 'no', retry: 'never' },
      summary: SUMMARY,
    };
    const { adapter, calls } = saying({ publish: [lost, refused], reconcile: [nobodyKnows, nobodyKnows, live] });
    const attempts = await openPublishHarness('x', { adapter });
    const armedAt = attempts.clock.now();
    await ends(attempts);
    attempts.retry();
    await attempts.clock.advance(MINUTE);
    expect(await ends(attempts)).toMatchObject({ reason: 'rejected_by_platform' });
    attempts.retry();
    expect((await ends(attempts)).kind).toBe('published');
    expect(calls.at(-1)).toBe(`reconcile made ${armedAt}`);
  });

  /** What the sender of the first attempt heard, of whose arm this was read before. */
  const writeLate = async ({ ledger, clock, job }: PublishHarness, arm: ArmRow | null): Promise<void> => {
    const now = clock.now();
    const heard = { attempt: 1, step: 'publish', id: 'late', startedAt: now, finishedAt: now } as const;
    const published = { outcome: 'published', detail: '', remoteId: 'heard', permalink: null, failure: null } as const;
    await ledger.writeEvidence(job.variantId, { ...heard, ...published, armToken: arm!.armToken });
  };

  test('evidence that its sender wrote late counts, without asking the Network', async () => {
    const { adapter, calls } = saying({ publish: [lost], reconcile: [nobodyKnows] });
    const attempts = await openPublishHarness('x', { adapter });
    await ends(attempts);
    await writeLate(attempts, await attempts.ledger.readArm(attempts.job.variantId));
    attempts.retry();
    expect(await ends(attempts)).toMatchObject({ kind: 'published', remoteId: 'heard' });
    expect(calls.filter((call) => !call.includes(' '))).toEqual(['publish', 'reconcile']);
  });

  test('evidence that its sender wrote while the retry waits ends the retry, which then sends nothing', async () => {
    const limited: PublishAnswer = { kind: 'failed', failure: { ...LATER, delayMs: 15 * MINUTE }, summary: SUMMARY };
    const { adapter, calls } = saying({ publish: [lost, limited, again], reconcile: [nobodyKnows] });
    const attempts = await openPublishHarness('x', { adapter });
    await ends(attempts);
    const arm = await attempts.ledger.readArm(attempts.job.variantId);
    attempts.retry();
    const machine = attempts.worker();
    await machine.run(attempts.job);
    await writeLate(attempts, arm);
    await attempts.settle(machine);
    expect(attempts.concluded.at(-1)!.verdict).toMatchObject({ kind: 'published', remoteId: 'heard' });
    expect(calls.filter((call) => call === 'publish')).toHaveLength(2);
  });

  test('a refused token is refreshed before asking is given up', async () => {
    const refused: ReconcileAnswer = { kind: 'unknown', delayMs: 5_000, tokenRefused: true, summary: SUMMARY };
    const { adapter } = saying({ publish: [lost], reconcile: [nobodyKnows, refused, live] });
    const attempts = await openPublishHarness('x', { adapter });
    await ends(attempts);
    attempts.retry();
    let refreshes = 0;
    const machine = attempts.worker(undefined, { refreshNow: async () => (refreshes++, attempts.tokens()) });
    await machine.run(attempts.job);
    await attempts.settle(machine);
    expect([refreshes, attempts.concluded.at(-1)!.verdict.kind]).toEqual([1, 'published']);
  });

  test('refused as a duplicate, it asks again and never calls it a refusal', async () => {
    const duplicate: PublishAnswer = {
      kind: 'failed',
      failure: { reason: 'rejected_by_platform', detail: 'You said that already.', retry: 'never', duplicate: true },
      summary: SUMMARY,
    };
    for (const [asked, expected] of [
      [live, 'published'],
      [nobodyKnows, 'unconfirmed'],
    ] as const) {
      const { adapter } = saying({ publish: [lost, duplicate], reconcile: [nobodyKnows, nobodyKnows, asked] });
      const attempts = await openPublishHarness('x', { adapter });
      await ends(attempts);
      attempts.retry();
      expect((await ends(attempts)).kind).toBe(expected);
    }
  });
});

test('of two runs of one job in a process, the one whose arm the other took back sends nothing', async () => {
  const attempts = await openPublishHarness('x');
  const [held, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  const machine = attempts.worker(async (step) => {
    if (isHeld || step !== 'after compareAndSet publish_arms') return;
    if ((await attempts.ledger.readArm(attempts.job.variantId))?.stage !== 'armed') return;
    isHeld = true;
    held.resolve();
    await woken.promise;
  });
  // Its partition is lost while its store has not answered yet, and won back.
  const first = machine.run(attempts.job);
  await held.promise;
  await machine.run(attempts.job);
  woken.resolve();
  await expect(first).rejects.toMatchObject({ kind: 'unavailable' });
  await machine.run(attempts.job);
  expect(attempts.requests.filter((request) => request.endsWith('/2/tweets'))).toHaveLength(1);
  expect(attempts.concluded.map(({ verdict }) => verdict.kind)).toEqual(['published', 'published']);
});

describe('repeats', () => {
  test('a repeated job reports the same verdict and does nothing else', async () => {
    const attempts = await openPublishHarness('threads');
    const verdict = await ends(attempts);
    const before = attempts.requests.length;
    await attempts.worker().run(attempts.job);
    expect(attempts.concluded.at(-1)!.verdict).toMatchObject({
      kind: 'published',
      remoteId: (verdict as { remoteId: string }).remoteId,
    });
    expect(attempts.requests).toHaveLength(before);
  });

  test('a job of an older attempt reports nothing', async () => {
    const { adapter } = saying({
      publish: [{ kind: 'unknown', summary: SUMMARY }],
      reconcile: [{ kind: 'unknown', delayMs: null, summary: SUMMARY }],
    });
    const attempts = await openPublishHarness('x', { adapter });
    const old = attempts.job;
    await ends(attempts);
    attempts.retry();
    await ends(attempts);
    const concluded = attempts.concluded.length;
    await attempts.worker().run(old);
    expect(attempts.concluded).toHaveLength(concluded);
  });

  test('a job that comes while the attempt waits ends at once and leaves a timer', async () => {
    const attempts = await openPublishHarness('x');
    await attempts.fault('rate_limited', { delayMs: 90_000 });
    const machine = attempts.worker();
    await machine.run(attempts.job);
    const [at] = attempts.timersSet();
    const before = attempts.requests.length;
    await machine.run(attempts.job);
    expect(attempts.requests).toHaveLength(before);
    expect(attempts.timersSet()).toEqual([at]);
  });
});
