import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fixtureRenditions, MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { COMMENT } from './comment-harness.fixture.ts';
import { COMMENT_CELLS, commentMayBeUnconfirmed, endOfComment } from './comment-matrix.fixture.ts';
import { runWithCrash } from './crash.fixture.ts';
import { openPublishHarness } from './publish-harness.fixture.ts';
import type { PublishedItem } from './sandbox-channel.fixture.ts';
import { matrixPage, matrixSummary, matrixTable, type MatrixRow } from './fault-matrix-table.fixture.ts';
import {
  CRASHES,
  endOfVerdict,
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
  const died = await runWithCrash(attempts, attempts.job, kind.step, crash);
  const end = endOfVerdict(attempts.concluded.at(0)!.verdict);
  const { faults } = await attempts.control('GET', '/sandbox/faults');
  const { calls } = await attempts.control('GET', `/sandbox/calls?network=${kind.network}`);
  const made = (calls as readonly { readonly call: string }[]).filter(
    (each) => each.call === (fault.call ?? kind.call),
  );
  // What is lost with its container is published a second time at least.
  const missed = name === 'lost_container' ? made.length < 2 : made.length > 0 && faults.length > 0;
  return { end, live: await attempts.items(), missed, died };
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

  test.each(COMMENT_CELLS.map((cell) => ({ ...cell, name: nameOf(cell.fault) })))(
    '$network first comment: $name',
    async ({ name, ...cell }) => {
      const [ends, lives]: [End[], number[]] = [[], []];
      rows.push({ kind: `${cell.network} first comment`, fault: name, ends, live: lives });
      for (const crash of CRASHES) {
        const { end, comments, items, missed, died } = await endOfComment(cell, crash);
        const at = `${crash}: ${end}, ${comments.length} live`;
        expect(items, `${at}: of the Variant that it is on`).toBe(1);
        if (end === 'published') expect(comments, at).toEqual([COMMENT]);
        else if (end === 'unconfirmed') expect(commentMayBeUnconfirmed(cell, crash), at).toBe(true);
        else expect(comments, at).toEqual([]);
        expect(comments.length, at).toBeLessThanOrEqual(1);
        if (crash !== 'no crash' && !died) expect(end, at).toMatch(/^failed/);
        expect(missed, `${at}: the fault did not fire`).toBe(false);
        ends.push(end);
        lives.push(comments.length);
      }
    },
  );

  test('its table, whole, is the one in the docs', async ({ skip }) => {
    if (rows.length < CELLS.length + COMMENT_CELLS.length) return skip('only some cells were asked for');
    console.log(matrixTable(rows));
    const page = new URL('../../../docs/fault-matrix.md', import.meta.url).pathname;
    // `npx vitest run --project unit services/publisher/publish/fault-matrix.test.ts -u` writes it anew.
    await expect(matrixPage(rows)).toMatchFileSnapshot(page);
    const guarantees = readFileSync(new URL('../../../docs/guarantees.md', import.meta.url), 'utf8');
    expect(guarantees).toContain(matrixSummary(rows));
  });
});
