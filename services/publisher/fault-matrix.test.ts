import { describe, expect, test } from 'vitest';
import { openAttempts } from './attempts.fixture.ts';
import { CRASHES, FAULTS, KINDS, mayBeUnconfirmed, type Crash, type End, type FaultCase, type Kind } from './fault-matrix.ts';

const CELLS = KINDS.flatMap((kind) => (FAULTS[kind.network] ?? []).map((fault) => ({ kind, fault, name: `${kind.network} ${kind.kind}: ${nameOf(fault)}` })));

/** The irreversible call: how the sandbox names it, and how it looks from here. */
const IRREVERSIBLE: Readonly<Record<string, { readonly call: string; readonly step: RegExp }>> = {
  x: { call: 'tweets.create', step: /POST \/sim\/x\/2\/tweets$/ },
  threads: { call: 'threads.publish', step: /POST .*\/threads_publish$/ },
};

function nameOf({ fault, call, reason }: FaultCase): string {
  return [fault, reason, call === undefined ? undefined : `at ${call}`].filter((part) => part !== undefined).join(' ');
}

interface Ended {
  readonly end: End;
  readonly live: readonly string[];
  /** The fault waits for a call that was made, and did not fire. */
  readonly missed: boolean;
  readonly died: boolean;
}

/** The first worker dies at the crash; its successor, who knows the ledger only, goes on until nothing is left to do. */
async function endOf(kind: Kind, fault: FaultCase, crash: Crash): Promise<Ended> {
  const attempts = await openAttempts(kind.network, { placement: kind.placement, text: kind.text });
  const { fault: name, ...more } = fault;
  if (name !== 'none') await attempts.fault(name, more);
  const { promise: died, resolve: die } = Promise.withResolvers<true>();
  const { call, step: irreversible } = IRREVERSIBLE[kind.network]!;
  let sent = false;
  const first = attempts.worker(async (step) => {
    sent ||= step.startsWith('after ') && irreversible.test(step);
    const here =
      (crash === 'before send' && step.startsWith('before ') && irreversible.test(step)) ||
      (crash === 'after send' && sent) ||
      (crash === 'after write' && sent && step === 'after insert publish_evidence');
    if (!here) return;
    die(true);
    await new Promise(() => {});
  });
  const isDead = await Promise.race([died, first.run(attempts.job).then(() => attempts.settle(first)).then(() => false)]);
  if (isDead) {
    const successor = attempts.worker();
    await successor.run(attempts.job);
    await attempts.settle(successor);
  }
  const verdict = attempts.told.at(0)!.verdict;
  const end: End = verdict.kind === 'failed' ? `failed ${verdict.reason}` : verdict.kind;
  const { faults } = await attempts.control('GET', '/sandbox/faults');
  const { calls } = await attempts.control('GET', `/sandbox/calls?network=${kind.network}`);
  const made = (calls as readonly { readonly call: string }[]).some((each) => each.call === (fault.call ?? call));
  return { end, live: await attempts.live(), missed: made && faults.length > 0, died: isDead };
}

describe('every kind of publication, every fault of its Network, a crash around the irreversible call', () => {
  test.each(CELLS)('$name', async ({ kind, fault }) => {
    for (const crash of CRASHES) {
      const { end, live, missed, died } = await endOf(kind, fault, crash);
      const at = `${crash}: ${end}, ${live.length} live`;
      expect(live.length, at).toBeLessThanOrEqual(1);
      if (end === 'published') expect(live, at).toEqual([kind.text]);
      else if (end === 'unconfirmed') expect(mayBeUnconfirmed(kind, fault, crash), at).toBe(true);
      else expect(live, at).toEqual([]);
      // A worker that never comes as far as to send can't die of it; then nothing was sent at all.
      if (crash !== 'no crash' && !died) expect(end, at).toMatch(/^failed/);
      expect(missed, `${at}: the fault did not fire`).toBe(false);
    }
  });
});
