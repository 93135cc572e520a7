import { describe, expect, test } from 'vitest';
import type { ConditionalWrite, TableStore } from '#ports/table-store.ts';
import type { ImpliedRows } from '#ports/table.ts';
import {
  HEADS,
  ONCE_ROWS,
  TURN_TEXTS,
  bytes,
  expectRefused,
  freshOwner,
  onceRow,
  textOf,
  turnRow,
} from './table-store-fixtures.ts';

const HEAD = ['head', ''];

function write(owner: string, expected: number | null, implied: readonly ImpliedRows[]): ConditionalWrite {
  const version = (expected ?? 0) + 1;
  return {
    partition: [owner],
    clustering: HEAD,
    expected,
    next: { version, token: `token ${version}`, body: bytes('head'), format: 1 },
    implied,
  };
}

function both(owner: string): readonly ImpliedRows[] {
  return [
    { table: TURN_TEXTS, upsert: [turnRow([owner], ['a'], 'turn', 5)] },
    { table: ONCE_ROWS, insert: [onceRow(owner, 'once')] },
  ];
}

/**
 * Rows of other tables that follow from a head. A store whose atom is more than a partition writes them with the head;
 * any other refuses them before anything is written.
 */
export function impliedWrites(store: () => TableStore): void {
  const whole = () => store().atom !== 'partition';
  const written = async (owner: string) => [
    (await store().read(HEADS, [owner], HEAD, { serial: true }))?.version ?? null,
    textOf(await store().read(TURN_TEXTS, [owner], ['a'])),
    textOf(await store().read(ONCE_ROWS, [owner], [1, 'a'])),
  ];

  describe('rows implied by a head', () => {
    test("are written with it, or the whole call is refused, according to the store's atom", async () => {
      const owner = freshOwner();
      const call = () => store().compareAndSet(HEADS, write(owner, null, both(owner)));
      if (!whole()) {
        await expectRefused(call);
        expect(await written(owner)).toEqual([null, null, null]);
        return;
      }
      expect(await call()).toEqual({ applied: true });
      expect(await written(owner)).toEqual([1, 'turn', 'once']);
    });

    test('are not written when the head refuses', async () => {
      const owner = freshOwner();
      const outcome = await store()
        .compareAndSet(HEADS, write(owner, 4, both(owner)))
        .catch(() => null);
      expect(outcome).toEqual(whole() ? { applied: false, current: null } : null);
      expect(await written(owner)).toEqual([null, null, null]);
    });

    test('obey the clocks of their tables', async () => {
      const owner = freshOwner();
      await store().upsert(TURN_TEXTS, [turnRow([owner], ['a'], 'newer', 9)]);
      await store().insert(ONCE_ROWS, [onceRow(owner, 'once')]);
      const outcome = store().compareAndSet(HEADS, write(owner, null, both(owner)));
      if (whole()) expect(await outcome).toEqual({ applied: true });
      else await expectRefused(() => outcome);
      expect(await written(owner)).toEqual([whole() ? 1 : null, 'newer', 'once']);
    });

    test('of a table with another clock are refused, and nothing is written', async () => {
      const owner = freshOwner();
      await expectRefused(() =>
        store().compareAndSet(
          HEADS,
          write(owner, null, [{ table: ONCE_ROWS, upsert: [{ ...onceRow(owner, 'once'), timestamp: 5 }] }]),
        ),
      );
      await expectRefused(() =>
        store().compareAndSet(
          HEADS,
          write(owner, null, [{ table: TURN_TEXTS, insert: [turnRow([owner], ['a'], 'turn')] }]),
        ),
      );
      expect(await written(owner)).toEqual([null, null, null]);
    });
  });
}
