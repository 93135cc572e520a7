import { describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import type { ImpliedRows, RowWrite } from '#ports/table.ts';
import { TwoBodiesError } from '#ports/two-bodies.ts';
import {
  HEADS,
  ONCE_ROWS,
  TURN_TEXTS,
  bytes,
  expectRefused,
  freshOwner,
  textOf,
  turnRow,
} from './table-store-fixtures.ts';

const onceRow = (owner: string, id: string, content: string): RowWrite => ({
  partition: [owner],
  clustering: [1, id],
  body: bytes(content),
  format: 1,
});

/**
 * Every store under test refuses a second body where only one is allowed, even a store that has to read for it:
 * otherwise the tests of an engine that keeps either body would miss a defect that stops the others.
 */
export function twoBodies(store: () => TableStore): void {
  const turnText = async (owner: string, name: string) => textOf(await store().read(TURN_TEXTS, [owner], [name]));
  const onceText = async (owner: string, id: string) => textOf(await store().read(ONCE_ROWS, [owner], [1, id]));
  const expectTwoBodies = async (call: Promise<unknown>): Promise<void> => {
    await expect(call).rejects.toBeInstanceOf(TwoBodiesError);
    await expect(call).rejects.toThrow('two bodies for row');
  };

  describe('two bodies of one row', () => {
    test('at one timestamp of a turn table are refused, and nothing of the call is stored', async () => {
      const owner = freshOwner();
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'first', 5)]);
      await expectTwoBodies(
        store().upsert(TURN_TEXTS, [turnRow([owner], ['b'], 'beside', 6), turnRow([owner], ['a'], 'second', 5)]),
      );
      expect([await turnText(owner, 'a'), await turnText(owner, 'b')]).toEqual(['first', null]);
    });

    test('under one key of a once table are refused, and nothing of the call is stored', async () => {
      const owner = freshOwner();
      await store().insert(ONCE_ROWS, [onceRow(owner, 'a', 'first')]);
      await expectTwoBodies(store().insert(ONCE_ROWS, [onceRow(owner, 'b', 'beside'), onceRow(owner, 'a', 'second')]));
      expect([await onceText(owner, 'a'), await onceText(owner, 'b')]).toEqual(['first', null]);
    });

    test('are reported when only their formats differ', async () => {
      const owner = freshOwner();
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'same', 5)]);
      await store().insert(ONCE_ROWS, [onceRow(owner, 'a', 'same')]);
      await expectTwoBodies(store().upsert(TURN_TEXTS, [{ ...turnRow([owner], ['a'], 'same', 5), format: 2 }]));
      await expectTwoBodies(store().insert(ONCE_ROWS, [{ ...onceRow(owner, 'a', 'same'), format: 2 }]));
    });

    test('are reported when one of them is empty', async () => {
      const owner = freshOwner();
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], '', 5)]);
      await expectTwoBodies(store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'full', 5)]));
      expect(await turnText(owner, 'a')).toBe('');
    });

    test('in one call are refused', async () => {
      const owner = freshOwner();
      await expectTwoBodies(
        store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'one', 5), turnRow([owner], ['a'], 'other', 5)]),
      );
      await expectTwoBodies(store().insert(ONCE_ROWS, [onceRow(owner, 'a', 'one'), onceRow(owner, 'a', 'other')]));
      expect([await turnText(owner, 'a'), await onceText(owner, 'a')]).toEqual([null, null]);
    });

    test('at different timestamps are allowed: the newer one stays', async () => {
      const owner = freshOwner();
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'newer', 9), turnRow([owner], ['b'], 'older', 3)]);
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'older', 8), turnRow([owner], ['b'], 'newer', 4)]);
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'newer', 9), turnRow([owner], ['b'], 'newer', 4)]);
      expect([await turnText(owner, 'a'), await turnText(owner, 'b')]).toEqual(['newer', 'newer']);
    });

    impliedByAHead(store, { turnText, onceText, expectTwoBodies });
  });
}

interface Looks {
  turnText(owner: string, name: string): Promise<string | null>;
  onceText(owner: string, id: string): Promise<string | null>;
  expectTwoBodies(call: Promise<unknown>): Promise<void>;
}

function impliedByAHead(store: () => TableStore, { turnText, onceText, expectTwoBodies }: Looks): void {
  const turn = (owner: string, name: string, content: string) => ({
    table: TURN_TEXTS,
    upsert: [turnRow([owner], [name], content, 5)],
  });
  const once = (owner: string, id: string, content: string) => ({
    table: ONCE_ROWS,
    insert: [onceRow(owner, id, content)],
  });
  const cases: readonly (readonly [string, (owner: string) => readonly ImpliedRows[]])[] = [
    ['a turn row', (owner) => [once(owner, 'b', 'beside'), turn(owner, 'a', 'second')]],
    ['a once row', (owner) => [turn(owner, 'b', 'beside'), once(owner, 'a', 'second')]],
  ];
  test.each(cases)(
    'of %s that a head implies: neither the head nor any of its rows is written',
    async (_what, implied) => {
      const owner = freshOwner();
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'first', 5)]);
      await store().insert(ONCE_ROWS, [onceRow(owner, 'a', 'first')]);
      const next = { version: 1, token: 'token', body: bytes('head'), format: 1 };
      const call = () =>
        store().compareAndSet(HEADS, {
          partition: [owner],
          clustering: ['head', ''],
          expected: null,
          next,
          implied: implied(owner),
        });
      if (store().atom !== 'partition') await expectTwoBodies(call());
      else await expectRefused(call);
      expect(await store().read(HEADS, [owner], ['head', ''], { serial: true })).toBeNull();
      expect([await turnText(owner, 'a'), await onceText(owner, 'a')]).toEqual(['first', 'first']);
      expect([await turnText(owner, 'b'), await onceText(owner, 'b')]).toEqual([null, null]);
    },
  );
}
