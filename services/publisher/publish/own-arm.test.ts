import { expect, test } from 'vitest';
import { MAX_APART_MS } from '#domain/workspace/clock-skew.ts';
import type { NetworkAdapter } from '#networks/contract/adapter.ts';
import { openPublishHarness } from './publish-harness.fixture.ts';

const SUMMARY = { status: 0, detail: 'said by the test' };

test('who armed a call asks about it by its own clock, and another process as if theirs were a minute apart', async () => {
  const skews: (number | undefined)[] = [];
  const adapter = (real: NetworkAdapter): NetworkAdapter => ({
    ...real,
    prepare: async () => ({ kind: 'ready', handle: 'made', summary: SUMMARY }),
    publish: async () => ({ kind: 'unknown', summary: SUMMARY }),
    reconcile: async (_, { clockSkewMs }) => {
      skews.push(clockSkewMs);
      return { kind: 'unknown', delayMs: 1_000, summary: SUMMARY };
    },
  });
  const attempts = await openPublishHarness('threads', { adapter });
  const [armer, other] = [attempts.worker(), attempts.worker()];
  for (const worker of [armer, armer, other]) {
    await worker.run(attempts.job);
    await attempts.clock.advance(2_000);
  }
  expect(skews).toEqual([0, 0, MAX_APART_MS]);
});
