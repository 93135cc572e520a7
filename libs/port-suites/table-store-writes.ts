import { describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import {
  ONCE_ROWS,
  TURN_SINGLE,
  TURN_TEXTS,
  bytes,
  clusterings,
  freshOwner,
  textOf,
  turnRow,
} from './table-store-fixtures.ts';

export function turnWrites(store: () => TableStore): void {
  describe('turn tables', () => {
    test('bytes 0 to 255, an empty body and the format are read as they were written', async () => {
      const owner = freshOwner();
      const every = Uint8Array.from({ length: 256 }, (_, i) => i);
      await store().upsert(TURN_TEXTS, [
        { ...turnRow([owner], ['every'], ''), body: every, format: 2_147_483_647 },
        turnRow([owner], ['void'], ''),
      ]);
      expect(await store().read(TURN_TEXTS, [owner], ['every'])).toMatchObject({ body: every, format: 2_147_483_647 });
      expect((await store().read(TURN_TEXTS, [owner], ['void']))?.body).toEqual(new Uint8Array(0));
    });

    test('a call without rows succeeds', async () => {
      await expect(store().upsert(TURN_TEXTS, [])).resolves.toBeUndefined();
      await expect(store().insert(ONCE_ROWS, [])).resolves.toBeUndefined();
    });

    test.each([
      ['in order', [1, 2, 3]],
      ['backwards', [3, 2, 1]],
      ['mixed, and replayed', [2, 3, 1, 3, 2, 1]],
    ])('the newest timestamp wins when turns arrive %s', async (_, timestamps) => {
      const owner = freshOwner();
      for (const timestamp of timestamps)
        await store().upsert(TURN_SINGLE, [turnRow([owner], [], `turn ${timestamp}`, timestamp)]);
      expect(textOf(await store().read(TURN_SINGLE, [owner], []))).toBe('turn 3');
    });

    test('timestamps of realistic size are compared to their last digit', async () => {
      const [owner, base] = [freshOwner(), 1_900_000_000_000_000];
      await store().upsert(TURN_SINGLE, [turnRow([owner], [], 'newer', base + 2)]);
      await store().upsert(TURN_SINGLE, [turnRow([owner], [], 'older', base + 1)]);
      expect(textOf(await store().read(TURN_SINGLE, [owner], []))).toBe('newer');
      await store().upsert(TURN_SINGLE, [turnRow([owner], [], '', base + 3)]);
      expect((await store().read(TURN_SINGLE, [owner], []))?.body).toHaveLength(0);
    });

    contendedTurns(store);
  });
}

function contendedTurns(store: () => TableStore): void {
  describe('in contention', () => {
    test("a zombie owner's rows lose, one by one, and its call succeeds", async () => {
      const [owner, other] = [freshOwner(), freshOwner()];
      await store().upsert(TURN_TEXTS, [
        turnRow([owner], ['a'], 'owner', 10),
        turnRow([owner], ['b'], 'owner', 5),
        turnRow([other], ['a'], 'owner', 10),
      ]);
      await store().upsert(
        TURN_TEXTS,
        ['a', 'b', 'c']
          .map((name) => turnRow([owner], [name], 'zombie', 7))
          .concat(turnRow([other], ['a'], 'zombie', 7)),
      );
      const rows = await store().slice(TURN_TEXTS, [owner], { limit: 10 });
      expect(rows.map(textOf)).toEqual(['owner', 'zombie', 'zombie']);
      expect(textOf(await store().read(TURN_TEXTS, [other], ['a']))).toBe('owner');
    });

    test('concurrent turns of one row end with the newest, whatever their order', async () => {
      const owner = freshOwner();
      const timestamps = Array.from({ length: 40 }, (_, i) => ((i * 17) % 40) + 1);
      await Promise.all(
        timestamps.map((timestamp) =>
          store().upsert(TURN_SINGLE, [turnRow([owner], [], `turn ${timestamp}`, timestamp)]),
        ),
      );
      expect(textOf(await store().read(TURN_SINGLE, [owner], []))).toBe('turn 40');
    });

    test('a call over many partitions writes them all', async () => {
      const owners = Array.from({ length: 60 }, freshOwner);
      await store().upsert(
        TURN_TEXTS,
        owners.flatMap((owner) => [turnRow([owner], ['a'], owner), turnRow([owner], ['b'], owner)]),
      );
      const slices = await Promise.all(owners.map((owner) => store().slice(TURN_TEXTS, [owner], { limit: 5 })));
      expect(slices.map((rows) => rows.map(textOf))).toEqual(owners.map((owner) => [owner, owner]));
    });

    test('a row with a ttl is read like any other while it lives', async () => {
      const owner = freshOwner();
      await store().upsert(TURN_TEXTS, [{ ...turnRow([owner], ['a'], 'x'), ttlSeconds: 86_400 }]);
      expect(textOf(await store().read(TURN_TEXTS, [owner], ['a']))).toBe('x');
    });
  });
}

export function onceWrites(store: () => TableStore): void {
  const row = (owner: string, at: number, content = 'x') => ({
    partition: [owner],
    clustering: [at, 'id'],
    body: bytes(content),
    format: 1,
  });

  describe('once tables', () => {
    test('a row inserted again with the same body is harmless', async () => {
      const owner = freshOwner();
      for (let i = 0; i < 3; i++) await store().insert(ONCE_ROWS, [row(owner, 1), row(owner, 2)]);
      await Promise.all([store().insert(ONCE_ROWS, [row(owner, 3)]), store().insert(ONCE_ROWS, [row(owner, 3)])]);
      expect(clusterings(await store().slice(ONCE_ROWS, [owner], { limit: 10 }))).toEqual([
        [1, 'id'],
        [2, 'id'],
        [3, 'id'],
      ]);
    });

    test('a row with a ttl is accepted', async () => {
      const owner = freshOwner();
      await store().insert(ONCE_ROWS, [{ ...row(owner, 1), ttlSeconds: 3600 }]);
      expect(await store().slice(ONCE_ROWS, [owner], { limit: 10 })).toHaveLength(1);
    });

    test('a dropped partition is empty, accepts rows again, and no other partition is dropped', async () => {
      const [owner, other] = [freshOwner(), freshOwner()];
      await store().insert(ONCE_ROWS, [row(owner, 1), row(owner, 2), row(other, 1)]);
      await store().dropPartition(ONCE_ROWS, [owner]);
      expect(await store().slice(ONCE_ROWS, [owner], { limit: 10 })).toEqual([]);
      await store().insert(ONCE_ROWS, [row(owner, 2, 'again'), row(owner, 3)]);
      await store().dropPartition(ONCE_ROWS, [freshOwner()]);
      expect(clusterings(await store().slice(ONCE_ROWS, [owner], { limit: 10 }))).toEqual([
        [2, 'id'],
        [3, 'id'],
      ]);
      expect(textOf(await store().read(ONCE_ROWS, [owner], [2, 'id']))).toBe('again');
      expect(await store().slice(ONCE_ROWS, [other], { limit: 10 })).toHaveLength(1);
    });
  });
}
