import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fixtureRenditions, MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { openPublishHarness, type PublishedItem } from './publish-harness.fixture.ts';
import { matrixPage, matrixSummary, matrixTable, type MatrixRow } from './fault-matrix-table.fixture.ts';
import {
  CRASHES,
  faultsOf,
  KINDS,
  mayBeUnconfirmed,
  type PublishCrash,
  type End,
  type FaultCase,
  type Kind,
} from './fault-matrix.fixture.ts';

const TEXT = 'Only once, please';

const CELLS = KINDS.flatMap((kind) =>
  faultsOf(kind).map((fault) => ({ kind, fault, name: `${kind.network} ${kind.kind}: ${nameOf(fault)}` })),
);

function nameOf({ fault, call, reason }: FaultCase): string {
  return [fault, reason, call === undefined ? undefined : `at ${call}`].filter((part) => part !== undefined).join(' ');
}

interface Ended {
  readonly end: End;
  readonly live: readonly PublishedItem[];
  /** The fault waits for a call that was made, and did not fire. */
  readonly missed: boolean;
  readonly died: boolean;
}

/**
 * The first worker dies at the crash; its successor, who knows the ledger only, goes on until nothing is left to do.
 */
async function endOf(kind: Kind, fault: FaultCase, crash: PublishCrash): Promise<Ended> {
  const files = fixtureRenditions(kind.files);
  const text = kind.placement === 'story' ? '' : TEXT;
  const attempts = await openPublishHarness(kind.network, {
    placement: kind.placement,
    text,
    renditions: { filesOf: async () => ({ kind: 'ready', files }) },
  });
  const { fault: name, ...more } = fault;
  if (name !== 'none') await attempts.fault(name, { call: kind.call, ...more });
  const { promise: died, resolve: die } = Promise.withResolvers<true>();
  const { call, step: irreversible } = kind;
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
  const isDead = await Promise.race([
    died,
    first
      .run(attempts.job)
      .then(() => attempts.settle(first))
      .then(() => false),
  ]);
  if (isDead) {
    const successor = attempts.worker();
    await successor.run(attempts.job);
    await attempts.settle(successor);
  }
  const verdict = attempts.concluded.at(0)!.verdict;
  const end: End = verdict.kind === 'failed' ? `failed ${verdict.reason}` : verdict.kind;
  const { faults } = await attempts.control('GET', '/sandbox/faults');
  const { calls } = await attempts.control('GET', `/sandbox/calls?network=${kind.network}`);
  const made = (calls as readonly { readonly call: string }[]).some((each) => each.call === (fault.call ?? call));
  return { end, live: await attempts.items(), missed: made && faults.length > 0, died: isDead };
}

/** What the public must see: this text, these very files, in this order. */
function wanted({ placement, files }: Kind) {
  return {
    placement,
    text: placement === 'story' ? '' : TEXT,
    files: files.map((name) => MEDIA_FIXTURES[name].sha256),
  };
}

function shownOf({ placement, text, media }: PublishedItem) {
  return { placement, text, files: media.map(({ sha256 }) => sha256) };
}

/** How each cell ended. */
const rows: MatrixRow[] = [];

describe('every kind of publication, every fault of its Network, a crash around the irreversible call', () => {
  test.each(CELLS)('$name', async ({ kind, fault }) => {
    const [ends, lives]: [End[], number[]] = [[], []];
    rows.push({ kind: `${kind.network} ${kind.kind}`, fault: nameOf(fault), ends, live: lives });
    for (const crash of CRASHES) {
      const { end, live, missed, died } = await endOf(kind, fault, crash);
      const at = `${crash}: ${end}, ${live.length} live`;
      expect(live.length, at).toBeLessThanOrEqual(1);
      if (end === 'published') expect(live.map(shownOf), at).toEqual([wanted(kind)]);
      else if (end === 'unconfirmed') expect(mayBeUnconfirmed(kind, fault, crash), at).toBe(true);
      else expect(live, at).toEqual([]);
      // A worker that never comes as far as to send can't die of it; then nothing was sent at all.
      if (crash !== 'no crash' && !died) expect(end, at).toMatch(/^failed/);
      expect(missed, `${at}: the fault did not fire`).toBe(false);
      ends.push(end);
      lives.push(live.length);
    }
  });

  test('its table, whole, is the one in the docs', async ({ skip }) => {
    if (rows.length < CELLS.length) return skip('only some cells were asked for');
    console.log(matrixTable(rows));
    const page = new URL('../../../docs/fault-matrix.md', import.meta.url).pathname;
    // `npx vitest run --project unit services/publisher/publish/fault-matrix.test.ts -u` writes it anew.
    await expect(matrixPage(rows)).toMatchFileSnapshot(page);
    const guarantees = readFileSync(new URL('../../../docs/guarantees.md', import.meta.url), 'utf8');
    expect(guarantees).toContain(matrixSummary(rows));
  });
});
