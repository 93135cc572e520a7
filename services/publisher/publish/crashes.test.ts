import { describe, expect, test } from 'vitest';
import type { NetworkComments } from '#networks/contract/adapter.ts';
import type { AttemptJob } from './attempt.ts';
import type { AttemptWorkers } from './attempt-workers.fixture.ts';
import { COMMENT, COMMENT_NETWORKS, openCommentHarness, type CommentHarness } from './comment-harness.fixture.ts';
import { commentMayBeUnconfirmed, faultOfComment } from './comment-matrix.fixture.ts';
import { openPublishHarness, TEXT, type PublishHarness } from './publish-harness.fixture.ts';
import { ALONE, type RunContext } from './turn-of-channel.ts';

const FAULTS = [null, 'drop_before_commit', 'drop_after_commit', '5xx_before_commit', '5xx_after_commit'] as const;
/** Whether a successor takes the job for new, which it is not: the hint of its consumer may be wrong. */
const TAKEN_FOR = ['a repeat', 'new'] as const;
const CASES = (['x', 'threads'] as const).flatMap((network) =>
  FAULTS.flatMap((fault) => TAKEN_FOR.map((takenFor) => ({ network, fault, takenFor }))),
);
const NEW: RunContext = { ...ALONE, mayBeRepeat: false };
const MAX_STEPS = 200;

/** The reported verdict is true, and nothing is live twice. */
async function expectTheTruth(attempts: PublishHarness, network: 'x' | 'threads', at: string): Promise<void> {
  const live = await attempts.live();
  expect(live.length, `live after ${at}`).toBeLessThanOrEqual(1);
  const verdict = attempts.concluded.at(0)?.verdict;
  expect(verdict, `nothing was said after ${at}`).toBeDefined();
  if (verdict!.kind === 'published') expect(live, at).toEqual([TEXT]);
  if (verdict!.kind === 'failed') expect(live, at).toEqual([]);
  if (verdict!.kind === 'unconfirmed') expect(verdict!.detail).toContain('may be live');
  if (network === 'threads') expect(verdict!.kind, at).toBe('published');
}

/**
 * Runs the job with a first worker who stops before its step `stopAt`; where it stopped, or null when it came to its
 * end.
 */
async function runUntil<Job extends AttemptJob, Content>(
  attempts: Pick<AttemptWorkers<Job, Content>, 'worker'> & { readonly job: Job },
  stopAt: number,
): Promise<{ readonly at: string | null; readonly goOn: () => Promise<void> }> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<string>();
  let steps = 0;
  const machine = attempts.worker(async (step) => {
    if (++steps !== stopAt) return;
    stop(step);
    await released;
  });
  const ended = machine.run(attempts.job, NEW).then(() => null);
  const at = await Promise.race([stopped, ended]);
  return {
    at,
    goOn: async () => {
      release();
      await ended;
    },
  };
}

describe.each(CASES)('$network, $fault, for its successor $takenFor', ({ network, fault, takenFor }) => {
  const context = takenFor === 'new' ? NEW : ALONE;

  test('a worker killed between any two steps: its successor ends the attempt, live once at most, with a true verdict', async () => {
    for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
      const attempts = await openPublishHarness(network);
      if (fault !== null) await attempts.fault(fault);
      const { at } = await runUntil(attempts, stopAt);
      const successor = attempts.worker();
      await successor.run(attempts.job, context);
      await attempts.settle(successor);
      await expectTheTruth(attempts, network, `a crash ${at}`);
      if (at === null) return;
    }
    throw new Error('the attempt never ended');
  });

  test('a worker held up between any two steps that goes on after its successor ended the attempt makes nothing live twice', async () => {
    for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
      const attempts = await openPublishHarness(network);
      if (fault !== null) await attempts.fault(fault);
      const { at, goOn } = await runUntil(attempts, stopAt);
      const successor = attempts.worker();
      await successor.run(attempts.job, context);
      await attempts.settle(successor);
      const verdict = attempts.concluded.at(0)!.verdict;
      await goOn();
      await attempts.settle(attempts.worker());
      const live = await attempts.live();
      expect(live.length, `live after being held up ${at}`).toBeLessThanOrEqual(1);
      if (verdict.kind === 'failed') expect(live, at ?? 'the end').toEqual([]);
      if (at === null) return;
    }
    throw new Error('the attempt never ended');
  });
});

