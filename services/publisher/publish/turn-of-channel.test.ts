import { describe, expect, test } from 'vitest';
import { HandOver } from '#consumer/hand-over.ts';
import type { HeldPeriod } from '#domain/publishing-holds.ts';
import { postIdOf, variantIdOf } from '#domain/post/ids.ts';
import type { Network } from '#domain/network.ts';
import type { NetworkAdapter } from '#networks/contract/adapter.ts';
import { noRenditions } from '#testing/publication.ts';
import type { ArmVerdict, Evidence } from '#tables/repositories/ledger.ts';
import { openPublishHarness, type PublishHarness, type WorkerOptions } from './publish-harness.fixture.ts';
import type { PublishMachine } from './machine.ts';
import { ALONE } from './turn-of-channel.ts';
import { readPublication, type VariantJob } from './variant-attempts.ts';

type Interruption = (step: string, of: number) => Promise<void>;
const MAX_STEPS = 300;
const FIRST = 'the first one';
const SECOND = 'the second one';

/** Two Variants of one Channel, the second of which is worked on beside the first. */
class TwoVariants {
  readonly attempts: PublishHarness;
  readonly jobs: readonly [VariantJob, VariantJob];
  /** How often the text of the second one was read. */
  readings = 0;
  /** Texts with what the Workspace was told of them. */
  readonly told: { readonly text: string; readonly verdict: ArmVerdict }[] = [];

  constructor(attempts: PublishHarness) {
    this.attempts = attempts;
    const other = variantIdOf(postIdOf('019abcde-0000-7000-8000-000000000007'), 1);
    this.jobs = [attempts.job, { ...attempts.job, variantId: other, ledgerId: other, dueAt: attempts.job.dueAt + 1 }];
  }

  worker(interrupt: (step: string) => Promise<void> = async () => {}, options: WorkerOptions = {}) {
    return this.attempts.worker(interrupt, {
      readContent: (job) => {
        const isFirst = job.variantId === this.jobs[0].variantId;
        if (!isFirst) this.readings++;
        const said = { text: isFirst ? FIRST : SECOND, title: null, options: {}, altTexts: [] };
        return readPublication(job, said, { source: noRenditions, clock: this.attempts.clock });
      },
      conclude: async (job, verdict) => {
        await interrupt('before conclude');
        this.told.push({ text: job.variantId === this.jobs[0].variantId ? FIRST : SECOND, verdict });
        await interrupt('after conclude');
      },
      ...options,
    });
  }

  /** As a pipelined consumer has them handled. `interrupt` is told which of the two takes the step. */
  async run(interrupt: Interruption = async () => {}, options: WorkerOptions = {}): Promise<void> {
    const turn = new HandOver(() => true);
    // One memory of what the Network asked for.
    const machines = [0, 1].map((of) => this.worker((step) => interrupt(step, of), options));
    const [first, second] = this.jobs;
    const one = machines[0]!.run(first, { ...ALONE, pass: () => turn.pass() }).then(
      () => turn.end(),
      (error: unknown) => {
        turn.refuse();
        throw error;
      },
    );
    await Promise.all([one, machines[1]!.run(second, { ...ALONE, predecessor: turn })]);
  }

  async armsWithoutEvidence(): Promise<number> {
    const { ledger } = this.attempts;
    const unknown = await Promise.all(
      this.jobs.map(async ({ ledgerId }) => {
        const row = await ledger.readArm(ledgerId);
        const isAnswered = ({ step, armToken }: Evidence) => step === 'publish' && armToken === row?.armToken;
        return row?.stage === 'armed' && !(await ledger.attempts(ledgerId)).some(isAnswered);
      }),
    );
    return unknown.filter(Boolean).length;
  }
}

async function openTwo(network: Network = 'x', options: Parameters<typeof openPublishHarness>[1] = {}) {
  const attempts = await openPublishHarness(network, options);
  await attempts.control('POST', '/sandbox/timing', { network, factor: 0 });
  return new TwoVariants(attempts);
}

const IRREVERSIBLE = /POST .*(tweets|threads_publish)$/;
const ARMS = 'compareAndSet publish_arms';

