import { expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createLedger } from '#tables/repositories/ledger.ts';
import { createLiveItems } from '#tables/repositories/live-items.ts';
import type { Brake } from '#tables/repositories/publishing-brake.ts';
import { commentDueAt } from './comment-attempts.ts';
import { COMMENT, COMMENT_NETWORKS, openCommentHarness } from './comment-harness.fixture.ts';

const HOUR = 3_600_000;

test.each(COMMENT_NETWORKS)(
  '%s: a first comment that the other installation sent is found, one that it did not send is sent, once',
  async (network) => {
    for (const wasSent of [true, false]) {
      const attempts = await openCommentHarness(network);
      const { job, clock } = attempts;
      if (wasSent) {
        const other = createMemoryTableStore({ clock });
        const machine = attempts.worker(undefined, { ledger: createLedger(other), liveItems: createLiveItems(other) });
        await machine.run(job);
        await attempts.settle(machine);
        expect(await attempts.comments()).toEqual([COMMENT]);
      }
      await clock.advance(HOUR);
      const at = clock.now();
      const released = { overdue: 'ask', at, by: 'operator' } as const;
      const restoration = { backupAt: job.dueAt, restoredAt: at - 60_000, released };
      const periods = [{ network: null, workspaceId: null, from: job.dueAt, until: at }];
      const known = async () => ({ holds: [], periods, restoration });
      const brake: Brake = { known, knownFromNowOn: known };
      const copy = createMemoryTableStore({ clock });
      const options = { ledger: createLedger(copy), liveItems: createLiveItems(copy), brake };
      const machine = attempts.worker(undefined, options);
      await machine.run(job);
      await attempts.settle(machine);
      const verdict = attempts.concluded.at(-1)!.verdict;
      expect(verdict, JSON.stringify(verdict)).toMatchObject({ kind: 'published' });
      expect(await attempts.comments(), `sent before: ${wasSent}`).toEqual([COMMENT]);
    }
  },
);

test('under a Variant that was found the comment is asked about, under one that was published anew it is not', async () => {
  const attempts = await openCommentHarness('x');
  const { job } = attempts;
  const restoration = { backupAt: 1_000, restoredAt: 5_000, released: null };
  const store = createMemoryTableStore({ clock: attempts.clock });
  const ledger = createLedger(store);
  expect(await commentDueAt(ledger, job, restoration)).toBeNull();
  const earlier = { handle: null, armedAt: 2_000, settled: false, restored: 5_000 };
  const arm = {
    attempt: 1,
    stage: 'closed',
    handle: null,
    armedAt: 0,
    armToken: '',
    sendBefore: 0,
    notBefore: 0,
  } as const;
  const found = { ...arm, asked: 0, failures: 0, refreshed: false, earlier, verdict: null };
  const row = await ledger.moveArm(job.variantId, null, found, 'found');
  expect(await commentDueAt(ledger, job, restoration)).toBe(2_000);
  expect(await commentDueAt(ledger, job, { ...restoration, restoredAt: 6_000 })).toBeNull();
  await ledger.moveArm(job.variantId, row, { ...found, settledRestore: 5_000 }, 'published anew');
  expect(await commentDueAt(ledger, job, restoration)).toBeNull();
});
