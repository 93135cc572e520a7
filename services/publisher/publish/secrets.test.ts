import { describe, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { Echoes } from '#testing/echoes.ts';
import { fixtureRenditions } from '#testing/media-fixtures.ts';
import { openPublishHarness } from './publish-harness.fixture.ts';
import { faultsOf, KINDS, type FaultCase, type Kind } from './fault-matrix.fixture.ts';

const CELLS = KINDS.flatMap((kind) =>
  faultsOf(kind).map((fault) => ({
    kind,
    fault,
    name: `${kind.network} ${kind.kind}: ${Object.values(fault).join(' ')}`,
  })),
);

/** What is reported, logged and shown of an attempt whose Network echoes every value that it receives. */
async function toldOf(kind: Kind, { fault, ...more }: FaultCase, echoes: Echoes): Promise<string> {
  const files = fixtureRenditions(kind.files);
  const attempts = await openPublishHarness(kind.network, {
    placement: kind.placement,
    text: kind.placement === 'story' ? '' : 'Hello',
    renditions: { filesOf: async () => ({ kind: 'ready', files }) },
    http: (real) => echoes.around(real),
  });
  if (fault !== 'none') await attempts.fault(fault, { call: kind.call, ...more });
  const reporter = createMemoryReporter();
  const worker = attempts.worker(async () => {}, { reporter });
  await worker.run(attempts.job);
  await attempts.settle(worker);
  expect(attempts.concluded, 'the attempt has not ended').not.toEqual([]);
  // Handles may hold the address of an upload: they are for publishers, and nothing shows them.
  const evidence = (await attempts.ledger.attempts(attempts.job.variantId)).map(({ handle: _, ...shown }) => shown);
  return JSON.stringify([attempts.concluded, evidence, reporter.events]);
}

describe('no secret shows in the ledger, in the log or in a verdict, whatever a Network repeats', () => {
  test.each(CELLS)('$name', async ({ kind, fault }) => {
    // The second time so that what is cut off after 500 characters ends in the middle of a secret.
    for (const echoes of [new Echoes(), new Echoes(` ${'.'.repeat(420)} Bearer `)]) {
      const concluded = await toldOf(kind, fault, echoes);
      expect(echoes.secrets.size).toBeGreaterThan(2);
      expect(echoes.foundIn(concluded), concluded).toEqual([]);
    }
  });
});