const COMMENT_FAULTS = [null, 'drop_before_commit', 'drop_after_commit', '5xx_after_commit', 'delay'] as const;
const COMMENT_CASES = COMMENT_NETWORKS.flatMap((network) => COMMENT_FAULTS.map((fault) => ({ network, fault })));
type CommentCase = (typeof COMMENT_CASES)[number];

async function openComment({ network, fault }: CommentCase): Promise<CommentHarness> {
  const attempts = await openCommentHarness(network);
  if (fault !== null) await attempts.fault(fault, faultOfComment(network, fault));
  return attempts;
}

/** The reported verdict is true, and no comment is there twice. */
async function expectTheTruthOfComment(attempts: CommentHarness, { network, fault }: CommentCase, at: string) {
  const comments = await attempts.comments();
  expect(comments.length, `comments after ${at}`).toBeLessThanOrEqual(1);
  expect((await attempts.items()).length, `items after ${at}`).toBe(1);
  const verdict = attempts.concluded.at(0)?.verdict;
  expect(verdict, `nothing was said after ${at}`).toBeDefined();
  if (verdict!.kind === 'published') expect(comments, at).toEqual([COMMENT]);
  if (verdict!.kind === 'failed') expect(comments, at).toEqual([]);
  const cell = { network, fault: { fault: fault ?? 'none' } };
  if (verdict!.kind === 'unconfirmed') expect(commentMayBeUnconfirmed(cell, 'before send'), at).toBe(true);
}

describe.each(COMMENT_CASES)('the first comment on $network, $fault', (about) => {
  test('a worker killed between any two steps: its successor ends it, with one comment at most and a true verdict', async () => {
    for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
      const attempts = await openComment(about);
      const { at } = await runUntil(attempts, stopAt);
      const successor = attempts.worker();
      await successor.run(attempts.job);
      await attempts.settle(successor);
      await expectTheTruthOfComment(attempts, about, `a crash ${at}`);
      if (at === null) return;
    }
    throw new Error('the attempt never ended');
  });

  test('a worker held up between any two steps that goes on after its successor ended it makes no second comment', async () => {
    for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
      const attempts = await openComment(about);
      const { at, goOn } = await runUntil(attempts, stopAt);
      const successor = attempts.worker();
      await successor.run(attempts.job);
      await attempts.settle(successor);
      await goOn();
      await attempts.settle(attempts.worker());
      await expectTheTruthOfComment(attempts, about, `being held up ${at}`);
      if (at === null) return;
    }
    throw new Error('the attempt never ended');
  });
});

/** A defect: what the Network does not show yet is taken for absent, and is sent again from the start. */
const hasty = (real: NetworkComments): NetworkComments => ({
  ...real,
  reconcile: async () => ({
    kind: 'failed',
    failure: { reason: 'platform_problem', retry: 'later', detail: 'not there' },
    handle: null,
    summary: { status: 200, detail: 'not there' },
  }),
});

test.each(COMMENT_NETWORKS)(
  'a comment on %s that is sent again after an unknown outcome is noticed here',
  async (network) => {
    const about = { network, fault: 'drop_after_commit' } as const;
    const attempts = await openCommentHarness(network, { adapter: hasty });
    await attempts.fault(about.fault, faultOfComment(network, about.fault));
    const worker = attempts.worker();
    await worker.run(attempts.job);
    await attempts.settle(worker);
    await expect(expectTheTruthOfComment(attempts, about, 'no crash')).rejects.toThrow('no crash');
  },
);
