import { expect, test } from 'vitest';
import { MAX_APART_MS } from '#domain/workspace/clock-skew.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createLedger, type Arm } from '#tables/repositories/ledger.ts';
import { createLiveItems } from '#tables/repositories/live-items.ts';
import { COMMENT, openCommentHarness } from './comment-harness.fixture.ts';

test('a first comment has an arm of its own, so that the one of its Variant is not taken for it', async () => {
  const attempts = await openCommentHarness('x');
  const { job, clock } = attempts;
  const store = createMemoryTableStore({ clock });
  const ledger = createLedger(store);
  const ofVariant: Arm = {
    ...{ attempt: 1, stage: 'closed', handle: null, armedAt: clock.now(), armToken: 'sent', sendBefore: 0 },
    ...{ notBefore: 0, asked: 0, failures: 0, refreshed: false, earlier: null },
    verdict: { kind: 'published', remoteId: job.itemId, permalink: null },
  };
  await ledger.moveArm(job.variantId, null, ofVariant, 'published');
  const machine = attempts.worker(undefined, { ledger, liveItems: createLiveItems(store) });
  await machine.run(job);
  await attempts.settle(machine);
  expect(await attempts.comments()).toEqual([COMMENT]);
  expect(attempts.concluded.at(-1)?.verdict).toMatchObject({ kind: 'published' });
  expect(await ledger.readArm(job.variantId)).toMatchObject(ofVariant);
});

test('a comment that is held is not woken at once by a clock that leads, nor more often for being woken twice', async () => {
  const attempts = await openCommentHarness('x');
  const periods = [{ network: null, workspaceId: null, from: attempts.clock.now(), until: null }];
  const known = async () => ({ holds: [], periods, restoration: null });
  const machine = attempts.worker(undefined, { giveBack: null, brake: { known, knownFromNowOn: known } });
  await machine.run(attempts.job);
  await attempts.clock.advance(1_000);
  await machine.run(attempts.job);
  const [first, ...others] = attempts.timersSet();
  expect(first).toBeGreaterThan(attempts.clock.now() + MAX_APART_MS);
  expect(others).toEqual([]);
  expect(await attempts.comments()).toEqual([]);
});
