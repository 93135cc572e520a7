import { expect, test } from 'vitest';
import { openAdminHarness, START } from './admin-harness.fixture.ts';

test('cluster.status names each process with what it knows, what is written, and why no more is', async () => {
  const process = { instance: 'pod-1', roles: ['workspace'], version: '0.1.0', format: 2 };
  await using harness = await openAdminHarness(() => ({
    cluster: {
      status: async () => ({
        processes: [{ ...process, startedAt: START, seenAt: START + 1_000 }],
        ...{ schemaVersion: 7, format: 1, changedBy: '0.0.9', canRaiseTo: 2, why: 'every process reads format 2' },
      }),
      raiseFormat: async () => 2,
    },
  }));
  expect(await harness.caller.cluster.status()).toEqual({
    processes: [
      {
        ...{ instance: 'pod-1', roles: ['workspace'], version: '0.1.0', knows: 2 },
        ...{ startedAt: '2026-11-20T12:00:00.000Z', seenAt: '2026-11-20T12:00:01.000Z' },
      },
    ],
    ...{ schemaVersion: 7, writes: 1, changedBy: '0.0.9', canRaiseTo: 2, why: 'every process reads format 2' },
  });
  expect(await harness.caller.cluster.raiseFormat()).toEqual({ writes: 2 });
  await expect(harness.caller.cluster.raiseFormat({ to: 3 } as never)).rejects.toThrow('to is not a known field.');
});
