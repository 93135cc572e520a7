import { describe, expect, test } from 'vitest';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { addClockAhead, readClockAhead } from './clock-ahead.ts';
import { claimTokenHash } from './credentials.ts';
import { readHandling, writeHandling } from './handling.ts';
import { createLedger, type Arm } from './ledger.ts';
import { fileRecord, listParkedKeys, readParked, readParkedKey, writeParkedKey, type ParkedKey } from './parking.ts';
import { createShards } from './shards.ts';

/** A store whose first conditional write ends in doubt, done or not. */
function inDoubt(applied: boolean): { doubtful: TableStore; sound: TableStore } {
  const tables = new MemoryTables();
  let armed = true;
  const fail = async ({ name }: { name: string }): Promise<void> => {
    if (name !== 'compareAndSet' || !armed) return;
    armed = false;
    throw new PortError('unknown', 'timed out');
  };
  const hooks = applied ? { before: async () => {}, after: fail } : { before: fail, after: async () => {} };
  return { doubtful: createMemoryTableStore({ tables, hooks }), sound: createMemoryTableStore({ tables }) };
}

const ARM: Arm = {
  ...{
    attempt: 1,
    stage: 'armed',
    handle: null,
    armedAt: 1,
    armToken: 't',
    sendBefore: 2,
    notBefore: 0,
    asked: 0,
    failures: 0,
  },
  ...{ refreshed: false, earlier: null, verdict: null },
} as const;
const FLAG: ParkedKey = {
  topic: 't',
  partition: 0,
  key: 'k',
  episode: 'e',
  wish: 'none',
  drainedTo: -1,
  error: 'x',
  parkedAt: 1,
  held: 0,
};

describe.each([true, false])('a conditional write of unknown end that was%s done is reported as it was', (applied) => {
  test('the ledger', async () => {
    const { doubtful, sound } = inDoubt(applied);
    const moved = await createLedger(doubtful).moveArm('v', null, ARM, 'mine');
    expect(moved !== null).toBe(applied);
    expect(await createLedger(sound).readArm('v')).toEqual(moved);
  });

  test('a shard', async () => {
    const { doubtful, sound } = inDoubt(applied);
    expect(await createShards(doubtful).found(1, 10, 'mine')).toBe(applied);
    expect(await createShards(sound).found(1, 10, 'other')).toBe(!applied);
  });

  test('a parked key', async () => {
    const { doubtful, sound } = inDoubt(applied);
    expect(await writeParkedKey(doubtful, FLAG, { version: 0, flag: FLAG, token: 'mine' })).toBe(applied);
    expect(await listParkedKeys(sound, 't', 0)).toHaveLength(applied ? 1 : 0);
  });

  test("the owner of a key's value: one Workspace's, or to be asked for again", async () => {
    const { doubtful, sound } = inDoubt(applied);
    const claimed = claimTokenHash(doubtful, 'a hash', 'ours');
    if (applied) expect(await claimed).toBe('ours');
    else await expect(claimed).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    expect(await claimTokenHash(sound, 'a hash', 'theirs')).toBe(applied ? 'ours' : 'theirs');
  });

  test('what an owner is handling', async () => {
    const { doubtful, sound } = inDoubt(applied);
    const source = { group: 'g', topic: 't', partition: 0 };
    expect(
      await writeHandling(doubtful, source, { version: 0, handling: { owned: true, keys: {} }, token: 'mine' }),
    ).toBe(applied);
    expect(await readHandling(sound, source)).toMatchObject({ owned: applied, version: applied ? 1 : 0 });
  });

  test('the clock: added once, whichever', async () => {
    const { doubtful, sound } = inDoubt(applied);
    let token = 0;
    expect(await addClockAhead(doubtful, 500, () => `t${token++}`)).toBe(500);
    expect(await readClockAhead(sound)).toBe(500);
  });
});