/** Waits from the step on at which `holds`: for ever, as in a crash, or until `goOn`. */
function stopping(holds: (step: string, of: number) => boolean, only: 'all' | number = 'all') {
  const { promise: reached, resolve } = Promise.withResolvers<string>();
  const { promise: released, resolve: goOn } = Promise.withResolvers<void>();
  const seen: string[] = [];
  let isStopped = false;
  const interrupt: Interruption = async (step, of) => {
    if (!isStopped && holds(step, of)) {
      isStopped = true;
      resolve(`${of + 1} ${step}`);
    }
    if (isStopped && (only === 'all' || only === of)) await released;
    seen.push(`${of + 1} ${step}`);
  };
  return { reached, seen, interrupt, goOn };
}

/** Turns of the event loop in which all goes on that waits for nothing but promises and timers of the test. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe.each(['x', 'threads'] as const)('%s: while the first one is on its way', (network) => {
  test('all that can be repeated is done for the second one, and no more', async () => {
    const two = await openTwo(network);
    const { reached, seen, interrupt } = stopping((step, of) => of === 0 && IRREVERSIBLE.test(step), 0);
    void two.run(interrupt);
    await reached;
    await idle();
    const ofSecond = seen.filter((step) => step.startsWith('2'));
    expect(ofSecond.some((step) => step.includes('before POST'))).toBe(network === 'threads');
    expect(ofSecond.filter((step) => IRREVERSIBLE.test(step) || step.includes(ARMS))).toEqual([]);
  });

  test('the second one is not armed before it is on the disk what the Network said of the first', async () => {
    const two = await openTwo(network);
    let isAnswered = false;
    const { reached, seen, interrupt } = stopping((step, of) => {
      isAnswered ||= of === 0 && step.startsWith('after') && IRREVERSIBLE.test(step);
      return of === 0 && isAnswered && step === 'before insert publish_evidence';
    }, 0);
    await Promise.race([reached, two.run(interrupt).then(() => expect.unreachable('it did not stop'))]);
    await idle();
    expect(seen.filter((step) => step.startsWith('2') && step.includes(ARMS))).toEqual([]);
  });

  test('the second one is called right after it, once armed, while the first is still told', async () => {
    const two = await openTwo(network);
    const { reached, interrupt } = stopping((step, of) => of === 0 && step === 'before conclude', 0);
    await Promise.race([reached, two.run(interrupt).then(() => expect.unreachable('it did not stop'))]);
    await expect.poll(() => two.attempts.live()).toEqual([FIRST, SECOND]);
    expect(two.readings).toBe(1);
  });
});

describe.each(['x', 'threads'] as const)('%s: what becomes of the first one decides about the second', (network) => {
  test('a token that died is not used again', async () => {
    const two = await openTwo(network);
    await two.attempts.fault('token_revoked', { call: network === 'x' ? 'tweets.create' : 'threads.publish' });
    await two.run().catch(() => {});
    const calls = two.attempts.requests.filter((request) => IRREVERSIBLE.test(request));
    expect(calls).toHaveLength(1);
    expect(two.told).toMatchObject([
      { text: FIRST, verdict: { kind: 'failed', reason: 'needs_reconnect' } },
      { text: SECOND, verdict: { kind: 'failed', reason: 'needs_reconnect' } },
    ]);
  });

  test('what is held meanwhile is given back, and not sent', async () => {
    const two = await openTwo(network);
    let periods: readonly HeldPeriod[] = [];
    const known = async () => ({ holds: [], periods, restoration: null });
    const brake = { known, knownFromNowOn: known };
    const hold = async (step: string, of: number): Promise<void> => {
      if (of === 0 && step.startsWith('after') && IRREVERSIBLE.test(step))
        periods = [{ network: null, workspaceId: null, from: two.attempts.clock.now(), until: null }];
    };
    await two.run(hold, { brake });
    expect(await two.attempts.live()).toEqual([FIRST]);
    expect(two.attempts.givenBack).toEqual([1]);
  });

  test('it waits where the Network has taken the first one and asks for a pause', async () => {
    const summary = { status: 200, detail: '', pause: { scope: 'account', forMs: 60_000 } } as const;
    const sent: string[] = [];
    const adapter = (real: NetworkAdapter): NetworkAdapter => ({
      ...real,
      publish: async ({ text }) => (
        sent.push(text),
        { kind: 'published', remoteId: `r${sent.length}`, permalink: null, summary }
      ),
    });
    const two = await openTwo(network, { adapter });
    const machine = two.worker();
    await runBoth(machine, two);
    expect(sent).toEqual([FIRST]);
    expect(two.attempts.timersSet()[0]).toBeGreaterThanOrEqual(two.attempts.clock.now() + 60_000);
    await two.attempts.settle(machine);
    expect(sent).toEqual([FIRST, SECOND]);
  });
});

/** With one worker, which knows what the Network asked it for. */
async function runBoth(machine: PublishMachine<VariantJob, any>, { jobs: [first, second] }: TwoVariants) {
  const turn = new HandOver(() => true);
  const one = machine.run(first, { ...ALONE, pass: () => turn.pass() }).then(() => turn.end());
  await Promise.all([one, machine.run(second, { ...ALONE, predecessor: turn })]);
}

