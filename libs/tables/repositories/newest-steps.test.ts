import { describe, expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import type { TableStore } from '#ports/table-store.ts';
import { createLedger, type Arm, type Evidence } from './ledger.ts';

const COUNT = 100;
const ARM: Arm = {
  ...{ attempt: 1, stage: 'preparing', handle: null, armedAt: 0, armToken: '', sendBefore: 0, notBefore: 0 },
  ...{ asked: 0, failures: 0, refreshed: false, earlier: null, verdict: null },
};
const STEP: Omit<Evidence, 'attempt' | 'id' | 'startedAt' | 'finishedAt'> = {
  ...{ step: 'prepare', armToken: '', outcome: 'wait', detail: '', remoteId: null, permalink: null, failure: null },
};
const BEGUN = 1_800_000_000_000;

/** A store that counts the rows that it gives. */
function counting() {
  const read = { slices: 0, rows: 0 };
  const store = createMemoryTableStore();
  const slice = store.slice.bind(store);
  const counted: TableStore['slice'] = async (...asked) => {
    const rows = await slice(...asked);
    read.slices += 1;
    read.rows += rows.length;
    return rows;
  };
  return { read, store: Object.assign(store, { slice: counted }) };
}

/** A Variant with an attempt for each list, whose steps began at these milliseconds after it was due. */
async function ledgerOf(...attempts: readonly (readonly number[])[]) {
  const { read, store } = counting();
  const ledger = createLedger(store);
  await ledger.moveArm('v', null, { ...ARM, attempt: attempts.length }, 'token');
  for (const [index, steps] of attempts.entries())
    for (const [number, at] of steps.entries()) {
      const [startedAt, id] = [BEGUN + at, String(number).padStart(6, '0')];
      await ledger.writeEvidence('v', { ...STEP, attempt: index + 1, id, startedAt, finishedAt: startedAt });
    }
  const all = await ledger.attempts('v');
  Object.assign(read, { slices: 0, rows: 0 });
  return { ledger, read, all };
}

const every = (count: number, ms: number) => Array.from({ length: count }, (_, index) => index * ms);

describe('the newest steps of an upload that was begun again and again', () => {
  test.each([
    ['each second', [every(20_000, 1_000)]],
    ['each millisecond, after one long before', [[0, ...every(5_000, 1).map((at) => at + 900_000_000)]]],
    ['at first each millisecond, then each hour', [[...every(5_000, 1), ...every(200, 3_600_000).slice(1)]]],
    ['all in one millisecond', [every(5_000, 0)]],
    ['in twenty attempts of many steps', Array.from({ length: 20 }, () => every(1_000, 1_000))],
    ['after attempts of few steps', [every(5_000, 1_000), ...Array.from({ length: 19 }, () => every(3, 1_000))]],
  ])('%s, are the last ones without a gap, and what is read is bounded', async (_when, attempts) => {
    const { ledger, read, all } = await ledgerOf(...attempts);
    const newest = await ledger.newestAttempts('v', COUNT);
    expect(newest.length).toBeGreaterThanOrEqual(COUNT / 4);
    expect(newest.length).toBeLessThanOrEqual(COUNT);
    if (attempts.flat().some((at) => at > 0)) expect(newest).toEqual(all.slice(-newest.length));
    expect(read.rows).toBeLessThan(20 * COUNT);
    expect(read.slices).toBeLessThan(60);
  });

  test('of as many as may be shown are all of them, by one read', async () => {
    const { ledger, read, all } = await ledgerOf(every(COUNT / 2, 1_000), every(COUNT / 2, 1_000));
    expect(await ledger.newestAttempts('v', COUNT)).toEqual(all);
    expect(read.slices).toBe(1);
  });

  test('of a Variant that was never attempted are none', async () => {
    const { ledger } = await ledgerOf();
    expect(await ledger.newestAttempts('other', COUNT)).toEqual([]);
  });
});