test('a conditional write of unknown end counts as not done where another one was taken meanwhile', async () => {
  const tables = new MemoryTables();
  const theirs = createLedger(createMemoryTableStore({ tables }));
  let isFirst = true;
  const before = async ({ name }: { name: string }): Promise<void> => {
    if (name !== 'compareAndSet' || !isFirst) return;
    isFirst = false;
    await theirs.moveArm('v', null, ARM, 'theirs');
    throw new PortError('unknown', 'timed out');
  };
  const ours = createLedger(createMemoryTableStore({ tables, hooks: { before, after: async () => {} } }));
  expect(await ours.moveArm('v', null, { ...ARM, armToken: 'ours' }, 'ours')).toBe(null);
  expect(await theirs.readArm('v')).toMatchObject({ armToken: ARM.armToken });
});

describe('the ledger', () => {
  test('only one of many wins the arm, and only over the row it saw', async () => {
    const ledger = createLedger(createMemoryTableStore());
    const won = await Promise.all(['a', 'b', 'c'].map((token) => ledger.moveArm('v', null, ARM, token)));
    expect(won.filter((row) => row !== null)).toHaveLength(1);
    const row = (await ledger.readArm('v'))!;
    expect(await ledger.moveArm('v', row, { ...ARM, asked: 1 }, 'd')).toMatchObject({ asked: 1 });
    expect(await ledger.moveArm('v', row, { ...ARM, asked: 2 }, 'e')).toBe(null);
  });

  test('evidence of two workers in one millisecond is kept twice, in order of attempt', async () => {
    const ledger = createLedger(createMemoryTableStore());
    const heard = {
      step: 'publish',
      armToken: 't',
      startedAt: 5,
      finishedAt: 6,
      outcome: 'unknown',
      detail: '',
      remoteId: null,
      permalink: null,
      failure: null,
    } as const;
    for (const [attempt, id] of [
      [2, 'a'],
      [1, 'b'],
      [1, 'a'],
    ] as const)
      await ledger.writeEvidence('v', { ...heard, attempt, id });
    expect((await ledger.attempts('v')).map(({ attempt, id }) => `${attempt}${id}`)).toEqual(['1a', '1b', '2a']);
  });
});

describe('a shard', () => {
  test('an overtaken owner moves nothing, and a claim changes nothing of the row but the epoch', async () => {
    const shards = createShards(createMemoryTableStore());
    await shards.found(1, 10, 'made');
    const first = (await shards.claim(1, 'a'))!;
    const second = (await shards.claim(1, 'b'))!;
    expect(await shards.move(1, first, { minute: 20, dropped: 10 }, 'c')).toBe(null);
    const moved = { minute: 20, dropped: 10, ownedMs: 7, marks: [{ minute: 15, ownedMs: 3 }] };
    expect(await shards.move(1, second, moved, 'd')).toMatchObject({ ...moved, epoch: 2 });
    expect(await shards.claim(1, 'e')).toMatchObject({ ...moved, epoch: 3 });
  });

  test('that was never made is unavailable, not made up', async () => {
    await expect(createShards(createMemoryTableStore()).claim(1, 'a')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('parking', () => {
  test('records are read by episode, in order of offset, after what was drained', async () => {
    const store = createMemoryTableStore();
    for (const offset of [7, 3, 20]) await fileRecord(store, FLAG, { offset, value: Uint8Array.of(offset) });
    await fileRecord(store, { ...FLAG, episode: 'another' }, { offset: 4, value: Uint8Array.of(4) });
    expect((await readParked(store, FLAG, 10)).map(({ offset }) => offset)).toEqual([3, 7, 20]);
    expect((await readParked(store, { ...FLAG, drainedTo: 3 }, 1)).map(({ offset }) => offset)).toEqual([7]);
  });

  test('a freed key is not listed, and can be parked again', async () => {
    const store = createMemoryTableStore();
    await writeParkedKey(store, FLAG, { version: 0, flag: FLAG, token: 'a' });
    await writeParkedKey(store, FLAG, { version: 1, flag: null, token: 'b' });
    expect(await listParkedKeys(store, 't', 0)).toEqual([]);
    const { version, flag } = await readParkedKey(store, 't', 0, 'k');
    expect([version, flag]).toEqual([2, null]);
    expect(await writeParkedKey(store, FLAG, { version, flag: { ...FLAG, episode: 'second' }, token: 'c' })).toBe(true);
    expect(await listParkedKeys(store, 't', 0)).toMatchObject([{ episode: 'second' }]);
  });
});