test('what was found out long before its turn is found out anew', async () => {
  const two = await openTwo();
  await two.run(async (step, of) => {
    if (of === 0 && step.startsWith('before') && IRREVERSIBLE.test(step)) {
      await expect.poll(() => two.readings).toBe(1);
      await two.attempts.clock.advance(5_001);
    }
  });
  expect(two.readings).toBe(2);
  expect(await two.attempts.live()).toEqual([FIRST, SECOND]);
});

test('what was prepared out of turn is kept when the first one fails', async () => {
  const two = await openTwo('threads');
  await two.attempts.fault('5xx_before_commit', { call: 'threads.publish' });
  await two.run();
  await two.attempts.settle(two.worker());
  expect((await two.attempts.live()).toSorted()).toEqual([FIRST, SECOND]);
  expect(two.attempts.requests.filter((request) => /POST .*\/threads$/.test(request))).toHaveLength(2);
});

/** What was reported is true, nothing is live twice, and of both something was reported. */
async function expectTheTruth({ attempts, told }: TwoVariants, network: Network, at: string): Promise<void> {
  const live = await attempts.live();
  expect(live.length, `live after ${at}`).toBe(new Set(live).size);
  for (const text of [FIRST, SECOND]) {
    const verdict = told.find((each) => each.text === text)?.verdict;
    expect(verdict, `nothing was said of ${text} after ${at}`).toBeDefined();
    if (verdict!.kind !== 'unconfirmed') expect(live.includes(text), `${text} after ${at}`).toBe(isLive(verdict!));
    else expect(verdict!.detail, at).toContain('may be live');
    if (network === 'threads') expect(verdict!.kind, at).toBe('published');
  }
}

const isLive = ({ kind }: ArmVerdict): boolean => kind === 'published';
const FAULTS = [null, 'drop_before_commit', 'drop_after_commit', '5xx_before_commit', '5xx_after_commit'] as const;
const CASES = (['x', 'threads'] as const).flatMap((network) => FAULTS.map((fault) => ({ network, fault })));

describe.each(CASES)('$network, $fault', ({ network, fault }) => {
  test('a worker killed between any two steps leaves one unknown outcome at most, and successors end both with the truth', async () => {
    for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
      const two = await openTwo(network);
      if (fault !== null) await two.attempts.fault(fault);
      let steps = 0;
      const { reached, interrupt } = stopping(() => ++steps >= stopAt);
      const at = await Promise.race([reached, two.run(interrupt).then(() => null)]);
      expect(await two.armsWithoutEvidence(), `after a crash at ${at}`).toBeLessThanOrEqual(1);
      const successor = two.worker();
      for (const job of two.jobs) await successor.run(job);
      await two.attempts.settle(successor);
      await expectTheTruth(two, network, `a crash at ${at}`);
      const unknown = two.told.filter(({ verdict }) => verdict.kind === 'unconfirmed');
      if (fault === null) expect(new Set(unknown.map(({ text }) => text)).size, `${at}`).toBeLessThanOrEqual(1);
      if (at === null) return;
    }
    throw new Error('the attempts never ended');
  });

  test('a worker held up between any two steps that goes on after its successor ended both makes nothing live twice', async () => {
    for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
      const two = await openTwo(network);
      if (fault !== null) await two.attempts.fault(fault);
      let steps = 0;
      const { reached, interrupt, goOn } = stopping(() => ++steps >= stopAt);
      const ended = two.run(interrupt).then(() => null);
      const at = await Promise.race([reached, ended]);
      const successor = two.worker();
      for (const job of two.jobs) await successor.run(job);
      await two.attempts.settle(successor);
      const told = [...two.told];
      goOn();
      await ended;
      await two.attempts.settle(two.worker());
      const live = await two.attempts.live();
      expect(live.length, `live after being held up ${at}`).toBe(new Set(live).size);
      for (const { text, verdict } of told)
        if (verdict.kind === 'failed') expect(live, at ?? 'the end').not.toContain(text);
      if (at === null) return;
    }
    throw new Error('the attempts never ended');
  });
});
